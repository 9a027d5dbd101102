"""Headlines, reasons and the steps of the decision flow."""

from __future__ import annotations

from configurator.wording.texts.text import Text

_SHAPES = {
    "card": ("one copy on one card", "TP=1, PP=1", "{copies}, each on one card", "{copies} (DP), each TP=1, PP=1"),
    "split": (
        "one copy, split over {split_gpus}",
        "TP={split_gpus}, PP=1",
        "{copies}, each split over {split_gpus}",
        "{copies} (DP), each TP={split_gpus}, PP=1",
    ),
    "chain": (
        "one copy, its layers chained over {gpus}",
        "TP=1, PP={gpus} (layer split)",
        "{copies}, each with its layers chained over {gpus}",
        "{copies} (DP), each TP=1, PP={gpus} (layer split)",
    ),
    "both": (
        "one copy as a chain of {stages}, each split over {split_gpus}",
        "TP={split_gpus} inside, PP={stages} across",
        "{copies}, each a chain of {stages} split over {split_gpus}",
        "{copies} (DP), each TP={split_gpus}, PP={stages}",
    ),
    "mixed": (
        "one copy over {used_gpus} that are not alike, each with the part that suits it",
        "one instance over {used_gpus}, uneven split",
        "{copies} on {used_gpus}, each as its cards allow",
        "{copies} (DP) over {used_gpus}, layouts per copy differ",
    ),
}
"""How a layout is told: one copy and several, to an owner and to an operator."""

_FREE = (". Free for other work: {free_gpus}.", "; idle {free_gpus}.")
RUN: dict[str, Text] = {}
for _shape, (_one, _one_short, _many, _many_short) in _SHAPES.items():
    for _ending, _owner, _operator in (("", _one, _one_short), (".copies", _many, _many_short)):
        RUN[f"reason.run.{_shape}{_ending}"] = Text(f"How to run it: {_owner}.", f"Layout: {_operator}.")
        RUN[f"reason.run.{_shape}{_ending}.free"] = Text(
            f"How to run it: {_owner}{_FREE[0]}", f"Layout: {_operator}{_FREE[1]}"
        )

    RUN[f"reason.run.{_shape}.more"] = Text(
        f"How to run it: {_one}. The cards would hold {{copies}} of it.", f"Layout: {_one_short}; room for {{copies}}."
    )

