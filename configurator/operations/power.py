"""Watts at the plug, without cooling: idle, loaded idle, busy and nameplate, per server, site and plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from configurator.catalogue import Catalogue
from configurator.catalogue.records import GpuRecord, NetworkPart, ServerRecord
from configurator.operations.results import PowerDraw
from configurator.plan.model import Gpu, Plan, Server, Site
from configurator.terms import Estimate

Three = tuple[float, float, float]

BUSY_SHARE_OF_LIMIT: Three = (0.60, 0.80, 1.00)
"""Draw of a working card as a share of its power limit: 60-100 % (decode of small models stays below the cap;
noonghunna/club-3090 hardware notes)."""

LOADED_IDLE_W: dict[str, Three] = {"datacenter": (40.0, 65.0, 90.0), "other": (20.0, 55.0, 90.0)}
"""A card that waits with a model in memory: 20-90 W, data-centre cards 40-90 W (reports in ggml-org/llama.cpp#25570
and ollama/ollama#8591)."""

LOADED_IDLE_MOST = 0.4
"""A waiting card takes at most this share of its limit: bounds the class range for small cards."""

SUPPLY_FACTOR = 1.2
"""Watts of supplies over watts of parts (powersizing-com homelab calculator)."""

CONTINUOUS_SHARE = 0.8
"""Share of a breaker that a continuous load may take (US NEC, used for 230 V circuits as well)."""

SUPPLY_EFFICIENCY = 0.9
"""Of a good supply at half load and more (80 PLUS Gold to Platinum)."""

STEP_PEAK: tuple[float, float] = (1.6, 2.0)
"""Cards that compute in step peak together for milliseconds at 1.6 to 2 times their limit: RTX 5090 900 W at 575 W
(evetech.co.za), H100 SXM 1,100 W at 700 W (factryze.ai), reports of restarts at 4 x 200 W on 1,200 W."""

CAP_CURVE: tuple[tuple[float, float, float], ...] = (
    (0.286, 0.167, 0.141),
    (0.429, 0.862, 0.258),
    (0.571, 0.941, 0.601),
    (0.714, 0.974, 0.853),
    (0.857, 0.993, 0.943),
    (1.0, 1.0, 1.0),
)
"""(cap over limit, writing, reading of prompts): six RTX 3090 at 100-350 W (llmgarage.ai, power limit sweep). A second
machine agrees: RTX PRO 6000 at half its limit writes 4 % slower for one person (voipmonitor/rtx6kpro)."""

AT_LIMIT_SHARE = 0.995
"""From this share on both figures print the same: "exactly at the limit"."""

MODULE_FORMS = frozenset({"sxm", "oam"})

_NOTHING: Three = (0.0, 0.0, 0.0)
_KEPT = 4096
_kept: OrderedDict[tuple[int, int], tuple[Server, Catalogue, PowerDraw]] = OrderedDict()
_kept_checks: OrderedDict[tuple[int, int], tuple[Server, Catalogue, tuple[PowerCheck, ...]]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class PowerCheck:
    """One limit against one load, plain numbers. ``load_share`` is load over limit.

    ``site``: nameplate against the limit of the place; ``breaker``: continuous load against 80 % of it;
    ``psu``: parts with the supply factor against the supplies; ``gpu_budget``: cards against what the chassis
    gives them; ``transient``: short peaks of the cards, on top of everything else, against the supplies; only where
    a card is known to have peaks above its limit.
    """

    subject_id: str
    kind: Literal["site", "breaker", "psu", "gpu_budget", "transient"]
    load_w: float
    limit_w: float
    assumed: bool = False
    """The limit is the catalogue's guess of a machine that stands there already, or the watts of a card are a guess:
    something to look up, never a reason to refuse."""

    @property
    def load_share(self) -> float:
        """Load over limit."""
        return self.load_w / self.limit_w

    @property
    def ok(self) -> bool:
        """Within the limit."""
        return self.load_w <= self.limit_w

    @property
    def at_limit(self) -> bool:
        """Within the limit and with nothing left of it."""
        return self.ok and self.load_share >= AT_LIMIT_SHARE


def power_draw(plan: Plan, catalogue: Catalogue) -> tuple[PowerDraw, ...]:
    """Every server, every site, and "plan" for the total; in the order of the plan."""
    found: list[PowerDraw] = []
    of_sites: list[PowerDraw] = []
    for site in plan.sites:
        servers = [server_power(server, catalogue) for server in site.servers]
        found += servers
        of_sites.append(_sum(site.id, [*servers, *_switches(site, catalogue)]))
    return (*found, *of_sites, _sum("plan", of_sites))


def server_power(server: Server, catalogue: Catalogue) -> PowerDraw:
    """One machine with its cards."""
    key = (id(server), id(catalogue))
    kept = _kept.get(key)
    if kept is not None and kept[0] is server and kept[1] is catalogue:
        return kept[2]
    draw = _server(server, catalogue)
    _kept[key] = (server, catalogue, draw)
    if len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return draw


def _server(server: Server, catalogue: Catalogue) -> PowerDraw:
    chassis = catalogue.servers.get(server.chassis)
    idle: list[Three] = []
    loaded: list[Three] = []
    busy: list[Three] = []
    peak = 0.0
    if chassis is not None:
        held = host_part(server, chassis)
        host_idle = (held * chassis.idle_w.low, held * chassis.idle_w.value, held * chassis.idle_w.high)
        host_busy = (held * chassis.busy_w.low, held * chassis.busy_w.value, held * chassis.busy_w.high)
        idle.append(host_idle)
        busy.append(host_busy)
        # A whole box waits with a model in memory between its idle and its least busy figure.
        whole = chassis.power_includes_gpus
        loaded.append(ordered(host_idle[1], host_idle[2], max(host_idle[2], host_busy[0])) if whole else host_idle)
        peak += max(host_busy[2], chassis.psu_w if whole else 0.0)
    whole_box = chassis is not None and chassis.power_includes_gpus
    for slot in server.slots:
        if slot.gpu is None or whole_box:
            continue
        record = catalogue.gpus.get(slot.gpu.gpu)
        if record is None:
            continue
        idle.append((record.idle_w.low, record.idle_w.value, record.idle_w.high))
        loaded.append(loaded_idle_w(record, slot.gpu))
        busy.append(busy_w(record, slot.gpu))
        peak += limit_w(record, slot.gpu)
    parts = [catalogue.parts[nic.part] for nic in server.nics if nic.part is not None and nic.part in catalogue.parts]
    for part in parts:
        for each in (idle, loaded, busy):
            each.append(_part(part))
        peak += part.power_high_w
    return PowerDraw(server.id, _estimate(idle), _estimate(loaded), _estimate(busy), peak)


def host_part(server: Server, chassis: ServerRecord) -> float:
    """Share of a module server's own watts that its cards account for.

    A board of eight modules is never sold with one: who has one to three of them has a part of such a machine, hired or
    shared, and is charged for the cards, not for the whole host.
    """
    filled = sum(slot.gpu is not None for slot in server.slots)
    modules = any(group.for_gpus and group.form in MODULE_FORMS for group in chassis.slot_groups)
    if chassis.power_includes_gpus or not modules or not 0 < filled < chassis.max_gpus:
        return 1.0
    return filled / chassis.max_gpus


def limit_w(record: GpuRecord, gpu: Gpu) -> float:
    """Power limit of the card: the owner's cap, else the default of the catalogue."""
    return gpu.power_limit_w if gpu.power_limit_w is not None else record.power_w.value


def busy_w(record: GpuRecord, gpu: Gpu) -> Three:
    """A working card. A cap well below the default is what the card then draws."""
    limit = limit_w(record, gpu)
    low, expected, high = (share * limit for share in BUSY_SHARE_OF_LIMIT)
    natural = BUSY_SHARE_OF_LIMIT[1] * record.power_w.value
    return (low, min(limit, max(expected, natural)), high)


def loaded_idle_w(record: GpuRecord, gpu: Gpu) -> Three:
    """A card that waits with a model in memory."""
    band = LOADED_IDLE_W["datacenter" if record.segment == "datacenter" else "other"]
    most = LOADED_IDLE_MOST * limit_w(record, gpu)
    own = (record.idle_w.low, record.idle_w.value, record.idle_w.high)
    low, expected, high = (max(mine, min(theirs, most)) for mine, theirs in zip(own, band, strict=True))
    return ordered(low, expected, high)


def _part(part: NetworkPart) -> Three:
    return (part.power_low_w, (part.power_low_w + part.power_high_w) / 2.0, part.power_high_w)


def _switches(site: Site, catalogue: Catalogue) -> list[PowerDraw]:
    draws = []
    for switch in site.switches:
        part = catalogue.parts.get(switch.part) if switch.part is not None else None
        if part is not None:
            watts = _estimate([_part(part)])
            draws.append(PowerDraw(switch.id, watts, watts, watts, part.power_high_w))
    return draws


def ordered(low: float, expected: float, high: float) -> Three:
    """The three figures in rising order."""
    first, second, third = sorted((low, expected, high))
    return (first, second, third)


def _estimate(parts: Iterable[Three]) -> Estimate:
    low, expected, high = _NOTHING
    for part in parts:
        low, expected, high = low + part[0], expected + part[1], high + part[2]
    return Estimate(low, expected, high, "W", "calculated")


def _sum(subject: str, draws: list[PowerDraw]) -> PowerDraw:
    def added(values: list[Estimate]) -> Estimate:
        return Estimate(
            sum(each.low for each in values),
            sum(each.expected for each in values),
            sum(each.high for each in values),
            "W",
            "calculated",
        )

    return PowerDraw(
        subject,
        added([draw.idle_w for draw in draws]),
        added([draw.loaded_idle_w for draw in draws]),
        added([draw.busy_w for draw in draws]),
        sum(draw.peak_w for draw in draws),
    )


def power_checks(plan: Plan, catalogue: Catalogue) -> tuple[PowerCheck, ...]:
    """Every limit that is known, against its load."""
    draws = {draw.subject_id: draw for draw in power_draw(plan, catalogue)}
    checks: list[PowerCheck] = []
    for site in plan.sites:
        if site.power_limit_w is not None:
            draw = draws[site.id]
            vague = any(guessed(*card) for server in site.servers for card in cards_of(server, catalogue))
            lasting = CONTINUOUS_SHARE * site.power_limit_w
            checks.append(PowerCheck(site.id, "site", draw.peak_w, site.power_limit_w, vague))
            checks.append(PowerCheck(site.id, "breaker", draw.busy_w.high, lasting, vague))
        for server in site.servers:
            checks += _server_checks(server, catalogue)
    return tuple(checks)


def _server_checks(server: Server, catalogue: Catalogue) -> tuple[PowerCheck, ...]:
    key = (id(server), id(catalogue))
    kept = _kept_checks.get(key)
    if kept is not None and kept[0] is server and kept[1] is catalogue:
        return kept[2]
    checks = tuple(_checked(server, catalogue))
    _kept_checks[key] = (server, catalogue, checks)
    if len(_kept_checks) > _KEPT:
        _kept_checks.popitem(last=False)
    return checks


def _checked(server: Server, catalogue: Catalogue) -> list[PowerCheck]:
    chassis = catalogue.servers.get(server.chassis)
    if chassis is None or chassis.power_includes_gpus:
        return []
    cards = cards_of(server, catalogue)
    limits = sum(limit_w(record, gpu) for record, gpu in cards)
    supplies = server.psu_w or chassis.psu_w
    budget = server.max_gpu_power_w or chassis.max_gpu_power_w
    vague = any(guessed(record, gpu) for record, gpu in cards)
    checks = []
    if budget:
        unsaid = server.owned and server.max_gpu_power_w is None
        checks.append(PowerCheck(server.id, "gpu_budget", limits, budget, vague or unsaid))
    if supplies:
        # A machine to be bought has the supply of its data sheet; what stands there already has what it has.
        unsaid = server.owned and server.psu_w is None
        # The most the machine takes for long: the same figure as its nameplate row, so short peaks are never below it.
        steady = server_power(server, catalogue).peak_w
        checks.append(PowerCheck(server.id, "psu", SUPPLY_FACTOR * steady, supplies, vague or unsaid))
        above = sum(max(0.0, _transient(record, gpu) - limit_w(record, gpu)) for record, gpu in cards)
        if above > 0:
            checks.append(PowerCheck(server.id, "transient", steady + above, supplies, vague or unsaid))
    return checks


def cards_of(server: Server, catalogue: Catalogue) -> list[tuple[GpuRecord, Gpu]]:
    """The cards of a server that the catalogue knows."""
    return [
        (catalogue.gpus[slot.gpu.gpu], slot.gpu)
        for slot in server.slots
        if slot.gpu is not None and slot.gpu.gpu in catalogue.gpus
    ]


def guessed(record: GpuRecord, gpu: Gpu) -> bool:
    """The watts of the card are neither capped by the owner nor taken from a data sheet."""
    return gpu.power_limit_w is None and record.power_w.confidence == "low"


def step_peak_w(server: Server, catalogue: Catalogue) -> tuple[float, float]:
    """Short peak of all cards of a server together when they compute in step, low and high."""
    whole = sum(limit_w(record, gpu) for record, gpu in cards_of(server, catalogue))
    return STEP_PEAK[0] * whole, STEP_PEAK[1] * whole


def cap_effect(share: float) -> tuple[float, float]:
    """Share of the writing and of the prompt speed that is left with a cap at that share of the limit."""
    curve = CAP_CURVE
    if share <= curve[0][0]:
        return curve[0][1], curve[0][2]
    for (low, write_low, read_low), (high, write_high, read_high) in pairwise(curve):
        if share <= high:
            part = (share - low) / (high - low)
            return write_low + part * (write_high - write_low), read_low + part * (read_high - read_low)
    return 1.0, 1.0


def circuit_w(volts: float, amperes: float) -> float:
    """What a circuit carries for long: 80 % of volts times amperes."""
    return CONTINUOUS_SHARE * volts * amperes


def _transient(record: GpuRecord, gpu: Gpu) -> float:
    """Short peak of the card; a cap lowers it in proportion."""
    if record.transient_peak_w is None:
        return 0.0
    return record.transient_peak_w.value * limit_w(record, gpu) / record.power_w.value
