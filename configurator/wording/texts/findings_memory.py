"""Findings about memory, number formats and the way a model is cut."""

from __future__ import annotations

from configurator.wording.texts.text import Text

_REFUSED = (
    ("engine", "The engine {engine} does not run on the {card_gpu}", "On the {card_gpu} {engine} is not supported"),
    (
        "format",
        "The engine {engine} does not run weights in {weights} on the {card_gpu}",
        "No kernels for {weights} in {engine} on the {card_gpu}",
    ),
)
_NUMBERS = (
    ("", ".", "."),
    (
        "_numbers",
        ": it needs compute capability {needed}, this card has {have}.",
        " (compute capability {have}, needed {needed}).",
    ),
)
_ROOM = (
    ("", " That is what stops it first."),
    ("_room", " Memory is not the problem: the weights take {weights_bytes} of {memory_bytes}."),
)

TEXTS: dict[str, Text] = {
    "finding.memory.short.weights": Text(
        "The model does not fit: its weights are {weights_gb} ({weights_bytes}), the largest server has"
        " {label_gb} on {gpus} ({memory_bytes} usable).",
        "Weights {weights_bytes} exceed the largest node, {gpus} with {memory_bytes} usable of {label_gb}.",
    ),
    "finding.memory.short.weights_far": Text(
        "The model does not fit: its weights are {weights_gb} ({weights_bytes}), {times_factor} what the largest server"
        " has ({label_gb} on {gpus}, {memory_bytes} usable).",
        "Weights {weights_bytes} = {times_factor} the largest node ({gpus}, {memory_bytes} usable of {label_gb}).",
    ),
    "finding.memory.short.card": Text(
        "The weights ({weights_bytes}) are {weights_share} of the {memory_bytes} of the largest server, but no split"
        " that the engine allows leaves room on every card: the nearest, over {copy_gpus}, lacks {short_bytes} on its"
        " fullest card.",
        "Weights {weights_bytes} of {memory_bytes} ({weights_share}): the nearest valid layout ({copy_gpus}) is short"
        " by {short_bytes} on its fullest rank.",
    ),
    "finding.memory.short.rest": Text(
        "The weights alone take {weights_bytes} of the {memory_bytes} usable in the largest server ({label_gb} by the"
        " label). Only {left_bytes} would be left on {gpus}: too little for the conversations and the work itself, so"
        " it does not start.",
        "Weights {weights_bytes} of {memory_bytes} leave {left_bytes} on {gpus}: no room for KV, activations"
        " and graphs.",
    ),
    "finding.memory.short.rest_training": Text(
        "The weights alone take {weights_bytes} of the {memory_bytes} usable in the largest server ({label_gb} by the"
        " label). Only {left_bytes} would be left on {gpus}: too little for the state of the training, so it does not"
        " start.",
        "Weights {weights_bytes} of {memory_bytes} leave {left_bytes} on {gpus}: no room for gradients, optimiser"
        " and activations.",
    ),
    "finding.memory.short.context": Text(
        "The weights ({weights_gb} of {label_gb}) fit, a request of {asked_tokens} does not: the largest context that"
        " fits is {max_context_tokens}.",
        "Weights {weights_gb} of {label_gb} fit; max context {max_context_tokens}, asked {asked_tokens}.",
    ),
    "finding.memory.refused.reads": Text(
        "The engine {engine} does not read weights in {weights}: that is what stops it, not the memory.",
        "Not read by {engine}: {weights}.",
    ),
    **{
        f"finding.memory.refused.{what}{numbers}{room}": Text(owner + why + rest, operator + why_operator)
        for what, owner, operator in _REFUSED
        for numbers, why, why_operator in _NUMBERS
        for room, rest in _ROOM
    },
    "do.memory.refused.engine": Text(
        "Use llama.cpp with a GGUF file of the model: it runs on nearly any card. Check the engine's list of cards"
        " before buying more of them.",
    ),
    "do.memory.refused.engines": Text("Use {engines}, which run this format on these cards."),
    "do.memory.refused.formats": Text(
        "Use the same model in {formats}, which run here, or llama.cpp with a GGUF file."
    ),
    "do.memory.refused.both": Text(
        "Use {engines} for this format, or the same model in {formats}, which run here.",
    ),
    "do.memory.shorter": Text(
        "Set the longest request to {max_context_tokens}, keep the cache in 8 bits, or use fewer bits for the weights.",
    ),
    "do.memory.short.four": Text(
        "In 4 bits it takes {four_bytes} and fits {four_gpus} of these with reserve; or add cards, or take a model of"
        " at most {limit_bytes} of weights, such as {suggested_models}.",
    ),
    "do.memory.short.four_too": Text(
        "Even in 4 bits it takes {four_bytes}; take a model of at most {limit_bytes} of weights, such as"
        " {suggested_models}, or a larger server.",
    ),
    "do.memory.short.smaller": Text(
        "Take a model of at most {limit_gb} of weights, such as {suggested_models}, or a larger server.",
    ),
    "do.memory.short.none": Text(
        "No model of the catalogue fits {limit_bytes} of weights in this format; this one takes {four_bytes} in 4 bits."
    ),
    "do.training.short": Text(
        "Train adapters on compressed weights (QLoRA), take a model of at most {limit_bytes} with its training"
        " state, or more memory in one server.",
    ),
    "finding.memory.pool.sites": Text(
        "Memory of cards in different places does not add up: each place runs its own model. The sum of"
        " {sum_bytes} over {places} places is not capacity; the largest single server has {largest_bytes}.",
        "Sites are not one memory pool: sum {sum_bytes} over {places} sites is not capacity, largest node"
        " {largest_bytes}.",
    ),
    "finding.memory.pool.servers": Text(
        "{servers} without a known connection do not make one large card: their {sum_bytes} do not add up. The largest"
        " server has {largest_bytes}; do not plan a split across them before the connection is known and measured.",
        "{servers} without a known link are not one group: capacity is {largest_bytes}, not {sum_bytes}.",
    ),
    "finding.node.holds.machine": Text(
        "One machine would hold it, with no network in the path of a word: {node_gpu} with {memory_gb} for {weights_gb}"
        " of weights and {beside_gb} of conversations ({filled_share}).",
        "Larger single machine: {node_gpu} {memory_gb}; weights {weights_gb} + KV {beside_gb} ({filled_share}).",
    ),
    "finding.node.holds.card": Text(
        "One card would hold it: {node_gpu} with {memory_gb} for {weights_gb} of weights and {beside_gb} of"
        " conversations ({filled_share}).",
        "Larger single card: {node_gpu} {memory_gb}; weights {weights_gb} + KV {beside_gb} ({filled_share}).",
    ),
    "finding.node.holds.card_least": Text(
        "One card would hold it: {node_gpu} with {memory_gb} for {weights_gb} of weights and {beside_gb} of"
        " conversations ({filled_share}). A card with {least_gb} is the smallest that holds it at all, with little"
        " reserve ({least_share}), such as the {least_gpu}.",
        "Larger single card: {node_gpu} {memory_gb}; weights {weights_gb} + KV {beside_gb} ({filled_share}). Smallest"
        " at all: {least_gb} ({least_share}), {least_gpu}.",
    ),
    "finding.memory.group.share": Text(
        "Over {servers} together the weights take {weights_gb} of {label_gb} ({weights_share}).",
    ),
    "finding.memory.group.full": Text(
        "Over {servers} together the weights would take {weights_gb} of {label_gb} ({weights_share}): no headroom, the"
        " limit is {high_share}.",
    ),
    "do.memory.fewer_bits": Text("In {weights} it would take about {size_gb} ({weights_share})."),
    "do.memory.pool_machines": Text(
        "Run one independent copy on each: that helps for questions asked at the same time. For a larger model buy one"
        " machine with {all_gb}: the same memory, without a network in the path of a word."
    ),
    "do.memory.pool": Text("Run one independent copy per place, or put the cards into one server."),
    "finding.memory.reserve.full": Text(
        "{occupied_share} of the memory is taken: under load, requests will be pushed back. The limit is {stop_share}.",
        "{occupied_share} occupied (limit {stop_share}): preemption under load.",
    ),
    "finding.memory.reserve.full_training": Text(
        "{occupied_share} of the memory is taken: a longer row or a larger batch ends the training for want"
        " of memory. The limit is {stop_share}.",
        "{occupied_share} occupied (limit {stop_share}): OOM with any longer row.",
    ),
    "finding.memory.brim": Text(
        "With the usual settings it does not start: the engine has to be told to take {full_share} of each card and to"
        " leave out its recorded steps. It is at the limit of these cards.",
        "Starts only with --gpu-memory-utilization {full_share} and --enforce-eager: at the limit.",
    ),
    "finding.memory.reserve.thin": Text(
        "It fits, but with no headroom: on the fullest card the weights take {weights_share}, which leaves"
        " {left_share} for the work where {low_share} to {high_share} is advised. Over all its cards that is"
        " {weights_gb} of {label_gb}.",
        "Weights {weights_share} of the fullest rank, {left_share} left for KV, under the {low_share} to {high_share}"
        " rule ({weights_gb} of {label_gb} in all).",
    ),
    "finding.memory.reserve.load": Text(
        "It fits, but with no headroom for a peak: the weights take {weights_share} of the fullest card"
        " ({weights_gb} of {label_gb} in all), and the asked load nearly fills the rest.",
        "Weights {weights_share} of the fullest rank; the asked load fills the KV pool: no headroom.",
    ),
    "do.memory.reserve": Text(
        "Fewer bits for the weights (4 bits: {four_bytes}) or for the cache, a shorter context, or one more card.",
    ),
    "do.memory.reserve.two": Text(
        "On the same cards {wide_code} take {wide_gb} ({wide_share}), with room for about {wide_room_tokens} of"
        " conversation; {narrow_code} {narrow_gb} ({narrow_share}), room for {narrow_room_tokens}. Take {best_code}, or"
        " one more card.",
        "Same {gpus}: {wide_code} {wide_gb} ({wide_share}), KV {wide_room_tokens}; {narrow_code} {narrow_gb}"
        " ({narrow_share}), KV {narrow_room_tokens}. Recommended: {best_code}.",
    ),
    "do.memory.reserve.one": Text(
        "On the same cards {wide_code} take {wide_gb} ({wide_share}), with room for about {wide_room_tokens} of"
        " conversation. Take that, or one more card.",
        "Same {gpus}: {wide_code} {wide_gb} ({wide_share}), KV {wide_room_tokens}: recommended.",
    ),
    "reserve.eight": Text("8 bits"),
    "reserve.four": Text("4 bits"),
    "do.memory.reserve_cache": Text("Fewer bits for the cache, a shorter context, or one more card."),
    "do.training.reserve": Text("A smaller batch, checkpointing of activations, or one more card."),
    "finding.memory.load.short": Text(
        "Memory holds {served_users} at the same time, you asked for {asked_users} with {context_tokens} each.",
        "KV pool holds {served_users} at {context_tokens}; asked {asked_users}.",
    ),
    "do.memory.load.short": Text("A copy on another server, a shorter context, or an 8-bit cache."),
    "finding.memory.context.short": Text(
        "The weights fit, the asked context does not: the largest context that fits is {max_context_tokens}"
        " for {users}, not {asked_tokens}.",
        "Max context {max_context_tokens} at {users}; asked {asked_tokens}.",
    ),
    "finding.memory.context.longest": Text(
        "The longest request that fits is {max_context_tokens} for {users}; the model is built for {trained_tokens}.",
        "Max context {max_context_tokens} at {users}; model limit {trained_tokens}.",
    ),
    "finding.memory.context.whole": Text(
        "The longest request that fits is {max_context_tokens} for {users}: all that the model is built for.",
        "Max context {max_context_tokens} at {users}: the model's limit.",
    ),
    "finding.memory.context.open": Text(
        "The longest request that fits the memory is {max_context_tokens} for {users}; how long a request the model"
        " itself is built for is not known and may be less.",
        "Max context by memory {max_context_tokens} at {users}; model limit not known.",
    ),
    "finding.memory.context.one_step": Text(
        "The room of {pieces_tokens} is shared by all requests and counts on prompts that are read in pieces. An engine"
        " that reads {asked_tokens} in one step needs {work_gb} of each card for it: then only about {whole_tokens}"
        " ({whole_gb}) are left, and it refuses to start at this length.",
        "KV pool {pieces_tokens}, shared, with chunked prefill; prefill of {asked_tokens} in one step takes {work_gb}"
        " per rank: pool about {whole_tokens} ({whole_gb}), start refused at this --max-model-len.",
    ),
    "do.memory.one_step": Text(
        "Keep chunked prefill on, or limit a request to what is left without it; a cache in 8 bits about doubles the"
        " room.",
        "Keep --enable-chunked-prefill, or lower --max-model-len; --kv-cache-dtype fp8 about doubles the pool.",
    ),
    "finding.memory.context.trained": Text(
        "The model was trained for {trained_tokens}; {asked_tokens} is beyond what it can follow.",
    ),
    "do.memory.context": Text("Set the longest request to {max_context_tokens}."),
    "finding.memory.context.chunk": Text(
        "How much working memory a long request needs depends on the size of the chunks in which the prompt is read,"
        " so a longer context does not always need more: plan for one long request at a time.",
        "Activation memory depends on the prefill chunk size (chunked prefill on or off), not on context in a"
        " straight line; plan one long request at a time.",
    ),
    "do.memory.chunk": Text("Turn chunked prefill on, with 2 048 to 8 192 tokens per step."),
    "finding.memory.cache.sum": Text(
        "Each token of a conversation takes {token_bytes}; {users} with {context_tokens} each take {all_bytes}"
        " ({all_gb}).",
        "KV {token_bytes} per token × {context_tokens} × {users} = {all_bytes} ({all_gb}).",
    ),
    "finding.memory.cache.token": Text(
        "Each token of a conversation takes {token_bytes} of memory.", "KV {token_bytes} per token."
    ),
    "finding.memory.cache.full_heads": Text(
        "This model keeps full notes for every head ({kv_count} KV heads): {token_bytes} per token. A model of the"
        " same size with 8 grouped heads needs {grouped_bytes}.",
        "Full multi-head attention ({kv_count} KV heads): {token_bytes} per token; GQA with 8 heads would need"
        " {grouped_bytes}.",
    ),
    "do.memory.cache.full_heads": Text("Limit the context, or take a newer model with grouped KV heads."),
    "finding.memory.usable.unified": Text(
        "This machine shares its memory with the system: of {label_gb} plan with {usable_bytes} ({usable_share}),"
        " unless the limit is raised.",
        "Unified memory: {usable_bytes} of {label_gb} usable ({usable_share}) at the default limit.",
    ),
    "do.memory.unified": Text("Raise the memory limit of the system only after measuring what it needs itself."),
    "finding.memory.usable.display": Text(
        "One card also drives a screen. In a group of {gpus} that share a model every card loses the same amount,"
        " not only that one.",
        "Desktop use on one card costs the same on every rank of the TP group ({gpus}): one memory fraction for all.",
    ),
    "do.memory.display": Text("Use the processor's graphics for the screen, or set the cache size in absolute terms."),
    "finding.memory.usable.wsl": Text("Under WSL2 about 1.3 GiB less per card is usable."),
    "finding.memory.native.size": Text(
        "The model is published in few bits: {weights_gb} of weights, not the {naive_gb} that {parameters_billion}"
        " billion parameters times two would suggest.",
        "Native quantised size {weights_gb}, not parameters × 2 = {naive_gb}.",
    ),
    "finding.memory.layers.uneven": Text(
        "The layers of this model differ in size: equal numbers of layers do not give equal memory.",
        "Non-uniform layers: equal layer counts give unequal memory.",
    ),
    "do.memory.layers": Text("Split by bytes, not by the number of layers."),
    "finding.memory.host.ask": Text(
        "What the cards lack ({missing_gb}) can sit in system memory if there is that much (ask: at least {need_gb}),"
        " and the rate of that memory then sets the speed, not the cards. Each token reads {active_gb}, {read_gb} of"
        " them there: at most {desktop_tokens_per_s} with two channels of DDR5 ({desktop_bytes_per_s}),"
        " {server_tokens_per_s} with eight of DDR4 ({server_bytes_per_s}), {large_tokens_per_s} with twelve of DDR5"
        " ({large_bytes_per_s}). {wanted_tokens_per_s} need {wanted_bytes_per_s}. One more card like these takes"
        " {card_share} of the weights off it.",
        "CPU offload of {missing_gb}: {read_gb} of {active_gb} per token from RAM; roof {desktop_tokens_per_s} at"
        " {desktop_bytes_per_s}, {server_tokens_per_s} at {server_bytes_per_s}, {large_tokens_per_s} at"
        " {large_bytes_per_s}; {wanted_tokens_per_s} need {wanted_bytes_per_s}. One more card takes {card_share}.",
    ),
    "finding.memory.host.roof": Text(
        "What the cards lack ({missing_gb}) sits in the {ram_gb} of system memory, and the rate of that memory sets"
        " the speed, not the cards. Each token reads {active_gb}, {read_gb} of them there: at most"
        " {desktop_tokens_per_s} with two channels of DDR5 ({desktop_bytes_per_s}), {server_tokens_per_s} with eight"
        " of DDR4 ({server_bytes_per_s}), {large_tokens_per_s} with twelve of DDR5 ({large_bytes_per_s})."
        " {wanted_tokens_per_s} need {wanted_bytes_per_s}. One more card like these takes {card_share} of the weights"
        " off it.",
        "CPU offload of {missing_gb}: {read_gb} of {active_gb} per token from RAM; roof {desktop_tokens_per_s} at"
        " {desktop_bytes_per_s}, {server_tokens_per_s} at {server_bytes_per_s}, {large_tokens_per_s} at"
        " {large_bytes_per_s}; {wanted_tokens_per_s} need {wanted_bytes_per_s}. One more card takes {card_share}.",
    ),
    "finding.memory.host.little": Text(
        "What the cards lack ({missing_gb}, {spilled_share} of the weights) can sit in system memory (at least"
        " {need_gb} of it): the layers there run on the processor, and they then set the pace, far"
        " below that of the card.",
        "CPU offload of {missing_gb} ({spilled_share}, RAM {need_gb}): the layers on the processor set the pace.",
    ),
    "do.memory.host.test": Text(
        "Test it with your own questions before relying on it; a card that holds all of it is many times faster.",
    ),
    "finding.memory.host.short": Text(
        "What the cards lack ({missing_gb}) does not fit the {ram_gb} of system memory either: {need_gb} would be"
        " needed.",
        "CPU offload of {missing_gb} exceeds {ram_gb} of RAM ({need_gb} needed).",
    ),
    "do.memory.host.less": Text("Take fewer bits, a smaller model, or more system memory."),
    "do.memory.host.channels": Text("Say how much system memory the machine has and how many channels are filled."),
    "finding.precision.training.blocked": Text(
        "Weights in {weights} cannot be trained fully: few bits are good for answering, not for learning.",
        "{weights} carries no gradient path: full training blocked.",
    ),
    "do.precision.training": Text("Train in BF16, or train adapters only."),
    "finding.precision.training.adapter": Text(
        "Adapters on weights in {weights}: this is QLoRA, with a small loss of quality.",
    ),
    "do.precision.adapter": Text("Set the task to QLoRA, or take BF16 weights."),
    "finding.precision.card.old": Text(
        "The {card_gpu} has no BF16 and no FP8 arithmetic: models run in FP16 or with fewer bits only.",
        "{card_gpu}: no BF16/FP8; FP16 or INT4/INT8 kernels only.",
    ),
    "do.precision.card": Text("Choose FP16 or a 4-bit format for this card."),
    "finding.precision.card.unpacked": Text(
        "The {card_gpu} can run weights in {weights} but has no arithmetic for them: they are unpacked on the fly."
        " Memory is saved, computing is not faster.",
        "{card_gpu} has no native arithmetic for {weights}: weight-only, unpacked on the fly.",
    ),
    "finding.precision.quality.low": Text("Weights in {weights} lose noticeable quality."),
    "finding.precision.quality.four": Text("Weights in {weights} lose a little quality; for most uses it is not seen."),
    "do.precision.quality": Text("Compare 50 of your own questions against the 8-bit or 16-bit model before deciding."),
    "finding.engine.card.refused_numbers": Text(
        "You asked for {asked_engine}: it needs compute capability {needed}, the {card_gpu} has {have}. {engine} runs"
        " on it.",
        "Asked {asked_engine} needs compute capability {needed}; {card_gpu} has {have}. {engine} runs on it.",
    ),
    "finding.engine.card.refused": Text(
        "You asked for {asked_engine}, which does not run on the {card_gpu}. {engine} does.",
        "No support for the {card_gpu} in {asked_engine}; {engine} has it.",
    ),
    "do.engine.card": Text("Check the engine's list of supported cards before buying more of them."),
    "finding.engine.card.last": Text(
        "The newest releases of vLLM ask for compute capability {needed}; the {card_gpu} has {have} and runs older ones"
        " only.",
        "vLLM from 0.31 on asks for compute capability {needed}; {card_gpu} has {have}.",
    ),
    "do.engine.pin": Text("Keep to a release that still supports these cards, and note its version."),
    "finding.engine.format.unread": Text("The engine {engine} does not read weights in {weights}."),
    "do.engine.format": Text("Use {engines} for these weights."),
    "finding.engine.llama_cpp.batching": Text(
        "The engine llama.cpp serves few requests at once per server; an engine with continuous batching (vLLM,"
        " SGLang) removes"
        " that limit.",
        "llama.cpp: fixed slots per server; continuous batching (vLLM, SGLang) removes the one-request limit.",
    ),
    "do.engine.batching": Text("For many users choose vLLM or SGLang with continuous batching."),
    "do.engine.batching_file": Text(
        "For many users choose vLLM or SGLang with continuous batching, and the model in AWQ, FP8 or BF16: they are not"
        " made for GGUF files."
    ),
    "finding.engine.llama_cpp.slots": Text(
        "The engine llama.cpp serves few requests at once per server, and engines with continuous batching do not run"
        " on these cards.",
        "llama.cpp: fixed slots per server; no continuous batching engine for these cards.",
    ),
    "do.engine.slots": Text("For many users run one copy per card and set the number of slots of each."),
    "finding.engine.llama_cpp.rpc": Text(
        "Splitting over machines with llama.cpp RPC is experimental: it adds software overhead even on a fast wire,"
        " has no recovery and no authentication, and one lost helper stops everything.",
        "llama.cpp RPC: experimental, protocol overhead, no recovery, no authentication; a lost worker aborts the"
        " client.",
    ),
    "do.engine.rpc": Text("Keep each model inside one machine; date the engine version in every measurement."),
    "finding.engine.llama_cpp.version": Text(
        "Speed of this engine changes with its version, and splitting over its network protocol (RPC) has software"
        " overhead even on one machine: date the version with every measurement.",
        "Date the llama.cpp build; RPC adds protocol overhead even over loop-back.",
    ),
    "finding.engine.support.other": Text(
        "For the {card_gpu} the engine decides: the same hardware runs faster or slower than a single machine,"
        " depending on the software. Clustering engines for it are experimental and have no recovery.",
        "{card_gpu}: result depends on the engine; clustering engines are experimental, no recovery.",
    ),
    "do.engine.support": Text(
        "Plan on a single machine where the model fits, and measure your engine version before buying a second."
    ),
    "finding.engine.support.chain": Text(
        "One model over several machines on a plain network needs care: reports speak of restarts every two or three"
        " days. Plan for restarts, a watchdog and a support contract; it is not for unattended production.",
        "Multi-node over plain network: plan for restarts every 2–3 days, a watchdog and a support contract.",
    ),
    "do.engine.watchdog": Text("Set a watchdog with a real test prompt and an automatic restart of all parts."),
}
