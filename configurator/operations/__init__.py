"""What it draws, costs and survives: power, cost, failures."""
