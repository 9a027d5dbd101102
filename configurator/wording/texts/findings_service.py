"""Findings about load, copies, failures, operations and cost."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "finding.unknown.load.model": Text(
        "Which model should run is not known, and everything follows from it.", "Model not chosen."
    ),
    "do.unknown.model": Text("Ask what is to be run, on which cards, over which connection."),
    "finding.unknown.hardware.card": Text(
        "The card {name} is not in your catalogue. Left out of every figure: {cards} in {in_server_ids}.",
        "Card {name} is not in the catalogue: {cards} in {in_server_ids} not counted.",
    ),
    "finding.unknown.hardware.chassis": Text(
        "The case {name} of {in_server_ids} is not in your catalogue: its price, its power and its own wiring are not"
        " counted.",
    ),
    "finding.unknown.hardware.link": Text(
        "The connection {name} is not in your catalogue: its speed counts as not known ({link_ids}).",
    ),
    "do.unknown.hardware": Text("Choose one from the catalogue, or add this one to your own catalogue."),
    "finding.unknown.load.users": Text(
        "How many people use it at the same moment is not given: whether it fits is counted for one person,"
        " the speed for as many as memory holds."
    ),
    "do.unknown.users": Text("Ask how many people wait for an answer at the same moment."),
    "finding.unknown.load.context": Text("How long the conversations are is not known; a usual length is assumed."),
    "do.unknown.context": Text("Ask for the usual and the longest number of tokens per request."),
    "finding.unknown.load.goal": Text(
        "One fast answer, or many answers at the same time? The best layout differs.",
        "Goal not set: latency and throughput layouts differ.",
    ),
    "do.unknown.goal": Text("Say which matters more: one fast answer, or many answers at the same time."),
    "quantity.output_tokens_per_s": Text("tokens per second in all"),
    "quantity.output_tokens_per_s_per_user": Text("tokens per second for each person"),
    "quantity.time_to_first_token_s": Text("seconds to the first word"),
    "quantity.prefill_tokens_per_s": Text("tokens per second of prompt reading"),
    "do.training.offload": Text(
        "Train adapters (LoRA, QLoRA), take more cards or a second node with a fast network, or check that the server"
        " has the system memory.",
    ),
    "finding.copies.unequal.weights": Text(
        "The copies are not equally fast: give them shares of {shares} (by the memory rate of the cards, a forecast)."
        " With equal shares the slower copy is overloaded and the service gives only {equal_share} of its speed. Keep"
        " out of this model's list every host whose memory does not hold {need_gb} (weights and one request of"
        " {context_tokens}); the smaller card also needs its own, shorter context limit, and each host its own health"
        " check.",
        "Router weights {shares} by bandwidth until measured (w = r_i / sum of r); equal routing yields {equal_share}."
        " Bar hosts under {need_gb} (W + KV of {context_tokens}); per-replica context limit and health check.",
    ),
    "finding.copies.unequal.unknown": Text(
        "The cards of these hosts are not known, so equal copies are only an assumption. Weight each host by measured"
        " speed: its tokens/s over the sum of all (40 and 20 tokens/s are shares of 2 to 1), never equal shares for"
        " unlike hosts. Keep out of this model's list every host whose memory does not hold {need_gb} (weights and one"
        " request of {context_tokens}), and give each its own context limit and health check.",
        "Hosts unknown: router weight w = r_i / sum of measured r; bar hosts under {need_gb} (W + KV of"
        " {context_tokens}) from this model; per-replica context limit and health check.",
    ),
    "finding.copies.joined.alone": Text(
        "For one person a chain over these hosts gives at most {joined_tokens_per_s}: the times of its stages add up,"
        " and the link comes on top. The fastest host alone gives {fast_tokens_per_s}; as separate servers they give"
        " {sum_tokens_per_s} in all to several people. Forecast by the memory rate of the cards: measure each alone.",
        "Single stream: chain at most {joined_tokens_per_s} (1 / sum of f_i / r_i, plus hops), fastest host alone"
        " {fast_tokens_per_s}, separate servers {sum_tokens_per_s} in all.",
    ),
    "finding.node.no_card.beside": Text(
        "No usable graphics card: {bare_count} of the machines. Such a machine adds slow system memory, no memory of"
        " cards, so it does not make a larger model fit. Run the engine on the machine with the card and call it over"
        " HTTP: then text crosses the network, not numbers for every word. Lending the card over the network (RPC)"
        " cost up to half of the speed in a report of owners.",
        "{bare_count} without a GPU: no VRAM added. Engine on the GPU host, HTTP from the others; RPC up to -50 %.",
    ),
    "do.copies.weights": Text("Set router weights by measured speed, and a context limit per copy."),
    "finding.copies.router.policy": Text(
        "How questions are spread over the copies matters: sticking to one copy (affinity) needs an escape when that"
        " copy is full, and each copy needs its own cache reserve. Ask whether conversations have many turns.",
        "Router: session or prefix affinity with an overload escape; KV headroom per replica; least-busy is not always"
        " best.",
    ),
    "do.copies.router": Text(
        "Ask about multi-turn chat; choose session or prefix affinity with a load switch, and compare policies in the"
        " pilot."
    ),
    "finding.copies.router.prefix": Text(
        "A router that knows shared beginnings gains up to twice the throughput, but for shared-prefix traffic only.",
        "Prefix-cache-aware routing: up to 2× on long shared prefixes only.",
    ),
    "finding.copies.lost.streams": Text(
        "When a copy fails, answers already running on it are lost even with other copies; a dead copy must leave the"
        " rotation at once. Test it: pull the plug of one host under load and watch the address.",
        "In-flight streams are lost on failure even with replicas; dead replicas must leave the rotation (retry alone"
        " is not enough). Drill: pull the plug of one host under load and watch the address.",
    ),
    "survive.gpu": Text("one card fails"),
    "survive.server": Text("one server fails"),
    "survive.site": Text("one place fails"),
    "survive.nothing": Text("nothing fails"),
    "finding.failure.survive.no": Text(
        "You want the service to go on when {wish_code}; in this plan it would stop, because all copies stand"
        " together.",
    ),
    "do.failure.survive": Text("Put a second copy into another server or place."),
    "finding.failure.same_box.copies": Text(
        "{copies} stand in {servers}: they fall together. Check that copies sit in different failure domains.",
        "{copies} in {servers}: same failure domain; 'spread' placement may pack one host.",
    ),
    "finding.failure.same_box.only": Text(
        "{copies} stand in one machine: a broken card takes only its own copy, the supply, the system or the network"
        " cable takes them all.",
        "{copies} on one host: a GPU fault takes one, a host fault all.",
    ),
    "finding.failure.same_box.some": Text(
        "{copies} stand in {servers}: with one server {lost_copies} fall together. Check that copies sit in different"
        " failure domains.",
        "{copies} in {servers}: up to {lost_copies} share a failure domain; 'spread' placement may pack one host.",
    ),
    "do.failure.spread": Text("Spread the copies over servers, and check where the engine really placed them."),
    "finding.failure.domain.copy": Text(
        "Every answer needs all {gpus} of its copy, on {servers}: if one card stops, that copy stops. With {copies} a"
        " failure leaves {left_share} of the service.",
        "Failure domain of an instance = all its {gpus} on {servers}; {copies}: {left_share} left after one failure.",
    ),
    "finding.failure.domain.single": Text(
        "Every answer needs all {gpus}, on {servers}: if one card stops, the service stops until it is replaced.",
        "Failure domain = all {gpus} on {servers}; single instance: nothing left after one failure.",
    ),
    "finding.failure.domain.spare": Text(
        "Every answer needs all {gpus}, on {servers}: if one card stops, the service stops until it is replaced or"
        " left out.",
        "Failure domain = all {gpus} on {servers}; single instance: nothing left after one failure.",
    ),
    "finding.failure.domain.training": Text(
        "A training over {gpus} stops with any one of them and goes on from its last saved state.",
        "Job over {gpus}: any lost rank stops it; restart from the last checkpoint.",
    ),
    "do.failure.checkpoints": Text("Save the state often enough that a lost hour is the worst case."),
    "finding.failure.domain.general": Text(
        "A model that is spread over many cards stops with any one of them; N independent copies lose one Nth.",
        "Failure domain of a distributed model = all its GPUs; N independent replicas lose 1/N.",
    ),
    "do.failure.copies": Text("Where going on matters, run independent copies instead of one spread model."),
    "finding.failure.availability.chain": Text(
        "If each server is up {server_percent} % of the time, a model over {servers} is up {joined_percent} %"
        " ({joined_days} a year down).",
        "a = {server_percent} %: one instance over {servers} a^k = {joined_percent} % ({joined_days}/y down).",
    ),
    "finding.failure.availability.copies": Text(
        "If each server is up {server_percent} % of the time, at least one of the {copies} on {servers} answers"
        " {copies_share} of the time.",
        "a = {server_percent} %: {copies} on {servers}, 1-(1-a)^n = {copies_share}.",
    ),
    "finding.failure.availability.many": Text(
        "If each server is up {server_percent} % of the time, at least one of the {copies} on {servers} answers more"
        " than {copies_share} of the time: what they share (power, network, the address in front) decides then.",
        "a = {server_percent} %: {copies} on {servers} above {copies_share}; shared power and network dominate.",
    ),
    "finding.failure.probe.prompt": Text(
        "Engines do not notice every hang: an answer of the web port (HTTP 200) does not mean that the model answers."
        " A check must send a real prompt with a time limit and restart the copy from outside.",
        "Synthetic probe with a real prompt and time-out plus an external restart policy; HTTP 200 is not health, TP"
        " has no watchdog.",
    ),
    "do.failure.probe": Text(
        "Send a test prompt every 10 seconds; take a copy that misses three out of the rotation and restart it."
    ),
    "finding.failure.recovery.restart": Text(
        "After a lost machine the whole cluster has to be stopped and started again: write the procedure down and"
        " practise it. It does not heal itself.",
        "Recovery procedure: full cluster restart; record it, ghosts of departed nodes block placement.",
    ),
    "do.failure.recovery": Text("Record the restart procedure and test it in the pilot."),
    "finding.failure.recovery.if_joined": Text(
        "If one model is spread over the {servers}: after a lost machine the whole cluster has to be stopped and"
        " started again: write the procedure down and practise it. It does not heal itself. Copies lose only"
        " their own part.",
        "Instance over {servers}: full cluster restart after a lost node; record it. Replicas lose only themselves.",
    ),
    "finding.failure.recovery.time": Text(
        "If the programs on {object_id} stop, the service is back after {recovery_s}; a broken part takes days.",
        "Process failure on {object_id}: back after {recovery_s}; hardware failure: days.",
    ),
    "finding.failure.recovery.lost": Text(
        "If the programs on {object_id} stop, the service is back after {recovery_s}; answers then running are lost"
        " ({lost_requests}). A broken part takes days.",
        "Process failure on {object_id}: back after {recovery_s}, {lost_requests} lost; hardware failure: days.",
    ),
    "finding.failure.rate.cards": Text(
        "Of {cards} expect {low_count} to {high_count} failures a year (source: {source}).",
    ),
    "finding.pilot.accept.card": Text(
        "The acceptance test includes memory diagnostics and the error log of the card (Xid): a failing card looks like"
        " hanging software for days.",
        "Acceptance: dcgmi diag -r 3, Xid log, remapped rows; a failing HBM looks like a software hang.",
    ),
    "finding.pilot.accept.cards": Text(
        "The acceptance test includes memory diagnostics and the error log of the cards (Xid), because a failing card"
        " looks like hanging software for days, and it measures what the cards really exchange under load.",
        "Acceptance: dcgmi diag -r 3, Xid log, remapped rows, real collectives; a failing HBM looks like a software"
        " hang.",
    ),
    "finding.pilot.accept.amd": Text(
        "The acceptance test includes the error counters of the cards (ECC, RAS), because a failing card looks like"
        " hanging software for days, and it measures what several cards really exchange under load.",
        "Acceptance: RAS/ECC counters, kernel log (amdgpu), real collectives.",
    ),
    "do.pilot.amd": Text(
        "Read the error counters with rocm-smi and the kernel log (amdgpu), run rvs, and with several cards rccl-tests,"
        " before accepting the machine.",
    ),
    "finding.pilot.accept.other": Text(
        "The acceptance test is a day of real load: a failing part looks like hanging software for days.",
        "Acceptance: 24 h of real load with the engine's own counters.",
    ),
    "do.pilot.other": Text("Run your own questions for a day and compare the speed of the first and the last hour."),
    "do.pilot.card": Text("Run dcgmi diag -r 3 and look for Xid messages before accepting the machine."),
    "do.pilot.cards": Text(
        "Run dcgmi diag -r 3, look for Xid messages, then p2pBandwidthLatencyTest and all_reduce_perf; accept within"
        " 20 % of this proposal.",
    ),
    "finding.operations.tax.doubled": Text(
        "{nodes} mean as many of everything: remote consoles, network settings, driver versions, failure places.",
        "{nodes}: BMC, NIC tuning, driver pinning and failure domains × {nodes}.",
    ),
    "finding.operations.tax.engineering": Text(
        "One model over {nodes} takes about {effort_factor} the engineering time of one; or accept {months} months at"
        " {lost_share} of the possible speed.",
        "Engineering effort {effort_factor} of one node, or {months} months at {lost_share} of capacity.",
    ),
    "do.operations.tax": Text("Plan people's time for several servers, or choose a layout that does not span them."),
    "finding.operations.tax.list": Text(
        "There is a list of work for {nodes}: network cards, flow control, topology, monitoring, failure drills.",
        "NIC/NCCL list for {nodes}: RoCE flow control, PFC, ECN, jumbo frames, transport, topology file, ring or tree;"
        " DCGM, Prometheus, NCCL traces.",
    ),
    "finding.operations.tax.list_plain": Text(
        "There is a list of work for {nodes}: the same versions everywhere, fixed addresses, monitoring of each, a"
        " drill for a lost machine.",
        "List for {nodes}: version pinning, static addresses on the data link, monitoring per node, node-loss drill.",
    ),
    "do.operations.list": Text("Work through the list in the proposal before the first real load."),
    "finding.operations.storage.shared": Text(
        "Several nodes need shared storage and a network of its own for it.",
        "Shared storage (NFS, BeeGFS or Lustre) and a storage VLAN.",
    ),
    "finding.operations.storage.local": Text(
        "Several nodes need the weights each: a copy on each node's own disk, or shared storage with a network of its"
        " own, which has to be bought and makes every start as slow as its line.",
        "Weights on node-local NVMe; else shared storage (NFS, BeeGFS or Lustre) and a storage VLAN in the bill.",
    ),
    "do.operations.storage_local": Text("Put a disk for the weights into every node, and copy new versions to all."),
    "do.operations.storage": Text("Put storage and its network into the bill."),
    "finding.operations.checkpoint.stall": Text(
        "A saved state of {checkpoint_gb} written to an ordinary shared folder stops the training for {stall_about_s}"
        " each time.",
        "Synchronous unsharded checkpoint of {checkpoint_gb} over NFS: {stall_about_s} stall.",
    ),
    "do.operations.checkpoint": Text("Use asynchronous sharded checkpoints (PyTorch DCP or NeMo)."),
    "finding.lab-trap.two_fours.plan": Text(
        "Two servers with four cards each cost about as much as one with eight, double the work and are worse for"
        " every model that fits one box. They are not prepared for the future; only as two copies for availability do"
        " they make sense.",
        "Lab trap: 2 × 4 GPUs cost about as much as 1 × 8 after second NIC, PSU and switch, double operations and are"
        " worse for every model that fits one box.",
    ),
    "do.lab_trap": Text("Buy one server with eight cards first; or keep two copies if going on matters more."),
    "finding.lab-trap.appliances.plan": Text(
        "{appliances} small machines have much memory but read it slowly: a {node_gpu} reads {faster_factor} as fast."
        " Only weights above {four_gb} speak for the cluster; for anything smaller one server with four such cards is"
        " better.",
        "{appliances} appliances against one server with 4 × {node_gpu}: {faster_factor} the bandwidth per card; only"
        " weights above {four_gb} favour the cluster.",
    ),
    "finding.lab-trap.appliances.small": Text(
        "{appliances} small machines together hold {sum_gb} for a model and read it slowly: {enough_count} ×"
        " {node_gpu} in one server holds as much and reads {faster_factor} as fast. As they are, each is best with a"
        " model of its own.",
        "{appliances} appliances = {sum_gb}; {enough_count} × {node_gpu} in one server holds that at {faster_factor}"
        " the bandwidth. One model per appliance.",
    ),
    "do.appliances": Text("Choose the model first; above {four_gb} of weights compare again."),
    "finding.costly-mistake.split_budget.plan": Text(
        "The first of the two costliest mistakes is to split the budget over two nodes where one larger node would do."
    ),
    "finding.costly-mistake.stayed_small.plan": Text(
        "The second of the two costliest mistakes is to stay on one node when the training needs a fast network: it"
        " costs six months."
    ),
    "do.costly_mistake": Text("Decide for several nodes with a fast network, or rent for the time of the training."),
    "finding.node.larger.fits": Text(
        "One server would hold it: {count} × {node_gpu} with {memory_gb} for {weights_gb} of weights and the asked"
        " conversations ({taken_share} of it).",
        "Larger single node: {count} × {node_gpu} = {memory_gb}, weights {weights_gb}, with KV {taken_share}.",
    ),
    "finding.node.larger.trains": Text(
        "One server would hold this training: {count} × {node_gpu} with {memory_gb}; its state takes {taken_share} of"
        " it.",
        "Larger single node: {count} × {node_gpu} = {memory_gb}, state {taken_share}.",
    ),
    "do.node.larger": Text("Compare the price of that server with several smaller ones and their network."),
    "do.node.larger_alone": Text("Compare the price of that server with a smaller model on what is there."),
    "finding.thumb.giant.comfort": Text(
        "A published guide calls 405 billion parameters in 8 bits on eight 96 GB cards uncomfortable. The arithmetic:"
        " weights take {weights_share}, inside its own rule of {low_share} to {high_share}. So memory fits; the speed"
        " over PCIe is the doubtful part.",
        "Guide says not comfortable; {weights_share} passes its own {low_share} to {high_share} rule. Memory fits,"
        " PCIe speed is the open point.",
    ),
    "finding.thumb.speed.range": Text(
        "A published guide gives 500 to 2 000 tokens/s for such a node; measurements show more. Calculated here:"
        " {total_tokens_per_s}.",
    ),
    "finding.thumb.tp.chain": Text(
        "A common rule says that a split always beats a chain inside a server. Measured: on four RTX 5090 the chain"
        " was twice as fast, on eight RTX PRO 6000 the split was 1.6 times as fast. Direct exchange between the cards"
        " and the number of users decide.",
        "TP against PP in one box: 4 × 5090 PP 2.0× TP, 8 × PRO 6000 TP 1.6× PP; P2P and concurrency decide.",
    ),
    "finding.thumb.one_card.seventy": Text(
        "A common rule says that a 70-billion model needs more than one card at any precision. On a card with"
        " 96 GB it was served in 4 bits at 516 tokens/s.",
    ),
    "finding.thumb.ethernet.possible": Text(
        "A common rule says that several nodes need InfiniBand. A 405-billion adapter training did run over bonded"
        " 100 GbE; its speed was not published.",
    ),
    "finding.thumb.latency.rdma": Text(
        "A published guide gives 5 to 15 µs between nodes and 25 GB/s at 200 Gbit/s; measured are about 2 µs for the"
        " network, 3 to 10 µs from card to card, and 23 GB/s.",
    ),
    "finding.thumb.pcie.rate": Text(
        "A published guide gives about 50 GB/s and less than a microsecond between cards on PCIe 5.0. Measured: 54 GB/s"
        " from card to card (24 GB/s and 14 µs without direct exchange), 40 GB/s for an exchange among eight cards when"
        " tuned, 22 GB/s when not, and 24 µs for a small one.",
        "PCIe 5.0: guide 50 GB/s, under 1 µs. Measured P2P 54 GB/s (0.4 µs; 24 GB/s and 14 µs without P2P), all-reduce"
        " of 8 ranks 40 GB/s tuned, 22 untuned, small 24 µs.",
    ),
    "finding.thumb.cache.seventy": Text(
        "A published guide gives 1 to 2 GB of cache for one stream of a 70-billion model at 8 192 tokens; the formula"
        " gives {stream_gb} in the chosen format.",
    ),
    "finding.thumb.adam.state": Text(
        "A published guide puts the optimiser's state at eight times the 16-bit weights; two moments in FP32 are four"
        " times: {adam_gb} beside {weights_gb} of weights.",
    ),
    "finding.thumb.pretrain.months": Text(
        "A published guide speaks of hundreds of card-months for a 70-billion model. That holds at 1.5 trillion tokens"
        " (604); at 15 trillion it is 6 045 by calculation and 9 589 as published.",
    ),
    "finding.cost.energy.states": Text(
        "Energy is counted in two states: {busy_w} while working ({busy_share} of the year) and {idle_w} while waiting"
        " with the model loaded: {year_kwh}, not {peak_kwh} as the nameplate times all hours would give.",
        "Two-state energy: busy {busy_w} for {busy_share}, loaded idle {idle_w}: {year_kwh}, not TDP × 8 760 h"
        " = {peak_kwh}.",
    ),
    "finding.cost.energy.two": Text(
        "Energy is counted in two states: {busy_w} while working ({busy_share} of the year) and {idle_w} while waiting"
        " with the model loaded: {year_kwh}, cooling included.",
        "Two-state energy: busy {busy_w} for {busy_share}, loaded idle {idle_w}: {year_kwh} with PUE.",
    ),
    "reason.run.job.alone": Text("How to run it: one job on one card.", "Layout: one rank."),
    "reason.run.job.whole": Text("How to run it: one job over {used_gpus}.", "Layout: one job, {used_gpus}."),
    "reason.run.job.sharded": Text(
        "How to run it: one job over {used_gpus}, its weights and state cut over all of them.",
        "Layout: one job over {used_gpus}, state sharded (FSDP, ZeRO).",
    ),
    "reason.run.job.copies": Text(
        "How to run it: one job over {used_gpus}; every group of {gpus} holds the whole model and takes its part of the"
        " data.",
        "Layout: one job, {copies} data-parallel ranks of {gpus}.",
    ),
    "hour.stated": Text("as you say"),
    "hour.usual": Text("the usual hire of these cards"),
    "finding.cost.asked.hour": Text(
        "Tokens per month and busy hours decide this, and they are not given. A million tokens cost the price per hour"
        " / (tokens/s × 3 600) / use: {hour_price} ({hour_code}) / ({rate_tokens_per_s} × 3 600) is {full_price} when"
        " always busy and {tenth_price} at 10 % use. Such a figure leaves out idle hours, the work of people and, where"
        " you own, the purchase; counted over questions and cached text as well it looks lower than an API's price of"
        " answers.",
        "{hour_price}/h ({hour_code}) / ({rate_tokens_per_s} × 3 600) / use = {full_price} at 100 %, {tenth_price} at"
        " 10 %. Left out: idle, labour, purchase; input and cached tokens dilute it.",
    ),
    "finding.cost.asked.volume": Text(
        "Tokens per month and busy hours decide this, and they are not given. A million tokens cost the price per hour"
        " / (tokens/s × 3 600) / use, or a month's bill / the month's tokens. Such a figure from a power bill is"
        " electricity only, as a rule over all tokens read and written: purchase / years, idle hours and the work of"
        " people come on top, and it does not compare with an API's price of answers.",
        "EUR/M = price per h / (tok/s × 3 600) / use, or bill / tokens. Electricity only and over input + output +"
        " cached tokens as a rule: add capital, idle and labour.",
    ),
    "do.cost.asked": Text("Ask the busy hours a day and the tokens per month first."),
    "do.cost.states": Text("Measure both states at the plug."),
    "finding.cost.parts.share": Text(
        "Of the yearly cost {capital_share} is the purchase, {staff_share} people, {energy_share} electricity: how much"
        " the machine is used decides the cost of an answer.",
    ),
    "finding.unknown.cost.tariff": Text("The electricity tariff is not given; the country's usual one is taken."),
    "do.cost.tariff": Text("Enter the price per kWh from the last bill."),
    "finding.cost.energy.million": Text(
        "A million tokens of answers at full load ({total_tokens_per_s}) take {million_kwh} of electricity,"
        " {price_eur}.",
    ),
    "finding.cost.energy.offloaded": Text(
        "If the server has ordinary memory for the {rest_gb} that the cards do not hold, the model would make about"
        " {slow_tokens_per_s}; the electricity of a million tokens alone would be {million_kwh}, {price_eur}: dearer"
        " than an API ({api_eur}). Only control and privacy speak for it.",
        "Offloaded at about {slow_tokens_per_s}: {million_kwh} per million output tokens, {price_eur}; API {api_eur}.",
    ),
    "finding.cost.energy.offloaded_alone": Text(
        "If the server has ordinary memory for the {rest_gb} that the cards do not hold, the model would make about"
        " {slow_tokens_per_s}; the electricity of a million tokens alone would be {million_kwh}, {price_eur}: as a rule"
        " dearer than an API. Only control and privacy speak for it.",
        "Offloaded at about {slow_tokens_per_s}: {million_kwh} per million output tokens, {price_eur}.",
    ),
    "do.cost.offloaded": Text("Use an API for this model, or a model that fits the cards."),
    "do.cost.volume": Text("Enter the tokens per month; the answer turns on them."),
    "do.cost.stays": Text("Your data must stay: the API is named for comparison only."),
    "not_checked.quality": Text("Whether the answers of the model are good enough for your task."),
    "not_checked.software_bugs": Text("Faults of particular versions of engines and drivers."),
    "not_checked.building": Text("Noise, floor load, cooling and fire rules of the building."),
    "not_checked.images": Text("Models for images, video and sound."),
}