TEXTS: dict[str, Text] = {
    # Headlines: one plain sentence.
    "headline.no_cards": Text("Put a card into a server to start."),
    "headline.strange_cards": Text("Your catalogue does not know the cards of this plan."),
    "headline.strange_model": Text("Your catalogue does not know the model of this plan."),
    "headline.strange_weights": Text("Your catalogue does not know the precision of this plan."),
    "headline.no_workload": Text("Choose what should run on these cards."),
    "headline.no_model": Text("Choose a model first; then these cards get an answer."),
    "headline.no_model_one_node": Text("One node stays one node; the layout waits for the model."),
    "headline.homes_no_model": Text("Cards at {sites} stay independent: one service per place."),
    "headline.homes": Text("Memory of cards in two homes does not add up.", "Sites do not form one memory pool."),
    "headline.link_decides": Text("One fact decides: how the servers are connected."),
    "headline.not_linked": Text("The servers need a connection before they can share a model."),
    "headline.training_offload": Text(
        "The cards do not hold this training; with system memory it runs, slowly.",
        "Training state exceeds the GPUs; runs with CPU offload only.",
    ),
    "headline.context": Text("The weights fit, the asked length of a request does not."),
    "headline.memory_unknown": Text("One fact decides: how much memory the cards have."),
    "headline.p2p_first": Text(
        "First settle whether the cards can talk to each other; the layout waits for the model.",
        "Settle P2P (ACS/IOMMU) first; layout pending on model.",
    ),
    "headline.one_case_decides": Text("One fact decides: whether all cards sit in one case."),
    "headline.rpc_chain": Text(
        "Only a chain over {own_servers} would hold it, with an experimental engine.",
        "Layer split over {own_servers} by RPC only: experimental, no recovery.",
    ),
    "headline.leave_out": Text("Leave the small card out; the other does the work."),
    "headline.slot": Text("Move the card out of the slow slot first."),
    "headline.too_large": Text("The model does not fit these cards."),
    "headline.training_too_large": Text("This training does not fit these cards."),
    "headline.worst_shape": Text(
        "One model over {servers} with one card each is the worst shape.",
        "One instance over {servers} single-GPU hosts: worst shape, change the fabric or the boxes.",
    ),
    "headline.internet": Text("The internet is too slow for one model in two places."),
    "headline.slow": Text("The connection between the servers is too slow for one model."),
    "headline.cluster": Text("One model over {servers} works here: the network is fast enough."),
    "headline.copies_across": Text(
        "Run {copies}, each over {servers}, with one address in front.",
        "{copies} as DP replicas, each spanning {servers}.",
    ),
    "headline.copies_across_open": Text(
        "Run {copies}, each over {servers}; how these are connected has to be checked first.",
        "{copies} as DP replicas, each spanning {servers}; interconnect to be confirmed.",
    ),
    "headline.across_open": Text(
        "Split inside each server and chain the servers; how they are connected has to be checked first.",
        "TP inside, PP across {servers}; interconnect to be confirmed.",
    ),
    "headline.across_full": Text(
        "Over {servers} it starts, with no reserve; how they are connected has to be checked first.",
        "Spans {servers} without headroom; interconnect to be confirmed.",
    ),
    "headline.training_open": Text(
        "This training needs several servers on a fast network; which network there is has to be checked first.",
        "Multi-node training; interconnect to be confirmed.",
    ),
    "headline.four_bits": Text(
        "In 4 bits one server is enough; in the chosen precision a connection decides that nobody knows yet.",
        "INT4 fits one node; the asked precision hinges on an unknown interconnect.",
    ),
    "headline.limit.wish": Text(
        "It runs, but not in the layout you asked for.", "Runs; the requested layout is not possible."
    ),
    "reason.wish": Text("No valid layout has the numbers you asked for; the nearest that runs is shown."),
    "headline.limit.survive": Text(
        "It runs, but it does not survive the failure you asked about.", "Runs; the asked failure stops the service."
    ),
    "reason.survive.gpu": Text("Every answer needs the same cards: when one card fails, nothing answers."),
    "reason.survive.server": Text(
        "There is no copy outside of {servers}: when one of these servers fails, nothing answers.",
        "Single failure domain of {servers}: no instance survives a node loss.",
    ),
    "reason.survive.site": Text("All copies need the same place: when it fails, nothing answers."),
    "reason.four_bits": Text(
        "In 4 bits ({four_bytes}) one of your servers holds it with reserve: simpler and cheaper to run, unless you"
        " need the chosen precision.",
        "At INT4 ({four_bytes}) one owned node holds it with headroom: prefer that unless the precision is required.",
    ),
    "reason.memory_unknown": Text(
        "The weights take {weights_bytes}: the cards of one server need at least {needed_bytes} together. Ask which"
        " cards they are.",
        "Weights {weights_bytes}: one node needs {needed_bytes} of VRAM; card model unknown.",
    ),
    "reason.other_engine": Text(
        "The engine {asked_engine} does not run on these cards ({card_gpu}) with this precision; this is the answer"
        " with {engine} and weights in {format}. Check what an engine supports before buying cards.",
        "No support for {card_gpu} in {asked_engine}; answered for {engine} with {format}.",
    ),
    "headline.across": Text(
        "Split inside each server and chain the servers.", "Tensor parallel inside, pipeline stages across {servers}."
    ),
    "headline.buy_one": Text(
        "Buy one server with {buy_cards} instead of {own_servers}.",
        "Buy one node with {buy_cards} instead of {own_servers}; second choice: TP inside, PP across.",
    ),
    "headline.inefficient": Text("The network between the servers would waste too much of the cards."),
    "headline.training_cluster": Text("This training needs several servers on a fast network."),
    "headline.training_cluster_near": Text(
        "This training needs several servers; this network may be too slow for them.",
        "Multi-node training; efficiency straddles the floor on this fabric.",
    ),
    "headline.training_tight": Text("This training fits one node, but nearly fills its cards."),
    "headline.training_one_node": Text("One node is enough for this training."),
    "headline.copies_sites": Text("Run independent copies, each inside one place."),
    "headline.copies": Text("Run {copies} independently, with one address in front."),
    "headline.copies_survive": Text("Run a copy in each server, so that one may fail."),
    "headline.no_reserve": Text("It fits, but leaves no reserve."),
    "headline.tight": Text("It carries the asked load, with little to spare for a peak."),
    "headline.starts_only": Text("It starts, but does not carry the asked load."),
    "headline.one_card": Text("One card is enough."),
    "headline.one_card_thin": Text(
        "The fewest cards that hold it are enough for one person; more cards add room, not speed.",
        "Smallest group serves the single stream; more GPUs add KV room, not speed.",
    ),
    "headline.one_node": Text("One node is enough."),
    "headline.fits": Text("It fits, with reserve."),
    "headline.limit.power": Text(
        "The model fits, but the power supply does not carry these machines.",
        "Fits in memory; power limit exceeded.",
    ),
    "headline.limit.speed": Text(
        "The model fits, but it would answer too slowly for a chat.",
        "Fits in memory; forecast latency or pace misses the chat limit.",
    ),
    # Reasons.
    "reason.slow.both": Text(
        "Expected: {wait_s} to the first word and {user_tokens_per_s} for each person; {whose_code} at most {most_s}"
        " and at least {least_tokens_per_s}. {help_code}",
    ),
    "reason.slow.wait": Text("Expected: {wait_s} to the first word; {whose_code} at most {most_s}. {help_code}"),
    "reason.slow.pace": Text(
        "Expected: {user_tokens_per_s} for each person; {whose_code} at least {least_tokens_per_s}. {help_code}",
    ),
    "limit.stated": Text("you asked for"),
    "limit.policy": Text("a usable chat needs"),
    "help.many": Text("Fewer people at once, shorter prompts, fewer bits for the weights or one more copy help."),
    "help.one": Text("Shorter prompts, fewer bits for the weights, a smaller model or faster cards help."),
    "reason.power.site": Text(
        "At full load {object_id} draws {load_w}; its circuit gives {limit_w}. The breaker would trip.",
    ),
    "reason.power.breaker": Text(
        "{object_id} draws {load_w} for hours; its circuit carries {limit_w} without pause. The breaker would trip.",
        "{object_id}: continuous {load_w} over 80 % of the breaker ({limit_w}).",
    ),
    "reason.power.psu": Text(
        "{object_id} needs supplies of {load_w} with reserve; it has {limit_w}.",
    ),
    "reason.power.gpu_budget": Text(
        "The cards of {object_id} take {load_w}; the case gives them {limit_w}.",
    ),
    "reason.no_model": Text("No model is chosen yet."),
    "reason.no_cards": Text("There is no card in the plan yet."),
    "reason.strange_card": Text("The card {name} is not in your catalogue, so it cannot be counted."),
    "reason.strange_model": Text("The model {name} is not in your catalogue, so nothing can be said about it."),
    "reason.strange_weights": Text(
        "The form {name} of {model} is not in your catalogue, so nothing can be said about it."
    ),
    "reason.short": Text(
        "The weights take {weights_bytes}; the largest server has {memory_bytes}.",
        "Weights {weights_bytes}; largest node {memory_bytes} usable.",
    ),
    "reason.short_rest": Text(
        "The weights take {weights_bytes} of {memory_bytes} in the largest server; the {left_bytes} left do not hold"
        " the conversations and the working memory.",
        "Weights {weights_bytes} of {memory_bytes} in the largest node; {left_bytes} left for KV and activations.",
    ),
    "reason.short_card": Text(
        "The weights take {weights_bytes} of {memory_bytes} in the largest server, but the nearest split, over"
        " {copy_gpus}, lacks {short_bytes} on its fullest card.",
        "Weights {weights_bytes} of {memory_bytes}; nearest layout ({copy_gpus}) short by {short_bytes} on a rank.",
    ),
    "reason.short_refused": Text(
        "The engine {engine} does not run weights in {weights} on the {card_gpu}: not the memory stops it, but engine"
        " and format.",
        "{engine} × {weights} × {card_gpu}: not supported.",
    ),
    "reason.short_state": Text(
        "The weights take {weights_bytes} of {memory_bytes} in the largest server; the {left_bytes} left do not hold"
        " the state of the training.",
        "Weights {weights_bytes} of {memory_bytes} in the largest node; {left_bytes} left for gradients and optimiser.",
    ),
    "reason.link": Text(
        "One copy would depend on the connection of {servers}: {bandwidth_bytes_per_s}, {latency_s}.",
        "Inter-node path of {servers}: {bandwidth_bytes_per_s}, {latency_s} one way.",
    ),
    "reason.link.chain": Text(
        "One copy spans {servers}, joined by {bandwidth_bytes_per_s} and {latency_s} one way. That is enough: a chain"
        " hands over only {handed_bytes} per token.",
        "Instance spans {servers}: {bandwidth_bytes_per_s}, {latency_s} one way; PP hand-over {handed_bytes} per"
        " token.",
    ),
    "reason.link.split": Text(
        "One copy spans {servers}, joined by {bandwidth_bytes_per_s} and {latency_s} one way; every layer of every"
        " token is exchanged over it, so the delay counts more than the width.",
        "TP spans {servers}: {bandwidth_bytes_per_s}, {latency_s} one way; latency-bound all-reduces per layer.",
    ),
    "reason.link_training": Text(
        "The training depends on the connection of {servers}: {bandwidth_bytes_per_s}, {latency_s}.",
        "Inter-node path of {servers}: {bandwidth_bytes_per_s}, {latency_s} one way.",
    ),
    "reason.slot": Text(
        "One card's slot carries {slot_bytes_per_s}, the others carry {other_bytes_per_s}: every step waits for it.",
        "One slot at {slot_bytes_per_s}, the others at {other_bytes_per_s}: it paces the group.",
    ),
    "reason.buy_money": Text(
        "One server with {buy_cards} ({buy_gpu}) costs {buy_money}; this plan with its network costs {own_money}.",
        "{buy_cards} × {buy_gpu} in one node: {buy_money}; this plan: {own_money}.",
    ),
    "reason.buy_speed": Text(
        "It holds {buy_users} at once and gives each person {buy_tokens_per_s}; the {own_servers} of this plan give"
        " {own_tokens_per_s}.",
        "One node: KV for {buy_users}, {buy_tokens_per_s} per stream; this plan {own_tokens_per_s} per stream.",
    ),
    "reason.buy_open": Text(
        "It holds {buy_users} at once with the reserve you ask for; this plan does not run without a connection.",
        "One node: KV for {buy_users} with headroom; this plan does not start.",
    ),
    "reason.buy_training": Text(
        "It trains at {buy_tokens_per_s}; the {own_servers} of this plan train at {own_tokens_per_s}.",
    ),
    "reason.buy_second": Text(
        "If it must be {own_servers}: split the model inside each server and chain the servers.",
        "If it must be {own_servers}: TP inside, PP across.",
    ),
    "reason.context": Text(
        "The weights take {weights_bytes} of {memory_bytes}; what is left does not hold a request of {asked_tokens}.",
    ),
    "reason.link_unknown": Text("One copy would depend on the connection of {servers}, which is not known."),
    **RUN,
    "reason.weights": Text(
        "The weights take {weights_bytes} of {memory_bytes} on {gpus}.",
        "Weights {weights_bytes} of {memory_bytes} usable on {gpus} ({weights_share} of the tightest).",
    ),
    "reason.weights_copies": Text(
        "The weights take {weights_bytes} of {memory_bytes} on {gpus}; there are {copies}.",
        "{copies}, each: weights {weights_bytes} of {memory_bytes} usable on {gpus} ({weights_share} of the tightest).",
    ),
    "reason.weights_together": Text(
        "The weights take {weights_bytes} of {memory_bytes} on {gpus}; {copies} train together.",
        "{copies} in data parallel, each: weights {weights_bytes} of {memory_bytes} usable on {gpus}.",
    ),
    "reason.load_copies": Text(
        "Memory of {copies} together holds {served_users} at the same time; you asked for {asked_users}.",
        "KV pools of {copies} hold {served_users}; asked {asked_users}.",
    ),
    "reason.load": Text(
        "Memory holds {served_users} at the same time; you asked for {asked_users}.",
        "KV pool holds {served_users}; asked {asked_users}.",
    ),
    "reason.load_copies.usable": Text(
        "Memory of {copies} together holds {served_users} at the same time, but only {usable_users} get answers fast"
        " enough for a chat; you asked for {asked_users}.",
        "KV pools of {copies} hold {served_users}, {usable_users} within the speed limits; asked {asked_users}.",
    ),
    "reason.load.usable": Text(
        "Memory holds {served_users} at the same time, but only {usable_users} get answers fast enough for a chat; you"
        " asked for {asked_users}.",
        "KV pool holds {served_users}, {usable_users} within the speed limits; asked {asked_users}.",
    ),
    "reason.speed_open.all": Text(
        "One person alone gets {alone_tokens_per_s}. How many will ask at once is not given: all {running_users} that"
        " memory holds get answers fast enough for a chat, then {user_tokens_per_s} each.",
        "Single stream {alone_tokens_per_s}; users not given: KV full ({running_users}) at {user_tokens_per_s} per"
        " stream, {total_tokens_per_s} aggregate.",
    ),
    "reason.speed_open.some": Text(
        "One person alone gets {alone_tokens_per_s}. How many will ask at once is not given: up to {usable_users} get"
        " answers fast enough for a chat, though memory holds {running_users}.",
        "Single stream {alone_tokens_per_s}; users not given: {usable_users} within the speed limits, KV full at"
        " {running_users} ({user_tokens_per_s} per stream, {total_tokens_per_s} aggregate).",
    ),
    "reason.speed_open.none": Text(
        "One person alone gets {alone_tokens_per_s}: less than a usable chat needs.",
        "Single stream {alone_tokens_per_s}: misses the speed limits.",
    ),
    "reason.speed": Text(
        "Expected speed: {user_tokens_per_s} for each person while an answer is written, {total_tokens_per_s} in all"
        " with the time that prompts take.",
        "Expected {user_tokens_per_s} per stream while decoding, {total_tokens_per_s} aggregate with prefill.",
    ),
    "reason.speed_full": Text(
        "How many people is not given. With as many as memory holds ({running_users}): {user_tokens_per_s} for each,"
        " {total_tokens_per_s} in all; fewer people are served faster.",
        "Users not given; KV full ({running_users}): {user_tokens_per_s} per stream, {total_tokens_per_s} aggregate.",
    ),
    "reason.speed_one": Text("Expected speed: {user_tokens_per_s}.", "Expected {user_tokens_per_s}."),
    "reason.training": Text("Expected training speed on {gpus}: {training_tokens_per_s}."),
    "reason.giant": Text("A model of this size is built for servers with eight large cards or more."),
}
