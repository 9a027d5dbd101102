"""Planner for people who own GPUs: what fits, how fast, what to buy, what it costs."""

__version__ = "0.1.0"
