"""What sizing, scaling and operations say: reasons of layouts, effects of failures, assumptions."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    # Layouts that lost or cannot run.
    "layout.heads": Text(
        "A split over {tensor_parallel} cards does not divide the {heads} of this model; possible are"
        " {allowed_counts}.",
        "TP={tensor_parallel} does not divide {heads}; allowed {allowed_counts}.",
    ),
    "layout.kv_heads": Text(
        "A split over {tensor_parallel} cards does not go with the KV heads ({heads}); possible are {allowed_counts}.",
        "TP={tensor_parallel} incompatible with KV {heads}; allowed {allowed_counts}.",
    ),
    "layout.kv_copied": Text(
        "With only {kv_heads} in the cache each card of the {tensor_parallel} holds copies: the cache does not shrink"
        " further.",
        "KV replicates: {kv_heads} of KV under TP={tensor_parallel}.",
    ),
    "layout.kv_whole_on_each": Text(
        "Each of the {tensor_parallel} cards holds the whole cache of this model.",
        "Latent KV is whole on every rank of TP={tensor_parallel}.",
    ),
    "layout.quant_group": Text(
        "Weights in {format} come in groups of {group}; {width} does not divide over {tensor_parallel} cards.",
        "{format}: width {width} / TP {tensor_parallel} does not hold whole groups of {group}.",
    ),
    "layout.engine_card": Text("The engine {engine} does not run on the {card_gpu}."),
    "layout.format_card": Text("The {card_gpu} does not run weights in {format}."),
    "layout.format_engine": Text("The engine {engine} does not read weights in {format}."),
    "layout.memory_short": Text("{short_bytes} are missing on the fullest card.", "Short by {short_bytes} on a rank."),
    "layout.offload": Text(
        "Part of the weights sits in ordinary memory: answers come slowly.", "CPU offload of part of the weights."
    ),
    "layout.sharded": Text(
        "Weights and training state are cut over {ranks} cards.", "Sharded over {ranks} ranks (FSDP, ZeRO)."
    ),
    "layout.whole_on_each": Text(
        "Each of the {ranks} cards holds the whole model; only the data is shared out.", "DDP over {ranks} ranks."
    ),
    "layout.stage_per_server": Text("Each server holds one stage of the chain.", "One pipeline stage per node."),
    "layout.slower": Text("It works, but is {slower_share} slower for this goal."),
    "layout.wider": Text(
        "For the asked load it is {faster_share} faster, but full it carries less for its cards, and more cards stop"
        " together.",
        "{faster_share} faster at the asked load, less throughput per GPU at saturation, larger failure domain.",
    ),
    "layout.carries_less": Text(
        "For the asked load it is {faster_share} faster, but full it carries less.",
        "{faster_share} faster at the asked load, less throughput at saturation.",
    ),
    "layout.unused": Text("It leaves {cards} unused and is {slower_share} slower."),
    "layout.link_rules": Text(
        "The exchange between the cards holds it back: {slower_share} slower.",
        "Communication-bound ({link_id}): {slower_share} slower.",
    ),
    "layout.better_for_one_answer": Text(
        "Better for one fast answer, {slower_share} slower for many.", "Latency layout: {slower_share} less throughput."
    ),
    "layout.link_unknown": Text(
        "It depends on a link that nobody has described yet.", "Depends on the unknown link {link_id}."
    ),
    "layout.row_split": Text(
        "This way of splitting is on its way out in llama.cpp; its gain is not sure.", "Row split is deprecated."
    ),
    "layout.more_cards": Text("It takes {cards} more for the same."),
    "layout.equal": Text("As good as the chosen one."),
    "layout.no_reserve": Text("It leaves less reserve."),
    "layout.needs_several_servers": Text(
        "It is {faster_share} faster, but every copy needs several servers: more that can fail.",
        "{faster_share} faster, but each instance spans nodes.",
    ),
    "layout.sites_apart": Text(
        "All sites together have {total_bytes}, but they are not one machine: the largest has {largest_bytes},"
        " the weights need {weights_bytes}.",
        "{total_bytes} over sites is no capacity; largest linked group {largest_bytes}, weights {weights_bytes}.",
    ),
    "layout.no_link": Text(
        "All servers together have {total_bytes}, but no link joins them: the largest has {largest_bytes},"
        " the weights need {weights_bytes}.",
        "{total_bytes} over unlinked servers; largest linked group {largest_bytes}, weights {weights_bytes}.",
    ),
    "layout.not_the_wish": Text("It is not the layout you asked for."),
    "layout.does_not_survive": Text("It would stop when one {level} fails."),
    "layout.first_token_limit": Text("The first word would come after {time_s}; the limit is {limit_s}."),
    "layout.user_speed_limit": Text("Each person would get {speed_tokens_per_s}; the limit is {limit_tokens_per_s}."),
    # Why memory says no.
    "memory.no_gpus": Text("There are no cards to hold it."),
    "memory.weights_too_large": Text(
        "The weights do not go onto {gpu_id}: {short_bytes} are missing.", "Weights short by {short_bytes} on {gpu_id}."
    ),
    "memory.no_room_for_cache": Text(
        "The weights fit, but {short_bytes} are missing on {gpu_id} for even one conversation.",
        "No room for KV: short by {short_bytes} on {gpu_id}.",
    ),
    "memory.context_too_long": Text(
        "One request of {context_tokens} does not fit ({short_bytes} are missing on {gpu_id}); the longest that does is"
        " {longest_tokens}.",
    ),
    "memory.full_card": Text(
        "It starts only when the engine is told to take {full_share} of each card and to leave out its faster recorded"
        " steps.",
        "Starts only with --gpu-memory-utilization {full_share} --enforce-eager.",
    ),
    "memory.load_too_large": Text("Memory holds {users_served} at once, {users} were asked for."),
    "memory.no_reserve": Text(
        "It carries the load without reserve: weights take {weights_share} (limit {weights_limit_share}),"
        " {occupied_share}"
        " is taken in all (limit {occupied_limit_share}).",
    ),
    "memory.not_trainable": Text("Weights in {format} have no gradient path: they can answer, not learn."),
    "memory.training_too_large": Text(
        "The training state does not go onto {gpu_id}: {short_bytes} are missing.",
        "Training state short by {short_bytes} on {gpu_id}.",
    ),
    # What limits the speed.
    "limited.memory_bandwidth": Text("Reading the weights from the cards' memory.", "Memory bandwidth."),
    "limited.compute": Text("Computing.", "Compute."),
    "limited.link": Text("The exchange between the cards.", "Communication."),
    "limited.kv_capacity": Text("Memory for conversations.", "KV capacity."),
    "limited.max_num_seqs": Text("The engine's limit of requests at once.", "max_num_seqs."),
    "limited.latency_target": Text("Your limit of waiting time.", "Latency target."),
    "limited.launch": Text("The fixed time per step.", "Launch overhead."),
    "limited.pipeline_bubble": Text("Stages that wait for each other.", "Pipeline bubble."),
    # Failures.
    "kind.gpu": Text("card", "GPU"),
    "kind.server": Text("server"),
    "kind.nic": Text("network card", "NIC"),
    "kind.network_switch": Text("network switch"),
    "kind.switch": Text("PCIe switch"),
    "kind.pcie_switch": Text("PCIe switch"),
    "kind.link": Text("connection", "link"),
    "kind.site": Text("place", "site"),
    "kind.internet": Text("internet line"),
    "kind.home": Text("home"),
    "kind.office": Text("office"),
    "kind.server_room": Text("server room"),
    "kind.colocation": Text("rented rack space", "colocation"),
    "failure.survives": Text("Without {object_id} ({object_kind}) everything goes on: no copy needs it."),
    "failure.unreachable": Text(
        "Without {object_id} ({object_kind}) nobody outside reaches the service: for the people who use it from"
        " elsewhere it stops until the line is back. The machines run on, nothing has to be loaded again.",
        "{object_id} ({object_kind}) down: {copies_cut_off} of {copies} run but cannot be reached; no reload.",
    ),
    "failure.apart": Text(
        "Without {object_id} ({object_kind}) {capacity_left_share} of the capacity is left: nobody reaches the machines"
        " there until the line is back. They run on, nothing has to be loaded again.",
        "{object_id} ({object_kind}) down: {copies_cut_off} of {copies} run but cannot be reached,"
        " {capacity_left_share} left; no reload.",
    ),
    "failure.outside": Text(
        "Without {object_id} ({object_kind}) people in the place go on; those outside cannot reach it until the line"
        " is back.",
        "{object_id} ({object_kind}) down: local users unaffected, remote users cut off.",
    ),
    "reason.what_if": Text("What if: taken as failed is {failed_ids}. This is the answer for what is left."),
    "headline.unreachable": Text("Nobody can reach the service: its internet line is taken as failed."),
    "headline.stopped": Text("The service stops: nothing is left that could answer."),
    "failure.taken": Text("{object_id} is taken as failed. No copy of a model needs it here."),
    "action.what_if": Text("Right-click it and choose “Working again” to go back to the healthy plan."),
    "action.what_if_line": Text(
        "Right-click the place and choose “Its internet line works again” to go back to the healthy plan."
    ),
    "failure.stops": Text(
        "Without {object_id} ({object_kind}) the service stops: an answer needs {needed_gpus} on {needed_servers}."
        " The fault is noticed after {detect_s}. A program that only stopped needs {reload_s} to load again; a broken"
        " part must first be replaced, which takes days.",
        "{object_id} ({object_kind}) down: all {copies} lost or cut off; needs {needed_gpus} on {needed_servers}."
        " Detect {detect_s}, reload {reload_s} ({engine}); hardware: replacement first.",
    ),
    "failure.slows": Text(
        "Without {object_id} ({object_kind}) {capacity_left_share} of the capacity is left; answers under way on the"
        " lost copy end. Loading again takes {reload_s} once it is repaired.",
        "{object_id} ({object_kind}) down: {copies_lost} lost, {copies_cut_off} cut off of {copies},"
        " {capacity_left_share} left; detect {detect_s}, reload {reload_s} ({engine}).",
    ),
    # Assumptions of the cost.
    "assume.pue": Text(
        "Cooling: {value} times the power of the machines at {site_id} ({site_kind}). Source: {source}, {as_of}.",
        "PUE {value} at {site_id} ({site_kind}): {source}, {as_of}.",
    ),
    "assume.tariff": Text(
        "Electricity at {site_id}: {value} ({country}). Source: {source}, {as_of}.",
    ),
    "assume.colocation": Text(
        "Rack space at {site_id} for {committed_w}: {value} per kW and month. Ask for a quote. Source: {source},"
        " {as_of}.",
    ),
    "assume.staff_hours": Text("Work of people: {value} ({staff_class}). Source: {source}, {as_of}."),
    "assume.staff_rate": Text("An hour of work: {value}. Source: {source}, {as_of}."),
    "assume.availability": Text("Each server is up {value} of the time."),
    "assume.busy_share": Text("{workload_id} keeps the machine working {value} of the year."),
    "assume.busy_from_demand": Text("{workload_id} keeps the machine working {value} of the year, by its tokens."),
    "assume.cost_settings": Text(
        "Used for {life_years}; money costs {cost_of_capital_share} a year; {residual_share} of the price remains at"
        " the end; maintenance {maintenance_share} and spare parts {spares_share} of the price a year.",
    ),
    "assume.no_speed": Text("No speed is known for part of the work, so no cost per token is given."),
    "assume.not_counted": Text("Not counted: taxes, insurance, training of people, the cost of wrong answers."),
    "staff.single": Text("one server"),
    "staff.replicas": Text("copies"),
    "staff.cluster": Text("cluster"),
}
