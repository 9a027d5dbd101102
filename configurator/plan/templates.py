"""Examples to start from, built by the same edits as the window uses. Also the plans that tests work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from configurator.catalogue import Catalogue
from configurator.plan.edits import add_gpus, add_server, add_site, add_workload, connect, rebuilt, update
from configurator.plan.index import find, gpus, servers
from configurator.plan.model import Plan, Project, SiteKind
from configurator.plan.projects import edit_plan, new_project

PRO_6000 = "nvidia-rtx-pro-6000-blackwell-server"
MAX_Q = "nvidia-rtx-pro-6000-blackwell-maxq"
EIGHT_SLOTS = "generic-4u5u-8gpu-switch"


@dataclass(frozen=True, slots=True)
class Template:
    """``title`` and ``line`` are message ids for gettext; ``build`` makes the project."""

    id: str
    title: str
    line: str
    build: Callable[[Catalogue], Project]


def _room(
    plan: Plan, catalogue: Catalogue, kind: SiteKind, name: str, *boxes: tuple[str, str, str, int]
) -> tuple[Plan, str, list[str]]:
    """A site with boxes (chassis, name, gpu, count); returns the plan, the site id and the server ids."""
    plan, site_id = add_site(plan, kind, name)
    made = []
    for chassis, server_name, gpu, count in boxes:
        plan, server_id = add_server(plan, catalogue, site_id, chassis, server_name)
        if gpu:
            plan, _ = add_gpus(plan, catalogue, gpu, server_id, count)
        made.append(server_id)
    return plan, site_id, made


def _owned(plan: Plan) -> Plan:
    """The same plan of machines that are there already."""
    for _, server in servers(plan):
        plan = update(plan, server.id, owned=True)
    for _, _, _, card in gpus(plan):
        plan = update(plan, card.id, owned=True)
    return plan


def one_node(catalogue: Catalogue) -> Project:
    """One 8-GPU node in a server room serves a 70B model to 32 people."""
    plan, site_id, _ = _room(
        Plan(id="plan-1", name="One 8-GPU node"),
        catalogue,
        "server_room",
        "Server room, Bratislava",
        (EIGHT_SLOTS, "node-1", PRO_6000, 8),
    )
    plan = update(plan, site_id, power_limit_w=11_000.0, tariff_per_kwh=0.19, pue=1.3)
    plan, _ = add_workload(
        plan,
        "Office assistant",
        model="llama-3.3-70b",
        weights="fp8",
        users=32,
        context_tokens=8192,
        input_tokens=2048,
        output_tokens=512,
        goal="many_answers",
    )
    return _project(
        plan, "Office assistant", "Can 32 colleagues use a 70-billion model at the same time on our own hardware?"
    )


def two_nodes(catalogue: Catalogue) -> Project:
    """Two 4-GPU nodes against one 8-GPU node."""
    plan, site_id, boxes = _room(
        Plan(id="plan-1", name="Two 4-GPU nodes"),
        catalogue,
        "office",
        "Office, Žilina",
        ("dell-r760xa-4gpu", "node-1", MAX_Q, 4),
        ("dell-r760xa-4gpu", "node-2", MAX_Q, 4),
    )
    plan = update(plan, site_id, power_limit_w=11_000.0)
    plan, _ = connect(plan, boxes[0], boxes[1], "eth-25g")
    plan, _ = add_workload(
        plan,
        "Company model",
        model="llama-3.1-405b",
        weights="fp8",
        users=16,
        context_tokens=8192,
        input_tokens=2048,
        output_tokens=512,
    )
    return _project(
        plan, "Two boxes or one", "Should we buy two 4-GPU servers so that we can grow, or one 8-GPU server?"
    )


def two_homes(catalogue: Catalogue) -> Project:
    """One 24 GB card in each of two homes, and a 70B model."""
    plan = Plan(id="plan-1", name="Two homes")
    plan, first, _ = _room(plan, catalogue, "home", "Home, Košice", ("desktop-1gpu", "desktop", "nvidia-rtx-3090", 1))
    plan, second, _ = _room(plan, catalogue, "home", "Home, Nitra", ("desktop-1gpu", "tower", "nvidia-rtx-4090", 1))
    plan, _ = connect(plan, first, second, "internet")
    plan, _ = add_workload(
        plan,
        "Chat for two",
        model="llama-3.3-70b",
        weights="awq-int4",
        users=2,
        context_tokens=8192,
        input_tokens=1024,
        output_tokens=512,
    )
    return _project(
        _owned(plan), "Two homes, one model", "We have one 24 GB card each. Can we run a 70B model together?"
    )


def mixed_cards(catalogue: Catalogue) -> Project:
    """Unequal cards in one workstation; how they are wired is not known."""
    plan, _, boxes = _room(
        Plan(id="plan-1", name="What I have"),
        catalogue,
        "home",
        "Workshop",
        ("workstation-wrx90", "workstation", "nvidia-rtx-5090", 1),
    )
    for gpu, count in (("nvidia-rtx-4090", 1), ("nvidia-rtx-3090", 2)):
        plan, _ = add_gpus(plan, catalogue, gpu, boxes[0], count)
    plan = update(plan, boxes[0], topology_known=False)
    plan, _ = add_workload(
        plan,
        "Coding help",
        model="qwen2.5-32b",
        weights="awq-int4",
        users=4,
        context_tokens=16384,
        input_tokens=4096,
        output_tokens=512,
        goal="one_fast_answer",
    )
    return _project(_owned(plan), "Mixed cards", "One 5090, one 4090, two 3090: what is the best use of them?")


def sparks(catalogue: Catalogue) -> Project:
    """Two DGX Sparks joined by one cable."""
    plan, _, boxes = _room(
        Plan(id="plan-1", name="Two Sparks"),
        catalogue,
        "office",
        "Desk",
        ("dgx-spark", "spark-1", "", 0),
        ("dgx-spark", "spark-2", "", 0),
    )
    for server_id in boxes:
        found = find(plan, server_id)
        if found is not None and found.server is not None and all(slot.gpu is None for slot in found.server.slots):
            plan, _ = add_gpus(plan, catalogue, "nvidia-gb10-dgx-spark", server_id)
    plan, _ = connect(plan, boxes[0], boxes[1], "eth-200g-roce")
    plan, _ = add_workload(
        plan,
        "Private assistant",
        model="gpt-oss-120b",
        weights="mxfp4",
        users=4,
        context_tokens=16384,
        input_tokens=2048,
        output_tokens=512,
        goal="one_fast_answer",
    )
    return _project(plan, "Two Sparks on a cable", "Do two Sparks together answer faster than one?")


def training(catalogue: Catalogue) -> Project:
    """Adapting a 70B model on one 8-GPU node."""
    plan, site_id, _ = _room(
        Plan(id="plan-1", name="One 8-GPU node"),
        catalogue,
        "server_room",
        "Server room",
        (EIGHT_SLOTS, "node-1", PRO_6000, 8),
    )
    plan = update(plan, site_id, power_limit_w=11_000.0)
    plan, _ = add_workload(
        plan,
        "Adapt to our documents",
        model="llama-3.1-70b",
        weights="bf16",
        task="lora",
        lora_rank=16,
        sequence_tokens=4096,
        micro_batch=1,
        training_tokens=200e6,
    )
    return _project(plan, "Adapt a model", "Is one 8-GPU server enough to adapt a 70B model to our documents?")


def _project(plan: Plan, title: str, question: str) -> Project:
    project = new_project(title)
    project = edit_plan(project, lambda _: plan)
    return rebuilt(project, question=question)


TEMPLATES: tuple[Template, ...] = (
    Template("one-node", "One 8-GPU node", "A 70B model for 32 people from one server.", one_node),
    Template("two-nodes", "Two 4-GPU nodes", "A 405B model, and whether two boxes replace one.", two_nodes),
    Template("two-homes", "Two home sites", "A 24 GB card in each; what runs, and what does not.", two_homes),
    Template("mixed-cards", "Mixed cards", "A 5090, a 4090 and two 3090 in one workstation.", mixed_cards),
    Template("sparks", "Two DGX Sparks", "Small boxes on a 200 Gb cable: together or apart?", sparks),
    Template("training", "Adapt a 70B model", "LoRA on one 8-GPU node.", training),
)
"""In the order of the start page."""
