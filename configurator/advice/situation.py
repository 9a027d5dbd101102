"""One workload on one plan, read once: what flow, verdict and findings all need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from configurator.advice.facts import PlanFacts, WorkloadFacts
from configurator.advice.shape import Fabric, Shape, shape_of
from configurator.operations import writes
from configurator.operations.failures import cut_off_sites
from configurator.plan.model import Policy, Workload
from configurator.scaling.results import Instance, ScoredLayout, Speed
from configurator.sizing.results import FIT_ORDER, Fit

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue
    from configurator.catalogue.records import ModelRecord

TRAINING = ("lora", "qlora", "full", "pretrain")
GRADIENT = ("full", "pretrain")
LARGE_PARAMETERS = 65e9
"""70B class (R31, R32, R54, R55): models of 65 billion parameters and more."""
GIANT_PARAMETERS = 400e9
"""405B class (R45, R56)."""


def at_least(fit: Fit, floor: Fit) -> bool:
    """Whether an answer is as good as another."""
    return FIT_ORDER.index(fit) >= FIT_ORDER.index(floor)


def cards_of(instance: Instance) -> tuple[str, ...]:
    """GPU ids of one copy."""
    return tuple(gpu for stage in instance.stages for gpu in stage)


USABLE_TOKENS = 2048
"""A context below this is of no use to anybody."""


def longest_tokens(layout: ScoredLayout | None) -> int | None:
    """Longest request with which a layout starts that does not start with the asked one; None without that cause."""
    cause = layout.memory.reason if layout is not None else None
    longest = cause.get("longest_tokens") if cause is not None else None
    return longest if isinstance(longest, int) else None


def starts_shorter(layout: ScoredLayout | None) -> bool:
    """The weights fit and the model starts; only the asked length of a request does not."""
    return (longest_tokens(layout) or 0) >= USABLE_TOKENS


def brimful(layout: ScoredLayout) -> bool:
    """It starts only with the engine's share of the card turned up by hand."""
    return layout.memory.reason is not None and layout.memory.reason.code == "memory.full_card"


def offloaded(layout: ScoredLayout) -> bool:
    """Part of the weights or of the training state sits in system memory."""
    return layout.layout.offload or any(note.code == "layout.offload" for note in layout.notes)


