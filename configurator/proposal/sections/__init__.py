"""The parts of the proposal in the order in which they are read; each function returns what stands on the page."""
