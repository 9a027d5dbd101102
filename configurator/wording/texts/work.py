"""The work list of several servers, and the pilot."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "work.bmc": Text("A remote console per server: {nodes} to keep up to date and behind a lock."),
    "work.nic_tuning": Text("Settings of the network cards on {nodes}, kept the same."),
    "work.drivers": Text("One version of driver and engine on {nodes}, changed together."),
    "work.failure_domains": Text("{nodes} that may fail, each with its own way back."),
    "work.router": Text("A router in front: shares by speed, a way out when a copy is full, dead copies out at once."),
    "work.probe": Text("A test prompt with a time limit every 10 seconds, and a restart from outside."),
    "work.flow_control": Text("RoCE flow control on cards and switch."),
    "work.pfc": Text("Priority flow control (PFC) for the traffic class."),
    "work.ecn": Text("Congestion marks (ECN) end to end."),
    "work.jumbo": Text("Jumbo frames (MTU 9000) everywhere or nowhere."),
    "work.transport": Text("NCCL transport: the right cards, no fall-back to TCP (NCCL_IB_HCA, NCCL_DEBUG=INFO)."),
    "work.topology_file": Text("An NCCL topology file where the machine reports its wiring wrongly."),
    "work.ring_or_tree": Text("Ring or tree: measure both (NCCL_ALGO)."),
    "work.storage": Text("Shared storage (NFS, BeeGFS or Lustre) sized for loading and saving."),
    "work.storage_vlan": Text("A network of its own for storage (VLAN)."),
    "work.checkpoints": Text("Asynchronous sharded checkpoints (PyTorch DCP or NeMo), tested by a restart."),
    "work.dcgm": Text("DCGM on each server: temperature, errors, throttling."),
    "work.prometheus": Text("Prometheus over all servers, with one alarm that reaches a person."),
    "work.nccl_traces": Text("NCCL traces for slow steps."),
    "work.node_drop": Text("Drill: one server goes dark. Who notices, what restarts, how long?"),
    "work.nic_reset": Text("Drill: a network card resets in the middle of work."),
    "work.switch_port": Text("Drill: a switch port goes down."),
    "pilot.scenario.independent": Text("Cards on their own: independent copies"),
    "pilot.scenario.coordinated": Text("One coordinated run over several cards"),
    "pilot.step.inventory": Text("Inventory: serial numbers, wiring, slot width under load, memory errors, network."),
    "pilot.step.burn_in": Text("Burn-in at the planned power limit, with power measured at the plug."),
    "pilot.step.links": Text("Exchange between the cards, inside and between servers."),
    "pilot.step.single_card": Text("One card on its own as the base of all comparisons."),
    "pilot.step.scenarios": Text("Both scenarios over the agreed users and context lengths, three times each."),
    "pilot.step.soak": Text("24 to 72 hours under steady load."),
    "pilot.pass.inventory": Text("Every card has its full slot width under load."),
    "pilot.pass.burn_in": Text("No Xid message, no new remapped rows, no throttling, supplies under 80 %."),
    "pilot.pass.links": Text("Within 20 % of the figures in this proposal."),
    "pilot.pass.scenarios": Text("The limits below are met; differences under 5 % count as equal."),
    "pilot.pass.soak": Text("No restart, no errors that grow."),
    "pilot.pass.failure": Text("Recovery time and lost requests are written down and stay under the agreed limit."),
    "pilot.failure.worker": Text("Kill one worker process."),
    "pilot.failure.server": Text("Switch one server off."),
    "pilot.failure.network": Text("Delay and lose packets between the servers."),
    "pilot.failure.replica": Text("Stop one copy behind the router."),
    "pilot.limit.first_word": Text("First word within {limit_s} for 95 of 100 requests at {users}."),
    "pilot.limit.first_word_agreed": Text(
        "First word within {limit_s}, the agreed limit, for 95 of 100 requests at {users}."
    ),
    "pilot.limit.first_word_forecast": Text(
        "First word within {limit_s}, the late end of the forecast, for 95 of 100 requests at {users}."
    ),
    "pilot.limit.pace": Text("At least {limit_tokens_per_s} for each person."),
    "pilot.limit.pace_agreed": Text("At least {limit_tokens_per_s} for each person, the agreed limit."),
    "pilot.limit.pace_forecast": Text("At least {limit_tokens_per_s} for each person, the low end of the forecast."),
    "pilot.limit.errors": Text("At most {limit_share} of requests fail."),
    "pilot.limit.preemption": Text("No request is pushed back at {context_tokens}."),
    "pilot.limit.recovery": Text("Copies come back within {limit_s} without an engineer."),
    "pilot.limit.energy": Text("Electricity per million tokens within {limit_share} of the forecast."),
    "pilot.not_comparable": Text(
        "These runs cannot be compared: they differ in {differing}. Repeat one of them under the same conditions.",
    ),
}