@dataclass(frozen=True)
class Situation:
    """A workload with the questions asked of it."""

    facts: PlanFacts
    work: WorkloadFacts
    shape: Shape

    @property
    def workload(self) -> Workload:
        """As the owner described it."""
        return self.work.workload

    @property
    def model(self) -> ModelRecord | None:
        """None while not chosen."""
        return self.work.model

    @property
    def policy(self) -> Policy:
        """Thresholds of the owner."""
        return self.facts.project.policy

    @property
    def catalogue(self) -> Catalogue:
        """What can be bought and run."""
        return self.facts.catalogue

    @property
    def training(self) -> bool:
        """Fine-tuning or training from scratch."""
        return self.workload.task in TRAINING

    @property
    def writes(self) -> bool:
        """The model writes answers; one that embeds or ranks texts gives numbers and has no speed of a chat."""
        return self.model is not None and writes(self.model)

    @property
    def chosen(self) -> ScoredLayout | None:
        """The recommended layout on the owner's cards."""
        return self.work.chosen

    @property
    def fit(self) -> Fit:
        """Answer on the owner's cards; "no" without cards or model, and where only system memory holds a training."""
        if self.chosen is None or self.only_offloaded:
            return "no"
        return self.chosen.memory.fit

    @cached_property
    def only_offloaded(self) -> bool:
        """A training whose state the cards do not hold: every layout that runs leans on system memory (R28)."""
        if not self.training or self.chosen is None or not offloaded(self.chosen):
            return False
        return not any(at_least(each.memory.fit, "serves") and not offloaded(each) for each in self.work.owned)

    @cached_property
    def parameters(self) -> float:
        """Of the model, 0 while not chosen."""
        return float(self.model.parameters.total) if self.model else 0.0

    @cached_property
    def joint(self) -> bool:
        """A training that no single server holds on its cards: its copies share the state, they are one job (R55)."""
        if not self.training or self.chosen is None or len(self.shape.servers_of(self.used_cards)) < 2:
            return False
        return not any(at_least(each.memory.fit, "serves") for each in self.one_box)

    @cached_property
    def copy_cards(self) -> tuple[str, ...]:
        """Cards of the first copy of the chosen layout; all of them where the copies are one job."""
        if self.joint:
            return self.used_cards
        return cards_of(self.chosen.instances[0]) if self.chosen and self.chosen.instances else ()

    @cached_property
    def used_cards(self) -> tuple[str, ...]:
        """Cards of all copies of the chosen layout."""
        return tuple(each for one in self.chosen.instances for each in cards_of(one)) if self.chosen else ()

    @cached_property
    def copy_servers(self) -> tuple[str, ...]:
        """Servers one copy needs: the widest copy's."""
        if not self.chosen or not self.chosen.instances:
            return ()
        if self.joint:
            return self.shape.servers_of(self.used_cards)
        return max((self.shape.servers_of(cards_of(one)) for one in self.chosen.instances), key=len)

    @cached_property
    def spans(self) -> bool:
        """One copy of the model needs several servers."""
        return len(self.copy_servers) > 1

    @cached_property
    def copies(self) -> int:
        """Copies of the chosen layout."""
        return len(self.chosen.instances) if self.chosen else 0

    @cached_property
    def fabric(self) -> Fabric:
        """The weakest connection a copy depends on."""
        return self.shape.fabric(self.copy_servers)

    @cached_property
    def alone(self) -> Speed | None:
        """What one person alone gets from the chosen layout."""
        return self.work.speed_for(1.0) if self.work.speed_for is not None else None

    @cached_property
    def usable_users(self) -> int | None:
        """People at once whom the chosen layout holds and serves fast enough; None where nobody chats on it."""
        from configurator.advice.people import usable_users

        return usable_users(self)

    @cached_property
    def smallest(self) -> ScoredLayout | None:
        """The layout with the fewest cards per copy that at least starts, whatever its speed.

        One that starts only on a card filled to the brim counts where there is no other.
        """
        starting = [each for each in self.work.owned if at_least(each.memory.fit, "starts") and each.instances]
        starting = [each for each in starting if not brimful(each)] or starting
        return min(starting, key=lambda each: len(cards_of(each.instances[0])), default=None)

    @cached_property
    def cards_needed(self) -> int:
        """Cards of the smallest copy that starts; 0 when none does."""
        return len(cards_of(self.smallest.instances[0])) if self.smallest else 0

    @cached_property
    def one_box(self) -> tuple[ScoredLayout, ...]:
        """Layouts on the largest single server alone, best first."""
        return self.work.layouts("box", "asked")

    @cached_property
    def one_box_fit(self) -> Fit:
        """Best answer that a single server gives."""
        return max((each.memory.fit for each in self.one_box), key=FIT_ORDER.index, default="no")

    @cached_property
    def fits_one_box(self) -> bool:
        """The model starts inside one server, on as many copies as one likes."""
        return any(at_least(each.memory.fit, "starts") for each in self.one_box)

    @cached_property
    def weights_share(self) -> float:
        """Weights over usable memory of the tightest card of the chosen layout."""
        return self.chosen.memory.weights_share if self.chosen else 0.0

    @cached_property
    def group_memory_bytes(self) -> int:
        """Usable memory of one copy's cards."""
        return sum(
            self.shape.by_id[each].record.memory_usable_bytes for each in self.copy_cards if each in self.shape.by_id
        )


def situation(facts: PlanFacts, work: WorkloadFacts) -> Situation:
    """Read one workload on its servers."""
    cut = cut_off_sites(facts.plan, work.workload) | work.left_to_others
    return Situation(facts, work, shape_of(facts.plan, facts.catalogue, work.workload.server_ids, cut))
