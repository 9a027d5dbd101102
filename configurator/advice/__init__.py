"""The decision flow, findings, alternatives, switch points, pilot."""
