"""Findings about connections, places, power, and the number of servers."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "finding.p2p.off.driver": Text(
        "The {card_gpu} cards cannot talk to each other directly: the ordinary driver has this switched off, so data"
        " goes through the main memory.",
        "{card_gpu}: no P2P with the stock driver; transfers bounce through host memory.",
    ),
    "do.p2p.off": Text(
        "Plan without direct exchange; measure real exchanges (all_reduce_perf), not the flag. Copies avoid the"
        " exchange altogether."
    ),
    "finding.p2p.check.iommu": Text(
        "The {card_gpu} cards can talk to each other directly, but only if BIOS and system let them: IOMMU and ACS"
        " settings redirect or hang this traffic, on professional cards too.",
        "{card_gpu}: P2P allowed, yet IOMMU/ACS in BIOS can redirect or hang peer traffic.",
    ),
    "do.p2p.check": Text(
        "Switch ACS off on the root ports and bridges (setpci, a kernel option, or the BIOS), check the IOMMU, and"
        " repeat a real exchange between the cards (p2pBandwidthLatencyTest, all_reduce_perf). Until then"
        " NCCL_P2P_DISABLE=1 works at reduced speed."
    ),
    "finding.p2p.nvlink.none": Text(
        "The {card_gpu} has no NVLink, and no bridge exists for it: these cards exchange data over PCIe only.",
        "{card_gpu}: no NVLink and no bridge; PCIe only.",
    ),
    "finding.slot.narrow.tensor": Text(
        "In a narrow slot (PCIe {generation}.0 x{lanes}, {slot_bytes_per_s}): {narrow_cards}. A split over cards"
        " feels this at every step and with every prompt; a chain of layers hands over only {token_bytes} per token.",
        "{narrow_cards} on PCIe {generation}.0 x{lanes} ({slot_bytes_per_s}): TP pays at every layer.",
    ),
    "finding.slot.narrow.layers": Text(
        "In a narrow slot (PCIe {generation}.0 x{lanes}, {slot_bytes_per_s}): {narrow_cards}. Lane width matters"
        " for a split (tensor parallel) and for loading; for layers in a chain hardly at all ({token_bytes} per"
        " token).",
        "{narrow_cards} on PCIe {generation}.0 x{lanes} ({slot_bytes_per_s}): matters for TP, load and offload, not for"
        " layer split.",
    ),
    "do.slot.narrow": Text("Move the card to a wider slot, or run layers in a chain or copies instead of a split."),
    "finding.slot.width.check": Text(
        "Whether each card really got its full slot width shows only under load: one card in a narrow slot halves the"
        " whole machine. Lane width matters for a split and for loading, not for layers in a chain.",
        "Check the negotiated link width of every card under load; it matters for TP and loading, not for layer split.",
    ),
    "do.slot.check": Text(
        "Run nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv under load, before"
        " buying anything new."
    ),
    "do.slot.check_other": Text(
        "Read the negotiated width (LnkSta in lspci -vv) under load, before buying anything new."
    ),
    "finding.unknown.wiring.server": Text(
        "How the {gpus} are wired is not known: one chassis or several, which slots, how many lanes. The results are"
        " provisional and shown as ranges.",
        "Topology of {gpus} unknown: one chassis? slots and lanes? NIC? Results provisional.",
    ),
    "finding.unknown.wiring.slots": Text(
        "In which slots the {gpus} stand, and with how many lanes, is not known. The results are ranges.",
        "Slots and lanes of {gpus} unknown; results are ranges.",
    ),
    "do.unknown.wiring": Text(
        "Ask: do all cards sit in one chassis, in which slots with how many lanes, and which network card is there?"
        " nvidia-smi topo -m and lspci -vv show it.",
    ),
    "do.unknown.wiring_other": Text(
        "Ask: do all cards sit in one chassis, in which slots with how many lanes, and which network card is there?"
        " lspci -vv shows it.",
    ),
    "finding.unknown.wiring.link": Text(
        "How fast this connection is, is not known. The results are provisional.",
        "Link kind unknown; results provisional.",
    ),
    "do.unknown.link": Text(
        "Measure the connection with iperf3 and ping; a home network (LAN) limits any split between machines."
    ),
    "finding.unknown.wiring.none": Text(
        "There is no connection between the {servers} in the plan. Without one they only run separate models: do not"
        " add up their memory.",
        "No link between the {servers}: separate models only; do not sum VRAM, no TP across.",
    ),
    "finding.fabric.tensor.across": Text(
        "The split (TP={tensor_count}) would cross {servers} over {bandwidth_bytes_per_s} with {latency_s} of delay at"
        " every layer: what limps inside a server crawls between servers.",
        "TP={tensor_count} across {servers} ({bandwidth_bytes_per_s}, {latency_s} one way): two collectives per layer.",
    ),
    "finding.fabric.tensor.open": Text(
        "The split (TP={tensor_count}) would cross {servers} at every layer, over a connection of unknown speed:"
        " what limps inside a server crawls between servers.",
        "TP={tensor_count} across {servers}, link unknown: two collectives per layer.",
    ),
    "finding.fabric.tensor.single": Text(
        "Each of the {servers} has one card, so there is nothing to split inside a server. A split crosses the network"
        " {exchanges} times per word, {latency_s} of delay each; a chain hands over {token_bytes} once.",
        "One GPU per node ({servers}): TP pays {exchanges} collectives per token at {latency_s}; PP hands over"
        " {token_bytes} once.",
    ),
    "do.fabric.compare": Text("Measure the split and the chain in the pilot, with your own number of people."),
    "do.fabric.inside": Text("Split inside each server and chain the servers (TP inside, PP across)."),
    "finding.fabric.tensor.worst": Text(
        "{servers} with one card each is the worst shape for one model; two servers with eight cards each give 20 to"
        " 30 tokens/s for the largest models in reports of others.",
        "{servers} with one GPU each: worst shape; two 8-GPU nodes give 20–30 tok/s for 671B in peer reports.",
    ),
    "do.fabric.bigger_box": Text("Put the cards into servers with eight slots before thinking of the network."),
    "finding.fabric.order.layouts": Text(
        "From best to worst: one server, then a chain between servers, then a split between servers.",
        "Order: single node > PP across > TP across.",
    ),
    "finding.fabric.order.single": Text(
        "One server holds the model. From best to worst: one server, then a chain between servers, then a split"
        " between servers. Spreading one model would only lose; more machines do not help one model.",
        "Order: single node > PP across > TP across; model fits one node, keep it local.",
    ),
    "finding.fabric.order.close": Text(
        "One server holds the model. Spread over the servers it would be {gain_factor} as fast here: too little for a"
        " second place of failure and a fast network. Where that speed is worth it, ask for that layout.",
        "Model fits one node. TP across would give {gain_factor}; below the efficiency floor per added node (R41).",
    ),
    "finding.fabric.lan.limit": Text(
        "The network between the {servers} (LAN, {bandwidth_bytes_per_s}) is the limit for a split of one model; more"
        " machines are not more speed.",
        "LAN at {bandwidth_bytes_per_s}: the limit for any TP across the {servers}.",
    ),
    "do.fabric.lan": Text("Keep each model on one machine; more machines carry more answers, not a faster one."),
    "finding.fabric.load.weights": Text(
        "Of {weights_bytes} of weights {crossing_bytes} cross this connection at each start: {load_about_s}.",
        "Weight load over the link: {crossing_bytes} of {weights_bytes}, {load_about_s}.",
    ),
    "do.fabric.local_copy": Text("Keep a copy of the weights on a disk in each server, and use 1 GbE or faster."),
    "finding.fabric.floor.slow": Text(
        "Your line runs at {line_bits_per_s} ({bandwidth_bytes_per_s}): too slow to split a model, however much memory"
        " there is.",
        "{line_bits_per_s} is under the floor for a distributed model.",
    ),
    "do.fabric.floor": Text("Use 1 GbE or better, best 10 GbE, or each machine on its own."),
    "finding.fabric.floor.short": Text(
        "Your line runs at {line_bits_per_s} ({bandwidth_bytes_per_s}), too slow to split a model; and a faster one"
        " alone does not help here, since the memory does not suffice either.",
        "{line_bits_per_s} is under the floor for a distributed model, and memory is short regardless of the link.",
    ),
    "do.fabric.floor_short": Text("First mend the memory; then 1 GbE or better, or all cards in one server."),
    "finding.fabric.purchase.early": Text(
        "A fast network is in the plan before the workload is chosen. It may never be needed.",
        "Fabric in the bill before the workload is chosen.",
    ),
    "finding.fabric.purchase.unused": Text(
        "The plan buys a fast network that this workload does not use: each copy stays inside one server.",
        "RDMA fabric bought, no instance spans nodes.",
    ),
    "do.fabric.not_yet": Text("Take the fast network out of the list; ordinary Ethernet is enough for copies."),
    "finding.fabric.purchase.wait": Text(
        "Buy no connection between cards or servers before the workload is chosen and measured.",
        "No interconnect in the bill before workload and decision.",
    ),
    "do.fabric.wait": Text(
        "Both branches: if all cards sit in one server, one model may use them together; if not, run one copy per"
        " server."
    ),
    "finding.fabric.sxm.scratch": Text(
        "On PCIe cards training from scratch at this size takes 2 to 3 times as long as on SXM boards.",
    ),
    "finding.fabric.sxm.tune": Text("On PCIe cards fine-tuning takes 1.2 to 1.4 times as long as on SXM boards."),
    "finding.fabric.efficiency.low": Text(
        "{nodes} with {gpus} would work at {efficiency_share} of their speed, under your floor of {floor_share}. It"
        " would take a network of {fabric_bytes_per_s}.",
        "Projected efficiency {efficiency_share} on {nodes}, {gpus}: floor {floor_share}; fabric needed"
        " {fabric_bytes_per_s}.",
    ),
    "finding.fabric.efficiency.none": Text(
        "{nodes} with {gpus} would work at {efficiency_share} of their speed, under your floor of {floor_share}: this"
        " connection is too slow for it.",
        "Projected efficiency {efficiency_share} on {nodes}, {gpus}: floor {floor_share}; fabric too slow.",
    ),
    "finding.fabric.efficiency.fine": Text(
        "{nodes} with {gpus} work at {efficiency_share} of their speed, above your floor of {floor_share}.",
        "Projected efficiency {efficiency_share} on {nodes}, {gpus}: floor {floor_share}.",
    ),
    "do.fabric.efficiency": Text(
        "Split inside each server and chain or copy between them, take one larger server, or SXM hardware."
    ),
    "finding.site.apart.model": Text(
        "One model over {places} places is not advised: each word would wait for the internet ({rtt_s} there and back"
        " beside about {step_s} of work: at best {ceiling_tokens_per_s}), a prompt of {prompt_tokens} takes {prompt_s}"
        " to send, and any lost line stops it.",
        "One instance over {places} sites: RTT {rtt_s} + step {step_s} caps at {ceiling_tokens_per_s}, prompt upload"
        " {prompt_s}, no recovery.",
    ),
    "finding.site.apart.open": Text(
        "One model over {places} places is not advised, whatever the model: a step of an engine takes about 20 ms, so"
        " tens of milliseconds on the internet leave the cards idle most of the time, and any lost line stops it.",
        "No instance over {places} sites: an engine step is about 20 ms, WAN hops idle the GPUs; no recovery.",
    ),
    "finding.site.apart.training": Text(
        "One training over {places} places is not advised: cards wait for the internet at every step, and any lost line"
        " stops it.",
        "No synchronous training over {places} sites.",
    ),
    "do.site.apart": Text(
        "Run an independent service per place with a model that fits the cards there, and route between them."
    ),
    "finding.site.apart.router": Text(
        "Between places use fully independent servers with a web router (HTTP) in front, not the engine's own"
        " distribution over the internet or a VPN.",
        "Across sites: independent servers and an HTTP router, not engine-internal DP over VPN.",
    ),
    "do.site.train": Text(
        "Train at one place; use the other for another job, or for a method that rarely synchronises."
    ),
    "do.site.router": Text("Put one address in front that sends each question to a place that is up."),
    "finding.power.over.site": Text(
        "At full load {object_id} draws {load_w}; this place has {limit_w}. The breaker would trip.",
        "{object_id}: peak {load_w} over the site limit {limit_w}.",
    ),
    "finding.power.over.breaker": Text(
        "Work draws {load_w} at {object_id} for hours; a breaker carries {limit_w} without pause.",
        "{object_id}: continuous {load_w} over 80 % of the breaker ({limit_w}).",
    ),
    "finding.power.over.psu": Text("{object_id} needs a supply for {load_w}; it has {limit_w}."),
    "finding.power.over.transient": Text(
        "Short peaks of the cards reach {load_w} in {object_id}; its supply gives {limit_w}.",
    ),
    "finding.power.over.gpu_budget": Text(
        "The cards in {object_id} draw {load_w}; the server feeds and cools {limit_w}.",
    ),
    "do.power.over": Text("Cap the cards' power, use a second circuit, or move a server."),
    "do.power.ask": Text("Ask for the breaker size and the electricity tariff."),
    "do.power.supply": Text("Cap the cards' power, take a larger supply, or the server edition of the card."),
    "finding.power.heat.room": Text(
        "The room ({place_code}) has to lose {heat_w} of heat ({btu} BTU/h) while the machine works.",
    ),
    "do.power.heat": Text("Plan air conditioning or a server room; power caps help most."),
    "finding.power.cooling.passive": Text("The {card_gpu} has no fan of its own and needs the wind of a server."),
    "do.power.passive": Text("Use a server chassis, or the workstation edition of the card."),
    "finding.nodes.several.r54": Text("Training a 70-billion model or larger from scratch: a case for several nodes."),
    "finding.nodes.several.r55": Text("Full fine-tuning of a 70-billion model or larger: a case for several nodes."),
    "finding.nodes.several.r56": Text(
        "A 405-billion model or larger with answers in production time: a case for several nodes, at least two boxes"
        " with eight cards (split inside, chained between them) unless one node holds it.",
        "405B+ at production latency: multi-node case; minimum two 8-GPU boxes, TP8 × PP2 or TP4 × PP4.",
    ),
    "finding.nodes.several.r57": Text(
        "Many tenants with more than 100 000 tokens per second in all: a case for many copies on many nodes.",
    ),
    "finding.nodes.one.r48": Text("The model fits with its conversations at the asked load: one node."),
    "finding.nodes.one.r49": Text(
        "One model, few users: one node; a second box is a spare or a second copy, nothing more."
    ),
    "finding.nodes.one.r50": Text("Work on models of 7 to 72 billion parameters never needs more than one node."),
    "finding.nodes.one.r51": Text("Adapters (LoRA, QLoRA) stay on one node."),
    "finding.nodes.one.r52": Text(
        "Overnight work: first compute the finish time against the deadline; more nodes only if it is missed, and then"
        " first ask whether the model is too large."
    ),
    "finding.nodes.more.throughput": Text(
        "More nodes here mean more answers at once, that is copies, not a larger or faster model.",
    ),
    "do.nodes.copies": Text("Treat each further node as one more copy."),
    "finding.nodes.prior.one": Text(
        "Rule of thumb: four of five owners are best with one larger node, most of the others want copies."
    ),
}
