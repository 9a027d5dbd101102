"""Words on boxes and connections: figures of a link, who uses it, names of kinds. Short, in the reader's language."""

from __future__ import annotations

from configurator.diagram.placement import Member, Use
from configurator.plan.model import Site
from configurator.scaling.graph import Edge
from configurator.wording import Wording

GAP = " · "


def rate(edge: Edge, wording: Wording) -> str:
    """Such as "54 GB/s", for the internet "500 Mbit/s"; "≈" stands before an assumed figure."""
    internet = edge.kind == "internet"
    said = (
        wording.bit_rate(edge.bandwidth_bytes_per_s * 8) if internet else wording.bandwidth(edge.bandwidth_bytes_per_s)
    )
    return said if edge.known else f"≈ {said}"


def figures(edge: Edge, wording: Wording, *, slowest: bool = False) -> str:
    """Such as "54 GB/s · 0.4 µs", with words in front when it is assumed or sets the pace."""
    parts = [rate(edge, wording), wording.duration(edge.latency_s)]
    if not edge.known:
        parts.insert(0, wording.gettext("not known"))
    if slowest:
        parts.insert(0, wording.gettext("sets the pace"))
    return GAP.join(parts)


def place_said(site: Site, wording: Wording) -> str:
    """What kind of place a site is; "" where its name says so already."""
    kind = wording.word("site." + site.kind)
    return "" if site.name.strip().casefold() == kind.casefold() else kind


def kind_name(kind: str, wording: Wording) -> str:
    """What a class of connection is called in the legend."""
    _ = wording.gettext
    return {
        "pcie": "PCIe",
        "sockets": _("between sockets"),
        "nvlink": "NVLink",
        "network": _("network"),
        "internet": _("internet"),
        "unknown": _("not known"),
        "load": _("model files"),
        "flow": _("questions and answers"),
    }.get(kind, kind)


def link_name(edge: Edge, wording: Wording) -> str:
    """Heading of a connection on hover."""
    name = kind_name(edge.kind, wording)
    return name[:1].upper() + name[1:]


def link_facts(edge: Edge, uses: tuple[Use, ...], wording: Wording, *, bottleneck: bool) -> tuple[str, ...]:
    """Bandwidth, latency, whether it is known, its source and who uses it: lines of the hover card."""
    _ = wording.gettext
    shared = edge.capacity_bytes_per_s
    facts = [_("{rate} in each direction").format(rate=rate(edge, wording))]
    if shared > edge.bandwidth_bytes_per_s * 1.01:
        facts.append(_("{rate} for all transfers together").format(rate=wording.bandwidth(shared)))
    facts.append(_("{time} delay").format(time=wording.duration(edge.latency_s)))
    facts.append(
        _("Source: {source}").format(source=_(edge.source)) if edge.known else _("Not known: figures are assumed")
    )
    if edge.kind in {"network", "unknown"} and edge.known:
        facts.append(_("RDMA: yes") if edge.rdma else _("RDMA: no"))
    facts.append(used_by(uses, wording))
    if bottleneck:
        facts.append(_("Sets the pace of the answers: for what has to cross it, it lets the least through"))
    return tuple(facts)


def used_by(uses: tuple[Use, ...], wording: Wording) -> str:
    """Which copies send what over a connection."""
    _ = wording.gettext
    if not uses:
        return _("Not used by the chosen layout")
    said: list[str] = []
    for how, sentence in (
        ("tensor", _("Used by the cards of {copies} at every word")),
        ("pipeline", _("Used between the stages of {copies}")),
    ):
        copies = [use.copy for use in uses if use.how == how]
        if copies:
            shown = ", ".join(copy_name(each, wording) for each in copies[:3]) + ("…" if len(copies) > 3 else "")
            said.append(sentence.format(copies=shown))
    return "; ".join(said)


def copy_name(number: int, wording: Wording) -> str:
    """ "copy 1" for number 0."""
    return wording.gettext("copy {n}").format(n=number + 1)


def group_name(member: Member, copies: int, wording: Wording) -> str:
    """ "copy 1 · 4 cards work as one", "stage 2 of 2 · tensor group of 8"."""
    return group_names(member, copies, wording)[0]


def group_names(member: Member, copies: int, wording: Wording) -> tuple[str, ...]:
    """The name of a card's group, then shorter ones for narrow places."""
    _ = wording.gettext
    parts: list[str] = []
    if copies > 1:
        parts.append(copy_name(member.copy, wording))
    if member.stages > 1:
        parts.append(_("stage {n} of {stages}").format(n=member.stage + 1, stages=member.stages))
    short = GAP.join(parts)
    if member.group_size > 1:
        size = _("group of {n}").format(n=member.group_size)
        long = _("tensor group of {n}") if wording.audience == "operator" else _("{n} cards work as one")
        parts.append(long.format(n=member.group_size))
        return GAP.join(parts), short or size, *([copy_name(member.copy, wording)] if copies > 1 else [])
    if parts:
        return short, copy_name(member.copy, wording) if copies > 1 else short
    return _("the whole model on one card"), _("whole model")
