"""The questions of the decision flow and their answers."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
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
        " a larger server, or {servers} like it in one place with the model split inside and chained between them.",
        "Too large for one node even at INT4 ({weights_bytes} against {memory_bytes}): larger node, or TP inside"
        " with PP across {servers}.",
    ),
    "step.6.size_far": Text(
        "The model is too large for one such server even in 4 bits ({weights_bytes} against {memory_bytes}): a larger"
        " server or a smaller model; a chain of {servers} like it is no way to serve it.",
        "Too large for one node even at INT4 ({weights_bytes} against {memory_bytes}): larger node or smaller model;"
        " {servers} of this kind is no sensible PP depth.",
    ),
    "step.6.size_card": Text(
        "The model is too large for one such server even in 4 bits ({weights_bytes} against {memory_bytes}): a card"
        " with {least_gb} or more holds it in one machine.",
        "Too large for one node even at INT4 ({weights_bytes} against {memory_bytes}): a card with {least_gb} or more"
        " holds it.",
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
