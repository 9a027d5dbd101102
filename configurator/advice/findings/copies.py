"""Independent copies and what breaks: weights, router, places, probes, availability (R04, R15, R70, R75)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.findings.standby import homes, one_person, running_copies, up_share
from configurator.advice.results import Finding
from configurator.advice.shape import Card
from configurator.advice.situation import Situation, at_least, cards_of
from configurator.plan.model import Server

DAYS = 365.0
SHARED_LIMIT = 0.9999
"""Above this what all copies share (power, network, the address in front) decides, not the servers."""
HELD_SHARE = 0.9
USUAL_CONTEXT = 8192
EQUAL = 1.05
"""Copies whose rates differ by less are equally fast."""


def unequal(s: Situation) -> Iterator[Finding]:
    """R04: each copy its own rate and weight; equal routing waits for the slowest."""
    if s.chosen is None or not running_copies(s) or s.spans or one_person(s):
        return
    groups = [tuple(sorted(s.shape.by_id[g].record.id for g in cards_of(one))) for one in s.chosen.instances]
    rates = [_bandwidth(s, group) for group in groups]
    total, slowest = sum(rates), min(rates)
    strangers = any(not s.shape.by_id[g].record.memory_known for g in s.used_cards)
    if len(set(groups)) < 2 or (max(rates) < EQUAL * slowest and not strangers):
        return
    context = s.workload.context_tokens or s.workload.max_context_tokens or USUAL_CONTEXT
    yield say(
        "copies.unequal.unknown" if strangers else "copies.unequal.weights",
        STEP,
        tuple(server.id for server, _ in s.shape.boxes),
        do("copies.weights"),
        rule="R04",
        need_gb=round((s.work.weights_bytes + context * s.work.kv_bytes_per_token) / 1e9, 1),
        context_tokens=context,
        copies=len(groups),
        shares=tuple(f"{rate / total:.0%}" for rate in rates),
        equal_share=slowest * len(rates) / total,
    )


def joined(s: Situation) -> Iterator[Finding]:
    """Unlike hosts that each hold the model: a chain for one person against the faster one and against all apart."""
    boxes = s.shape.boxes
    if s.model is None or s.training or len(boxes) < 2 or len(s.shape.site_ids) > 1 or s.alone is None or s.spans:
        return
    records = [cards[0].record for _, cards in boxes]
    held = all(each.memory_known and HELD_SHARE * each.memory_usable_bytes > s.work.weights_bytes for each in records)
    bands = [each.memory_bandwidth.value for each in records]
    if any(len(cards) != 1 for _, cards in boxes) or not held or max(bands) < EQUAL * min(bands):
        return
    used = [s.shape.by_id[each].record.memory_bandwidth.value for each in s.copy_cards if each in s.shape.by_id]
    per_band = s.alone.output_tokens_per_s_per_user.expected / max(sum(used), 1.0)
    rates = [band * per_band for band in bands]
    memory = sum(each.memory_usable_bytes for each in records)
    times = (each.memory_usable_bytes / memory / rate for each, rate in zip(records, rates, strict=True))
    yield say(
        "copies.joined.alone",
        NOTE,
        tuple(server.id for server, _ in boxes),
        rule="R37",
        joined_tokens_per_s=1 / sum(times),
        fast_tokens_per_s=max(rates),
        sum_tokens_per_s=sum(rates),
    )


def without_cards(s: Situation) -> Iterator[Finding]:
    """Machines of the plan in which no card stands, beside others that have some."""
    bare = [server.id for site in s.facts.plan.sites for server in site.servers if not _holds_card(server)]
    if bare and s.shape.cards and s.facts.plan.failed_ids == () and not s.training:
        yield say("node.no_card.beside", NOTE, tuple(bare), rule="R05", basis="measured", bare_count=len(bare))


def _holds_card(server: Server) -> bool:
    return any(slot.gpu is not None for slot in server.slots)


def _bandwidth(s: Situation, records: tuple[str, ...]) -> float:
    return sum(s.catalogue.gpus[each].memory_bandwidth.value for each in records)


def router(s: Situation) -> Iterator[Finding]:
    """Routing decides: affinity for shared beginnings, an escape when a copy is full."""
    if not _copies_make_sense(s):
        return
    yield say("copies.router.policy", NOTE, (s.workload.id,), do("copies.router"), rule="R47", basis="measured")
    yield say("copies.router.prefix", NOTE, (s.workload.id,), rule="R47", basis="measured")
    yield say("copies.lost.streams", NOTE, (s.workload.id,), rule="R15", basis="measured")


def _copies_make_sense(s: Situation) -> bool:
    if s.training:
        return False
    if s.copies <= 1 and s.model is not None and s.workload.users == 1:
        # One person asks one copy.
        return False
    return s.copies > 1 or (
        len(s.shape.cards) > 1 and (s.model is None or (0 < s.cards_needed * 2 <= len(s.shape.cards)))
    )


def places(s: Situation) -> Iterator[Finding]:
    """Copies in one server fall together."""
    if s.workload.must_survive in ("server", "site"):
        wide = s.workload.must_survive == "site"
        groups = s.shape.site_ids if wide else tuple(server.id for server, _ in s.shape.boxes)
        stand = (
            {(s.shape.sites_of if wide else s.shape.servers_of)(cards_of(one)) for one in s.chosen.instances}
            if s.chosen and at_least(s.fit, "starts")
            else set()
        )
        homes_needed = len(s.copy_servers)
        if len(groups) < 2 or (stand and len(stand) < 2):
            yield say(
                "failure.survive.alone" if s.copies == 1 and homes_needed > 1 else "failure.survive.no",
                STEP,
                groups,
                do("failure.survive"),
                rule="R15",
                wish_code=f"survive.{s.workload.must_survive}",
                servers=homes_needed,
            )
    if running_copies(s):
        # In the order of the copies, so that the same plan is told in the same bytes.
        apart = homes(s)
        boxes = dict.fromkeys(each for home in apart for each in home)
        together = max(sum(each in home for home in apart) for each in boxes)
        if together > 1:
            alone = len(s.shape.boxes) == 1
            kind = "only" if alone else "copies" if together == s.copies else "some"
            yield say(
                f"failure.same_box.{kind}",
                NOTE,
                tuple(boxes),
                None if alone else do("failure.spread"),
                rule="R16",
                basis="measured",
                copies=s.copies,
                servers=len(boxes),
                lost_copies=together,
            )


def domain(s: Situation) -> Iterator[Finding]:
    """R15, R16: which cards an answer needs; a lost card ends the copy."""
    if s.chosen is None or s.model is None or not at_least(s.fit, "starts"):
        wide = len(s.shape.boxes) > 1 or len(s.shape.cards) > 8
        if wide and s.shape.cards:
            yield say(
                "failure.domain.general", NOTE, (s.workload.id,), do("failure.copies"), rule="R15", basis="measured"
            )
        return
    cards = len(s.copy_cards)
    if s.training:
        if len(s.used_cards) > 1:
            yield say(
                "failure.domain.training",
                NOTE,
                (s.workload.id,),
                do("failure.checkpoints"),
                rule="R15",
                basis="measured",
                gpus=len(s.used_cards),
            )
        return
    if cards > 1:
        alone = "failure.domain.spare" if 0 < s.cards_needed < cards else "failure.domain.single"
        yield say(
            "failure.domain.copy" if s.copies > 1 else alone,
            STEP if s.spans else NOTE,
            s.copy_cards,
            do("failure.copies") if s.spans else None,
            rule="R15",
            basis="measured",
            gpus=cards,
            servers=len(s.copy_servers),
            copies=s.copies,
            left_share=1 - 1 / s.copies if s.copies else 0.0,
        )
    yield from _availability(s)


def _availability(s: Situation) -> Iterator[Finding]:
    """a^k for a copy over k servers, 1-(1-a^k)^n for n copies that stand apart; counted by servers, not by copies."""
    nodes = max(len(s.copy_servers), 1)
    up = up_share(s)
    joined = up**nodes
    apart = len(set(homes(s)))
    if nodes > 1:
        yield say(
            "failure.availability.chain",
            NOTE,
            s.copy_servers,
            rule="R70",
            basis="assumed",
            server_percent=round(100 * up, 2),
            servers=nodes,
            joined_percent=round(100 * joined, 1),
            joined_days=round((1 - joined) * DAYS, 1),
        )
    if s.copies > 1 and apart > 1 and not one_person(s):
        share = 1 - (1 - joined) ** apart
        yield say(
            "failure.availability.copies" if share < SHARED_LIMIT else "failure.availability.many",
            NOTE,
            (s.workload.id,),
            rule="R70",
            basis="assumed",
            server_percent=round(100 * up, 2),
            copies=s.copies,
            servers=len({each for home in homes(s) for each in home}),
            copies_share=min(share, SHARED_LIMIT),
        )


def detection(s: Situation) -> Iterator[Finding]:
    """Engines do not see every hang: a probe with a real prompt and a restart rule."""
    distributed = len(s.copy_cards) > 1
    survive = s.workload.must_survive != "nothing"
    if not s.shape.cards or s.training or not (distributed or survive or len(s.shape.boxes) > 1):
        return
    yield say(
        "failure.probe.prompt",
        STEP if s.spans or survive else NOTE,
        (s.workload.id,),
        do("failure.probe"),
        rule="R75",
        basis="measured",
    )
    open_shape = s.model is None and len(s.shape.boxes) > 1 and len(s.shape.site_ids) == 1
    if s.spans or open_shape:
        yield say(
            "failure.recovery.restart" if s.spans else "failure.recovery.if_joined",
            STEP if s.spans else NOTE,
            (s.workload.id,),
            do("failure.recovery"),
            rule="R75",
            basis="measured",
            servers=len(s.copy_servers) if s.spans else len(s.shape.boxes),
        )
    effects = [each for each in s.work.failures if each.stops and each.recovery_s is not None]
    servers = [each for each in effects if each.note.get("object_kind") == "server"] or effects
    worst = max(servers, key=lambda each: each.recovery_s.high if each.recovery_s else 0.0, default=None)
    if worst is not None:
        yield say(
            "failure.recovery.time" if worst.requests_lost is None else "failure.recovery.lost",
            NOTE,
            (worst.object_id,),
            rule="R15",
            basis="calculated",
            object_id=worst.object_id,
            recovery_s=worst.recovery_s,
            lost_requests=worst.requests_lost,
        )


def failure_kind(card: Card) -> str:
    """Key of the catalogue's yearly failure rates for a card."""
    if card.record.form in ("sxm", "oam"):
        return "SXM/OAM accelerator under training load"
    if card.record.segment == "consumer":
        return "consumer card used" if card.gpu.owned else "consumer card new"
    return "workstation card" if card.record.segment == "workstation" else "data-centre PCIe card"


