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
    "headline.four_bits": Text(
        "In 4 bits one server is enough; in the chosen precision a connection decides that nobody knows yet.",
        "INT4 fits one node; the asked precision hinges on an unknown interconnect.",
    ),
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
    "reason.other_engine": Text(
        "{asked_engine} does not run on these cards ({card_gpu}); this is the answer with {engine} and weights in"
        " {format}. Check what an engine supports before buying cards.",
        "{asked_engine} does not support {card_gpu}; answered for {engine} with {format}.",
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
    "headline.copies_sites": Text("Run one independent copy at each place."),
    "headline.copies": Text("Run {copies} independently, with one address in front."),
    "headline.copies_survive": Text("Run a copy in each server, so that one may fail."),
    "headline.no_reserve": Text("It fits, but leaves no reserve."),
    "headline.tight": Text("It carries the asked load, with little to spare for a peak."),
    "headline.starts_only": Text("It starts, but does not carry the asked load."),
    "headline.one_card": Text("One card is enough."),
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
        "{engine} does not run weights in {weights} on the {card_gpu}: not the memory stops it, but engine and format.",
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
    # Steps.
    "precision.asked": Text("in the chosen precision"),
    "precision.fp8": Text("in 8 bits"),
    "precision.int4": Text("in 4 bits"),
    "step.1.question.owned": Text(
        "Does the model fit one of your servers and leave {headroom_low_share} to {headroom_high_share} for the work?",
        "Fits one owned node with {headroom_low_share} to {headroom_high_share} reserve for KV?",
    ),
    "step.1.question.buy": Text(
        "Does it fit one server with {cards} of {gpu} in 8 bits and leave"
        " {headroom_low_share} to {headroom_high_share} for the work?",
        "Fits {cards} × {gpu} at FP8 with {headroom_low_share} to {headroom_high_share} reserve for KV?",
    ),
    "step.1.training.owned": Text(
        "Does the training with its whole state fit the cards of one of your servers?",
        "Does weights + gradients + optimiser state fit the GPUs of one owned node?",
    ),
    "step.1.training.buy": Text(
        "Does the training with its whole state fit one server with {cards} of {gpu}?",
        "Does weights + gradients + optimiser state fit {cards} × {gpu}?",
    ),
    "step.2.question.owned": Text(
        "Does it fit one of your servers in 4 bits with the same reserve, and is it only used, not trained?",
        "Fits one owned node at INT4 with the same reserve, inference only?",
    ),
    "step.2.question.buy": Text(
        "Does it fit one server with {cards} of {gpu} in 4 bits with the same reserve, and is it only used, not"
        " trained?",
        "Fits {cards} × {gpu} at INT4 with the same reserve, inference only?",
    ),
    "step.3.question": Text(
        "Is the limit the number of people, not the size of the model?", "Bound by throughput, not by model size?"
    ),
    "step.4.question": Text(
        "Is it training of a model that does not fit one server?", "Training that does not fit one node?"
    ),
    "step.5.question": Text(
        "Is it training of a 70-billion model or larger from scratch?", "Pre-training 70B+ from scratch?"
    ),
    "step.6.question": Text("Otherwise: what is left?", "Outcome when all five are no"),
    "step.not_asked": Text("Not asked: an earlier question gave the answer."),
    "step.no_model": Text("No model is chosen."),
    "step.strange_model": Text("The model or its precision is not in your catalogue."),
    "step.strange_cards": Text("The cards are not in your catalogue."),
    "step.no_cards": Text("There are no cards to ask about."),
    "step.numbers.fit": Text(
        "On {gpus} {precision_code}: the weights take {weights_share} of each card, so {left_share} is left for"
        " the work (wanted: at least {policy_share}). Memory there holds {served_users} at once (asked: {asked_users});"
        " with the asked load {headroom_share} still stays free. It {fit_code}.",
        "{gpus} {precision_code}: weights {weights_bytes} of {memory_bytes} ({weights_share}), left {left_share}"
        " (policy {policy_share}); KV for {served_users}, asked {asked_users}, then {headroom_share} free: {fit_code}.",
    ),
    "step.numbers.fit_copies": Text(
        "With {copies}, each on {gpus} {precision_code}: the weights take {weights_share} of each card, so {left_share}"
        " is left for the work (wanted: at least {policy_share}). Memory of all copies there holds {served_users} at"
        " once (asked: {asked_users}); with the asked load {headroom_share} still stays free. It {fit_code}.",
        "{copies}, each {gpus} {precision_code}: weights {weights_bytes} of {memory_bytes} ({weights_share}), left"
        " {left_share} (policy {policy_share}); KV of all for {served_users}, asked {asked_users}, then"
        " {headroom_share} free: {fit_code}.",
    ),
    "step.numbers.training_copies": Text(
        "With {copies} that train together, each on {gpus}: with the weights and the whole training state in place"
        " {headroom_share} of each card stays free. It {fit_code}.",
        "{copies} in data parallel, each {gpus}: weights {weights_bytes} of {memory_bytes}, headroom {headroom_share}:"
        " {fit_code}.",
    ),
    "step.numbers.fit_open": Text(
        "On {gpus} {precision_code}: the weights take {weights_share} of each card, so {left_share} is left for"
        " the work (wanted: at least {policy_share}). Memory holds {served_users} at once; how many are asked is not"
        " given. Counted for one person, it {fit_code}.",
        "{gpus} {precision_code}: weights {weights_bytes} of {memory_bytes} ({weights_share}), left {left_share}"
        " (policy {policy_share}); KV for {served_users}, load not given: {fit_code}.",
    ),
    "step.numbers.no": Text(
        "On {gpus} {precision_code}: the weights take {weights_share} of each card, so {left_share} is left for"
        " the work (wanted: at least {policy_share}): too little to start.",
        "{gpus} {precision_code}: weights {weights_bytes} of {memory_bytes} ({weights_share}), left {left_share}"
        " (policy {policy_share}): does not start.",
    ),
    "step.numbers.no_length": Text(
        "On {gpus} {precision_code}: the weights take {weights_share} of each card and {left_share} is left for the"
        " work, but that holds a request of {longest_tokens} at most. With the asked length it does not start.",
        "{gpus} {precision_code}: weights {weights_bytes} of {memory_bytes} ({weights_share}), left {left_share};"
        " longest request {longest_tokens}, so --max-model-len as asked does not start.",
    ),
    "step.numbers.no_training": Text(
        "On {gpus}: weights and training state do not fit the cards, it does not start.",
        "{gpus}: weights and state do not fit, weights alone {weights_bytes} of {memory_bytes}: does not start.",
    ),
    "step.numbers.training": Text(
        "On {gpus}: with the weights and the whole training state in place {headroom_share} of each card stays free."
        " It {fit_code}.",
        "{gpus}: weights {weights_bytes} of {memory_bytes}, headroom {headroom_share}: {fit_code}.",
    ),
    "step.numbers.none": Text(
        "No server holds it {precision_code}: the weights take {weights_bytes}, the largest server has {memory_bytes}.",
        "No single-node layout {precision_code}: weights {weights_bytes}, largest node {memory_bytes}.",
    ),
    "step.numbers.offload": Text(
        "The cards alone do not hold the training state (weights {weights_bytes}); it would have to lean on system"
        " memory.",
        "Training state exceeds the node's GPUs (weights {weights_bytes}); CPU offload only.",
    ),
    "step.2.training": Text(
        "Training needs exact weights: 4 bits are good for answering, not for learning.",
        "INT4 weights do not carry a gradient path.",
    ),
    "step.2.already": Text("The model is already in about {weight_bits} bits per weight ({weights})."),
    "step.2.none": Text("There is no 4-bit form of this model to try."),
    "step.3.training": Text("Training is bound by the size of the model and its state."),
    "step.3.size": Text(
        "The size is the limit: {weights_bytes} of weights do not start in one server.",
        "Size-bound: {weights_bytes} of weights do not start on one node.",
    ),
    "step.3.rest": Text(
        "The memory is the limit, not the number of people: the weights of {weights_bytes} would go into"
        " {memory_bytes}, but not together with what one conversation needs, or not in a split that this engine"
        " allows.",
        "Not throughput-bound: weights {weights_bytes} go into {memory_bytes}, no valid layout leaves room for one"
        " request.",
    ),
    "step.3.length": Text(
        "The length is the limit: the weights fit, one request of {asked_tokens} does not ({longest_tokens} at most).",
        "Context-bound: weights fit, a request of {asked_tokens} does not (max {longest_tokens}).",
    ),
    "step.3.load": Text("How many people use it at once is not known."),
    "step.3.context": Text(
        "One request of {context_tokens} is already too long for one server.",
        "A single request of {context_tokens} exceeds the KV pool of one node.",
    ),
    "step.3.yes": Text(
        "One server carries {served_users}, you asked for {asked_users}. Independent copies on {nodes} carry it,"
        " without a special network.",
        "One node holds {served_users}, asked {asked_users}: {nodes} as DP replicas behind a balancer, no fabric.",
    ),
    "step.3.carried": Text(
        "One server already carries the asked {asked_users} (it holds {served_users}); only the reserve is missing.",
        "One node holds {served_users}, asked {asked_users}: load carried, reserve missing.",
    ),
    "step.4.inference": Text("It is not training."),
    "step.4.scratch": Text("Training from scratch at this size is the next question."),
    "step.4.yes": Text("Weights of {weights_bytes} with their training state exceed one server."),
    "step.4.efficiency": Text(
        "{nodes} with {gpus} in all would work at {efficiency_share} of their speed; your floor is {floor_share}.",
        "Projected efficiency on {nodes}, {gpus}: {efficiency_share}, floor {floor_share},"
        " fabric needed {fabric_bytes_per_s}.",
    ),
    "step.4.smallest": Text(
        "The weights of {weights_bytes} with their training state start on {gpus} and on nothing smaller.",
        "Weights {weights_bytes} with state: {gpus} are the smallest layout that starts, no efficiency baseline below.",
    ),
    "step.5.not_scratch": Text("It is not training from scratch."),
    "step.5.small": Text("The model is smaller than the 70-billion class."),
    "step.5.yes_open": Text(
        "How long it takes is open until the tokens to train on are given; at this size it is a matter for NDR"
        " InfiniBand or SXM servers.",
        "GPU-months open: training tokens not given. NDR IB or SXM systems.",
    ),
    "step.5.yes": Text(
        "This takes {gpu_months} of cards like these: a matter for NDR InfiniBand or SXM servers.",
        "{gpu_months}: NDR IB or SXM systems.",
    ),
    "step.6.size": Text(
        "The model is too large for one such server even in 4 bits ({weights_bytes} against {memory_bytes}):"
        " a larger server, or two servers in one place with the model split inside and chained between them.",
        "Too large for one node even at INT4 ({weights_bytes} against {memory_bytes}): larger node, or TP inside"
        " with PP across two nodes.",
    ),
    "step.6.rest": Text(
        "In 4 bits the weights ({weights_bytes}) would go into one server ({memory_bytes}), but without room for the"
        " work: fewer bits, shorter requests, another engine, or a server with more memory.",
        "At INT4 ({weights_bytes} of {memory_bytes}) no room for KV or no valid layout: fewer bits, shorter context,"
        " another engine, or a larger node.",
    ),
    "step.6.no_reserve": Text(
        "It runs on one server, only without reserve. Fewer bits for the weights or for the cache, shorter requests,"
        " or cards with more memory give the reserve.",
        "Runs on one node without headroom: fewer bits for weights or KV, shorter context, or larger cards.",
    ),
    "step.6.length": Text(
        "Limit a request to {longest_tokens}, or keep the notes of a conversation in 8 bits, or use fewer bits for the"
        " weights or cards with more memory: the model itself fits.",
        "Set --max-model-len to {longest_tokens}, FP8 KV cache, fewer weight bits, or larger cards.",
    ),
    "step.6.training": Text("Use adapters (LoRA) or a smaller model, or rent for the time of the training."),
    "step.changes.model": Text("Choose a model."),
    "step.changes.cards": Text("Add a server with cards."),
    "step.changes.users": Text("Say how many people use it at the same time."),
    "step.changes.load": Text(
        "The answer changes above {served_users} at once or beyond {max_context_tokens} per request.",
    ),
    "step.changes.fewer": Text("It would be yes for at most {served_users} at once, with less reserve to keep."),
    "step.changes.fabric": Text("A faster network, more memory per server, or adapters instead of full training."),
}
