"""What it draws, costs and survives: power, cost, failures."""

from configurator.operations.compare import Comparison, Hire, TokenOffer
from configurator.operations.cost import cost
from configurator.operations.failures import failure_effects
from configurator.operations.formulas import CostInputs, TornadoRow, YearlyCost, tornado, yearly_cost
from configurator.operations.power import PowerCheck, power_checks, power_draw, server_power
from configurator.operations.results import CostEstimate, FailureEffect, PowerDraw, ShoppingLine
from configurator.operations.shopping import gross, interconnect_decided, shopping, unpriced
from configurator.operations.use import writes

__all__ = [
    "Comparison",
    "CostEstimate",
    "CostInputs",
    "FailureEffect",
    "Hire",
    "PowerCheck",
    "PowerDraw",
    "ShoppingLine",
    "TokenOffer",
    "TornadoRow",
    "YearlyCost",
    "cost",
    "failure_effects",
    "gross",
    "interconnect_decided",
    "power_checks",
    "power_draw",
    "server_power",
    "shopping",
    "tornado",
    "unpriced",
    "writes",
    "yearly_cost",
]