def rates(s: Situation) -> Iterator[Finding]:
    """R70: how often cards fail in a year, with the source."""
    facts = [s.catalogue.annual_failure_rates.get(failure_kind(card)) for card in s.shape.cards]
    known = [fact for fact in facts if fact is not None]
    if not known:
        return
    yield say(
        "failure.rate.cards",
        NOTE,
        (s.workload.id,),
        rule="R70",
        basis="measured",
        cards=len(known),
        low_count=sum(fact.low for fact in known),
        high_count=sum(fact.high for fact in known),
        source=known[0].sources[0] if known[0].sources else "",
    )


def acceptance(s: Situation) -> Iterator[Finding]:
    """What the pilot checks before the machine is accepted: memory, error log, and what the cards really exchange."""
    if not s.shape.cards:
        return
    several = len(s.shape.cards) > 1
    servers = tuple(server.id for server, _ in s.shape.boxes)
    if s.shape.maker == "nvidia":
        yield say(
            "pilot.accept.cards" if several else "pilot.accept.card",
            NOTE,
            servers,
            do("pilot.cards") if several else do("pilot.card"),
            rule="R13",
            basis="measured",
        )
    elif s.shape.maker == "amd":
        yield say("pilot.accept.amd", NOTE, servers, do("pilot.amd"), rule="R13", basis="measured")
    else:
        yield say("pilot.accept.other", NOTE, servers, do("pilot.other"), rule="R13", basis="measured")
