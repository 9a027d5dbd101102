"""The panels and tabs beside the canvas: workload, verdict, cost, status."""
