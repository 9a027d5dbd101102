"""Only what the calibration uses; the product does without scipy."""
