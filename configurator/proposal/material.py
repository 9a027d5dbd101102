"""What the sections of a proposal are written from: one plan, its answer, its neighbours, in words."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property

from configurator.advice.advise import situations_of
from configurator.advice.pilot import forecast
from configurator.advice.results import Finding
from configurator.advice.todo import Task, Todo, todo
from configurator.assess import Assessment, WorkloadAssessment
from configurator.catalogue import Catalogue
from configurator.operations.results import PowerDraw, ShoppingLine
from configurator.plan.index import gpus, servers
from configurator.plan.model import Plan, Project, Server, Workload
from configurator.scaling.results import Speed
from configurator.sizing.results import Fit
from configurator.terms import Estimate, Message
from configurator.wording import Wording
from configurator.wording.numbers import NBSP

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AtContext:
    """The same workload with conversations of another length, assessed anew."""

    workload_id: str
    context_tokens: int
    fit: Fit
    users_served: Estimate | None
    asked: bool
    """The length that was asked for."""


@dataclass(frozen=True)
class Material:
    """Read only. ``others`` are the project's other plans with their answers, in the order of the file."""

    project: Project
    plan: Plan
    catalogue: Catalogue
    assessment: Assessment
    others: tuple[tuple[Plan, Assessment], ...]
    wording: Wording
    date: dt.date
    valid_until: dt.date
    by_context: tuple[AtContext, ...] = ()

    # --- words

    def say(self, english: str, **values: object) -> str:
        """A sentence of the proposal in its language, placeholders filled."""
        sentence = self.wording.gettext(english)
        for name, value in values.items():
            sentence = sentence.replace("{" + name + "}", str(value))
        return sentence

    def text(self, message: Message | None) -> str:
        """A message of the engines as a sentence, "" for none."""
        return self.wording.text(message) if message is not None else ""

    def range(self, value: Estimate | None) -> str:
        """A range with its unit, or what stands for "not known"."""
        return self.wording.estimate(value) if value is not None else self.say("not known")

    def around(self, value: Estimate | None) -> str:
        """The expected figure first, the range behind it: "2 900 (1 600–5 300) EUR"."""
        if value is None:
            return self.say("not known")
        whole, middle = self.range(value), self.middle(value)
        number, _, unit = whole.partition(NBSP)
        expected, _, same = middle.partition(NBSP)
        if value.low == value.high or whole == middle:
            return whole
        told = f"{expected} ({number})" if unit == same else f"{middle} ({whole})"
        return f"{told}{NBSP}{unit}" if unit and unit == same else told

    def middle(self, value: Estimate) -> str:
        """The expected figure alone, rounded as a forecast is."""
        rounded = float(f"{value.expected:.2g}")
        return self.wording.estimate(Estimate.exact(rounded, value.unit, value.basis))

    def day(self, date: dt.date) -> str:
        """Such as "30 November 2026"."""
        return f"{date.day}\u00a0{self.wording.gettext(MONTHS[date.month - 1])} {date.year}"

    def day_of(self, written: str) -> str:
        """A date of the catalogue ("2026-11-28", "2026-11" or free text) as people write it."""
        try:
            if len(written) == len("2026-11"):
                first = dt.date.fromisoformat(written + "-01")
                return f"{self.wording.gettext(MONTHS[first.month - 1])} {first.year}"
            return self.day(dt.date.fromisoformat(written))
        except ValueError:
            return written

    def share_range(self, low: float, high: float) -> str:
        """Such as "60–70 %"."""
        return self.wording.estimate(Estimate(low, (low + high) / 2, high, "share"))

    def engine_name(self, engine: str) -> str:
        """As its makers write it."""
        return dict(self.wording.names).get(engine, engine)

    @cached_property
    def todo(self) -> Todo:
        """What to do, in order: the box of the summary and the list of next steps are one."""
        facts = self.assessment.facts
        if facts is None:
            return Todo((), self.assessment.verdict.light in ("good", "step"))
        return todo(
            facts,
            self.assessment.verdict,
            [each for answer in self.assessment.workloads for each in answer.unknowns],
            self.findings,
            self.assessment.alternatives,
            bool(self.to_buy),
        )

    @property
    def runs(self) -> bool:
        """Something of the plan starts."""
        return any(answer.fit != "no" for _, answer in self.workloads)

    @cached_property
    def speed(self) -> Speed | None:
        """What the first workload's people get (see ``speed_of``)."""
        return self.speed_of(*self.main) if self.main is not None else None

    def speed_of(self, workload: Workload, answer: WorkloadAssessment) -> Speed | None:
        """What the people of a workload get; one person where nobody said how many."""
        facts = self.assessment.facts
        seen = [each for each in situations_of(facts) if each.workload.id == workload.id] if facts is not None else []
        if seen:
            return forecast(seen[0])
        return answer.chosen.speed if answer.chosen is not None else None

    @cached_property
    def usable_users(self) -> int | None:
        """People at once at a usable speed; None where nobody counted them."""
        found = getattr(self.main[1], "usable_users", None) if self.main is not None else None
        return int(found) if isinstance(found, int | float) else None

    def who(self, code: str) -> str:
        """Who does something, in words."""
        return self.wording.word(code) if code.startswith("who.") else code

    def bare_middle(self, value: Estimate) -> str:
        """The expected sum of money alone, without its currency."""
        return self.middle(self.sum_of_money(value)).removesuffix(f"{NBSP}{self.project.currency}")

    def task(self, task: Task) -> str:
        """A task as a sentence that stands on its own."""
        words = self.text(task.text)
        topic = self.text(task.topic)
        if task.code == "ask":
            return f"{words} {topic}"
        if task.code == "change" and topic:
            return self.say("Change the plan: {option}. {why}", option=topic, why=words)
        return f"{topic}: {words}" if topic else words

    # --- things

    @property
    def title(self) -> str:
        """Of the document."""
        return self.project.title or self.plan.name or self.say("Proposal")

    @cached_property
    def workloads(self) -> tuple[tuple[Workload, WorkloadAssessment], ...]:
        """What should run, with its answer."""
        answers = {answer.workload_id: answer for answer in self.assessment.workloads}
        return tuple((each, answers[each.id]) for each in self.plan.workloads if each.id in answers)

    @property
    def main(self) -> tuple[Workload, WorkloadAssessment] | None:
        """The first workload: the summary speaks of it."""
        return self.workloads[0] if self.workloads else None

    @cached_property
    def servers(self) -> dict[str, Server]:
        """Servers of the plan by id."""
        return {server.id: server for _, server in servers(self.plan)}

    @cached_property
    def _places(self) -> dict[str, str]:
        kinds = {gpu.gpu for _, _, _, gpu in gpus(self.plan)}
        return {
            gpu.id: f"{server.name} · {slot.name}" + (f" · {self.gpu_name(gpu.gpu)}" if len(kinds) > 1 else "")
            for _, server, slot, gpu in gpus(self.plan)
        }

    def card_place(self, gpu_id: str) -> str:
        """Server and slot of a card; its kind where the plan has several."""
        return self._places.get(gpu_id, gpu_id)

    def gpu_name(self, gpu: str) -> str:
        """Short catalogue name of a card."""
        record = self.catalogue.gpus.get(gpu)
        return record.short_name if record else gpu

    def model_name(self, workload: Workload) -> str:
        """Model and weight format, or that none is chosen."""
        if workload.model is None:
            return self.say("no model chosen")
        record = self.catalogue.models.get(workload.model)
        weights = self.catalogue.weight_formats.get(workload.weights)
        return f"{record.name if record else workload.model} · {weights.name if weights else workload.weights}"

    def task_name(self, workload: Workload) -> str:
        """The task in everyday words."""
        return self.wording.word(f"task.{workload.task}")

    def fit_word(self, workload: Workload, fit: Fit) -> str:
        """Whether it starts and carries what was asked: people for a chat, nobody for a training."""
        serves = workload.task in {"chat", "batch"}
        return self.wording.word(f"fit.{fit}" if serves else f"trains.{fit}")

    def power(self, subject_id: str) -> PowerDraw | None:
        """Watts of one object or of "plan"."""
        return next((each for each in self.assessment.power if each.subject_id == subject_id), None)

    @cached_property
    def to_buy(self) -> tuple[ShoppingLine, ...]:
        """Equipment that is not there yet."""
        return tuple(line for line in self.assessment.cost.shopping if not line.owned)

    @cached_property
    def price_date(self) -> str:
        """The oldest date among the prices used, for "prices of ..."."""
        dates = sorted(line.price_date for line in self.to_buy if line.price_date and line.total is not None)
        return self.day_of(dates[0]) if dates else ""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What still stands; see ``set_aside`` for the others."""
        return tuple(each for each in self.assessment.findings if each.set_aside_remark is None)

    @cached_property
    def set_aside(self) -> tuple[Finding, ...]:
        """What the owner has set aside, with the remark."""
        return tuple(each for each in self.assessment.findings if each.set_aside_remark is not None)

    def per_month(self, per_year: Estimate) -> Estimate:
        """A yearly sum of money as a monthly one."""
        return per_year.scaled(1 / 12, self.project.currency)

    def sum_without_unit(self, value: Estimate) -> str:
        """A range of money whose currency stands elsewhere."""
        return self.range(self.sum_of_money(value)).removesuffix(f"\u00a0{self.project.currency}")

    def about_without_unit(self, value: Estimate) -> str:
        """The expected sum first, its range behind; the currency stands elsewhere."""
        return self.around(self.sum_of_money(value)).removesuffix(f"{NBSP}{self.project.currency}")

    def sum_of_money(self, value: Estimate) -> Estimate:
        """The same range without "per year" in its unit."""
        return value.scaled(1.0, self.project.currency)
