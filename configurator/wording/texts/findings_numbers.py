"""Findings that are arithmetic: what tokens cost, what power allows, what training takes, when work is done."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    # Own, hired, or by the token: a million tokens of answers, the questions to them in every price.
    "api.same": Text("this model"),
    "api.class": Text("the nearest model of this size that has a price"),
    "own.paid": Text("the machines are paid already"),
    "own.bought": Text("the purchase spread over its years"),
    "own.hired": Text("power and upkeep only: what the machines themselves cost or are hired for is not in it"),
    "finding.cost.compare.ask": Text(
        "Whether owning pays depends on use: compare at the same quality of model and at your own volume. Owning costs"
        " {total}; at hobby volumes an API is cheaper.",
    ),
    "finding.cost.compare.even": Text(
        "Own or API, counted per million tokens of answers with the {ratio} million of questions that belong to them:"
        " an API takes {api_price} ({sold}: {sold_code}; {as_of}). Owning ({cost_code}) costs {full_price} at full use"
        " and {now_price} at {now_share}. It is even where {month_price} a month / {api_price} = {even_million} million"
        " a month: {even_share} of the {most_million} million the machine makes when full. More than that: own;"
        " less: API.",
        "Per 1 M output tokens + {ratio} M input: API {api_price} ({sold}, {as_of}); own {full_price} at 100 %,"
        " {now_price} at {now_share}. Break-even {month_price}/month / {api_price} = {even_million} M/month ="
        " {even_share} of {most_million} M.",
    ),
    "finding.cost.compare.never": Text(
        "Own or API, counted per million tokens of answers with the {ratio} million of questions that belong to them:"
        " an API takes {api_price} ({sold}: {sold_code}; {as_of}). Owning ({cost_code}) costs {full_price} even at full"
        " use and {now_price} at {now_share}. It would be even at {month_price} a month / {api_price} = {even_million}"
        " million a month, but even when full the machine makes {most_million} million: owning never pays against this"
        " API.",
        "Per 1 M output tokens + {ratio} M input: API {api_price} ({sold}, {as_of}); own {full_price} at 100 %,"
        " {now_price} at {now_share}. Break-even {even_million} M/month > capacity {most_million} M: never.",
    ),
    "finding.cost.compare.api": Text(
        "At your {volume_million} million tokens of answers a month an API is cheaper: it takes {api_price} per million"
        " with the {ratio} million of questions that belong to it ({sold}: {sold_code}; {as_of}); owning ({cost_code})"
        " costs {now_price}. It is even at {month_price} a month / {api_price} = {even_million} million a month,"
        " {even_share} of the {most_million} million the machine makes when full.",
        "At {volume_million} M/month API {api_price} beats own {now_price} per 1 M output + {ratio} M input;"
        " break-even {even_million} M/month = {even_share} of {most_million} M.",
    ),
    "finding.cost.compare.own": Text(
        "At your {volume_million} million tokens of answers a month owning is cheaper: it costs {now_price} per million"
        " ({cost_code}); an API takes {api_price} with the {ratio} million of questions that belong to it ({sold}:"
        " {sold_code}; {as_of}). It is even at {month_price} a month / {api_price} = {even_million} million a month,"
        " {even_share} of the {most_million} million the machine makes when full.",
        "At {volume_million} M/month own {now_price} beats API {api_price} per 1 M output + {ratio} M input; break-even"
        " {even_million} M/month = {even_share} of {most_million} M.",
    ),
    "finding.cost.rent.api": Text(
        "Hired by the hour, {cards} of {card_gpu} cost {hour_price} ({as_of}). At {total_tokens_per_s} a million tokens"
        " of answers cost {full_price} at full use and {tenth_price} at 10 % use; an API takes {api_price}. How much"
        " they are used decides: a month of hire, {month_price}, equals {even_million} million tokens of that API,"
        " {even_share} of the {most_million} million these cards make when full.",
        "Rent {cards} × {card_gpu}: {hour_price}/h / ({total_tokens_per_s} × 3 600) = {full_price}/M at 100 %,"
        " {tenth_price}/M at 10 %; API {api_price}/M; {month_price}/month = {even_million} M tokens = {even_share} of"
        " {most_million} M.",
    ),
    "finding.cost.rent.never": Text(
        "Hired by the hour, {cards} of {card_gpu} cost {hour_price} ({as_of}). At {total_tokens_per_s} a million tokens"
        " of answers cost {full_price} at full use and {tenth_price} at 10 % use; an API takes {api_price}, less than"
        " hiring even at full use: a month of hire, {month_price}, equals {even_million} million tokens of that API,"
        " and these cards make {most_million} million when full.",
        "Rent {cards} × {card_gpu}: {hour_price}/h / ({total_tokens_per_s} × 3 600) = {full_price}/M at 100 %,"
        " {tenth_price}/M at 10 %; API {api_price}/M; break-even {even_million} M/month > capacity {most_million} M.",
    ),
    "finding.cost.rent.alone": Text(
        "Hired by the hour, {cards} of {card_gpu} cost {hour_price} ({as_of}). At {total_tokens_per_s} a million tokens"
        " of answers cost {full_price} at full use and {tenth_price} at 10 % use: how much they are used decides.",
        "Rent {cards} × {card_gpu}: {hour_price}/h / ({total_tokens_per_s} × 3 600) = {full_price}/M at 100 %,"
        " {tenth_price}/M at 10 %.",
    ),
    "finding.cost.kinds.back": Text(
        "Electricity of a million tokens for one person, the card alone: {thrifty_kwh} ({thrifty_eur}) on a"
        " {thrifty_gpu}, {hungry_kwh} ({hungry_eur}) on a {hungry_gpu}. The thriftier card costs {dearer_eur} more and"
        " saves {saved_kwh} a million: its price is back after {back_million} million tokens, {back_years} without a"
        " pause.",
        "kWh/M at batch 1: {thrifty_gpu} {thrifty_kwh} ({thrifty_eur}), {hungry_gpu} {hungry_kwh} ({hungry_eur});"
        " {dearer_eur} / ({saved_kwh} × tariff) = {back_million} M tokens ({back_years}).",
    ),
    "finding.cost.kinds.both": Text(
        "Electricity of a million tokens for one person, the card alone: {thrifty_kwh} ({thrifty_eur}) on a"
        " {thrifty_gpu}, {hungry_kwh} ({hungry_eur}) on a {hungry_gpu}. The thriftier card is the cheaper one, too.",
    ),
    "finding.cost.kinds.open": Text(
        "Electricity of a million tokens for one person, the card alone: {thrifty_kwh} ({thrifty_eur}) on a"
        " {thrifty_gpu}, {hungry_kwh} ({hungry_eur}) on a {hungry_gpu}.",
    ),
    "finding.cost.people.single": Text(
        "{staff_share} of the yearly cost is the work of people: {staff_hours} a month of upkeep for {nodes} ({staff})."
        " If you do it yourself, that much falls away.",
        "Staff {staff_share} of yearly cost: {staff_hours}/month, {nodes}, {staff}.",
    ),
    "finding.cost.people.replicas": Text(
        "{staff_share} of the yearly cost is the work of people: {staff_hours} a month of upkeep for {nodes} and the"
        " address in front ({staff}). If you do it yourself, that much falls away.",
        "Staff {staff_share} of yearly cost: {staff_hours}/month, {nodes} behind a router, {staff}.",
    ),
    "finding.cost.people.cluster": Text(
        "{staff_share} of the yearly cost is the work of people: {staff_hours} a month, because one model over {nodes}"
        " takes {effort_factor} the 2 to 4 hours of one server ({staff}). A model that stays in one server saves most"
        " of it.",
        "Staff {staff_share} of yearly cost: {staff_hours}/month = 2–4 h × {effort_factor} ({nodes} joined), {staff}.",
    ),
    # Power.
    "finding.power.limit.unknown": Text(
        "How much power this place allows is not known. At full load the machines draw {peak_w} at the plug ({cards_w}"
        " of cards, up to {host_w} assumed for hosts and losses of the supplies); with cooling ask for {cooled_w}. One"
        " circuit of 16 A at 230 V carries {circuit_w} for long (80 %), one of 15 A at 120 V {small_circuit_w}: this"
        " takes {circuits} of 16 A or a connection of its own.",
        "Site limit unknown: {peak_w} at the wall ({cards_w} GPUs + {host_w} host and PSU loss), {cooled_w} with"
        " cooling; 16 A × 230 V × 0.8 = {circuit_w}: {circuits} circuits.",
    ),
    "finding.power.limit.one_circuit": Text(
        "How much power this place allows is not known. At full load the machines draw {peak_w} at the plug ({cards_w}"
        " of cards, up to {host_w} assumed for hosts and losses of the supplies), {cooled_w} with cooling. One circuit"
        " of 16 A at 230 V carries {circuit_w} for long (80 %): enough, if nothing else hangs on it. One of 15 A at"
        " 120 V carries {small_circuit_w}: {small_share} of it would be used.",
        "Site limit unknown: {peak_w} at the wall ({cards_w} GPUs + {host_w} host and PSU loss), {cooled_w} with"
        " cooling; 16 A × 230 V × 0.8 = {circuit_w}, 15 A × 120 V × 0.8 = {small_circuit_w} ({small_share}).",
    ),
    "finding.power.step.open": Text(
        "What the supply of {object_id} gives is not known. For long it must carry {lasting_w} ({gpus} with {each_w},"
        " the host, a fifth in reserve). Cards that compute one split model in step also peak together: {low_w} to"
        " {high_w} for milliseconds, 1.6 to 2 times their {cards_w}. A machine that restarts without a line in its"
        " log although the limits together are less than the supply gives, or lights that flicker below the limit of"
        " the circuit, mean these peaks or the wiring.",
        "PSU of {object_id} unknown: {lasting_w} continuous; synchronised TP peaks {gpus} × {each_w} × 1.6–2 = {low_w}"
        " to {high_w} (ms). Reboot without log = OCP; flicker = wiring or transients.",
    ),
    "finding.power.step.guess": Text(
        "What the cards of {object_id} draw is not known; with an assumed {each_w} each the supply must carry"
        " {lasting_w} for long (the host and a fifth in reserve in it), and {low_w} to {high_w} for milliseconds when"
        " the cards compute one split model in step (1.6 to 2 times their limits). A machine that restarts without a"
        " line in its log although the limits together are less than the supply gives, or lights that flicker below"
        " the limit of the circuit, mean these peaks or the wiring.",
        "Card power of {object_id} unknown, {each_w} assumed: {lasting_w} continuous; synchronised TP peaks {gpus} ×"
        " {each_w} × 1.6–2 = {low_w} to {high_w} (ms). Reboot without log = OCP; flicker = wiring or transients.",
    ),
    "do.power.step": Text(
        "Look up the supply. If it trips: cap the cards lower (to half of their limit or less), take a stronger supply,"
        " or run copies on fewer cards each; if lights flicker have the circuit checked or use one of its own. A cap"
        " alone does not mend wiring.",
    ),
    "finding.power.step.over": Text(
        "Cards that compute one split model in step peak together: {gpus} with {each_w} reach {low_w} to {high_w} for"
        " milliseconds, 1.6 to 2 times their {cards_w}, and {host_w} of the host come on top. The supply of"
        " {object_id} has {supply_w}: it can switch off without a line in the log although {cards_w} is less.",
        "Synchronised TP peaks {gpus} × {each_w} × 1.6–2 = {low_w} to {high_w} + {host_w} host against {supply_w}: OCP"
        " trips although {cards_w} is below it.",
    ),
    "do.power.step_cap": Text(
        "Cap each card to about {cap_w} or less, take a stronger supply, or run copies on fewer cards each.",
    ),
    "finding.power.cap.trade": Text(
        "A power cap is not free: {cap_w} instead of {full_w} on each {card_gpu} costs about {write_share} of the"
        " writing speed but {read_share} of the prompt speed; {deep_w} costs {deep_write_share} and {deep_read_share}"
        " (measured from 350 W to 200 W on six RTX 3090). All cards together draw up to {saved_w} less. Choose the cap"
        " by the length of the prompts; it is for circuit, heat and noise, and saves little energy per token.",
        "Cap {cap_w}/{full_w}: decode -{write_share}, prefill -{read_share}; {deep_w}: -{deep_write_share},"
        " -{deep_read_share}. Choose by prompt length; little or no gain in tokens/kWh.",
    ),
    "finding.power.cap.set": Text(
        "The cap of {set_w} instead of {full_w} on each {card_gpu} costs about {set_write_share} of the writing speed"
        " and {set_read_share} of the prompt speed. It is for circuit, heat and noise; it saves little energy per"
        " token.",
        "Cap {set_w}/{full_w}: decode -{set_write_share}, prefill -{set_read_share}.",
    ),
    "finding.power.cap.training": Text(
        "A power cap slows training nearly in step: {cap_w} instead of {full_w} on each {card_gpu} costs about"
        " {lost_share}, {deep_w} {deep_lost_share}.",
    ),
    # Training: state, ways out, time.
    "fits.card": Text("fits one of your cards"),
    "fits.server": Text("fits one of your servers"),
    "fits.none": Text("fits none of your servers"),
    "node.holds": Text("and holds the state"),
    "node.short": Text("and cannot hold the state"),
    "finding.load.training.state": Text(
        "Full training of {parameters_billion} billion parameters keeps {low_gb} to {high_gb} of state (16 to 18 bytes"
        " each: weights, gradients, optimiser): {low_share} to {high_share} of the {memory_gb} on {gpus}. Activations"
        " come on top, about {row_gb} on each card for a row of {row_tokens}.",
        "Training state 16–18 B × {parameters_billion} B = {low_gb} to {high_gb}: {low_share} to {high_share} of"
        " {memory_gb} ({gpus}); activations about {row_gb} per GPU at {row_tokens}, micro-batch 1, checkpointing.",
    ),
    "finding.load.training.tight": Text(
        "Full training of {parameters_billion} billion parameters keeps {low_gb} to {high_gb} of state (16 to 18 bytes"
        " each: weights, gradients, optimiser): {low_share} to {high_share} of the {memory_gb} on {gpus}, before any"
        " activations. Those take about {row_gb} more on each card for a row of {row_tokens}: nothing is left for"
        " them.",
        "Training state 16–18 B × {parameters_billion} B = {low_gb} to {high_gb}: {low_share} to {high_share} of"
        " {memory_gb} ({gpus}); activations about {row_gb} per GPU at {row_tokens} do not fit.",
    ),
    "do.training.tight": Text(
        "If at all: one row at a time, short rows, activation checkpointing, and the optimiser in system memory"
        " (slow).",
        "Micro-batch 1, short sequences, checkpointing, ZeRO-Offload.",
    ),
    "finding.load.training.over": Text(
        "Full training of {parameters_billion} billion parameters keeps {low_gb} to {high_gb} of state (16 to 18 bytes"
        " each: weights, gradients, optimiser), and {gpus} have {memory_gb}: {low_share} of it. That the weights alone"
        " fit says nothing about training.",
        "Training state 16–18 B × {parameters_billion} B = {low_gb} to {high_gb} against {memory_gb} ({gpus}):"
        " {low_share}.",
    ),
    "finding.load.training.ways": Text(
        "Ways out: an optimiser of 8 bits, {eight_low_gb} to {eight_high_gb} ({eight_code}; slower where part lies in"
        " system memory); adapters on the 16-bit model (LoRA), {lora_gb} ({lora_code}); adapters on the 4-bit model"
        " (QLoRA), {qlora_gb} ({qlora_code}); or {wanted_cards} of {card_gpu} for the full training, in servers joined"
        " by RDMA.",
        "8-bit Adam 10–12 B/param = {eight_low_gb} to {eight_high_gb}; LoRA {lora_gb} ({lora_code}); QLoRA {qlora_gb}"
        " ({qlora_code}); full: ceil(18 B × P / 0.7) = {wanted_cards} × {card_gpu} with RDMA.",
    ),
    "finding.load.training.ways_enough": Text(
        "No single server of {box_gb} holds this state; {wanted_cards} of {card_gpu} with RDMA do. Adapters need no"
        " cluster: on the 16-bit model (LoRA) they take {lora_gb} ({lora_code}), on the 4-bit model (QLoRA) {qlora_gb}"
        " ({qlora_code}).",
        "Full: ceil(18 B × P / 0.7) = {wanted_cards} × {card_gpu} with RDMA, one node has {box_gb}. LoRA {lora_gb}"
        " ({lora_code}), QLoRA {qlora_gb} ({qlora_code}).",
    ),
    "finding.load.training.ways.scratch": Text(
        "Ways out: an optimiser of 8 bits, {eight_low_gb} to {eight_high_gb} ({eight_code}), or {wanted_cards} of"
        " {card_gpu}, in servers joined by RDMA.",
        "8-bit Adam 10–12 B/param = {eight_low_gb} to {eight_high_gb}; ceil(18 B × P / 0.7) = {wanted_cards} ×"
        " {card_gpu} with RDMA.",
    ),
    "finding.load.training.ways_enough.scratch": Text(
        "No single server of {box_gb} holds this state; {wanted_cards} of {card_gpu} with RDMA do.",
        "ceil(18 B × P / 0.7) = {wanted_cards} × {card_gpu} with RDMA, one node has {box_gb}.",
    ),
    "finding.load.training.inverse": Text(
        "To check a date: {gpus} for {finish_days} mean {each_tflops} TFLOP/s on each card, {each_share} of its"
        " peak. With many servers and cards of little memory count on the lower end, 25 %, with few servers on 45 %.",
        "{gpus} × {finish_days} = {each_tflops} TFLOP/s per GPU = {each_share} MFU; 25 % with deep pipelines, 45 % on"
        " few nodes.",
    ),
    "finding.failure.repair.shrinks": Text(
        "A program that stops is back in minutes; a broken card or server is not: a replacement takes 3 to 14 working"
        " days from the supplier, one working day with a contract for advance replacement, under a day with the part on"
        " the shelf. Until then the job can go on, slower, from its last saved state on the cards left: its state needs"
        " at least {needed_cards} of {have}.",
        "Restart: minutes. Dead part: RMA 3–14 business days, NBD with advance replacement; resume from checkpoint on"
        " ≥ {needed_cards} of {have} (resharded) meanwhile.",
    ),
    "do.training.ways": Text("Ask whether the full training is needed: adapters are enough for most purposes."),
    "finding.load.training.node": Text(
        "One server with {node_cards} of {node_gpu} ({memory_gb}) would hold this state with room: {node_share} of it.",
        "{node_cards} of {node_gpu} = {memory_gb}: state {node_share}.",
    ),
    "finding.load.training.halves": Text(
        "The {card_gpu} has no BF16: it trains in FP16 with loss scaling, which is less stable.",
        "{card_gpu}: no BF16; FP16 with loss scaling.",
    ),
    "do.training.halves": Text("Switch loss scaling on, and check for overflows in the first hundred steps."),
    "finding.load.training.adapter": Text(
        "Adapter training keeps the base of {base_gb} fixed ({place_code}: {base_share} of a server's {memory_gb});"
        " only the small adapters carry gradients: one node, and with several no sharding of the base over the"
        " network.",
        "Frozen base {base_gb} = {base_share} of one node's {memory_gb}; only adapters carry gradients: one node, else"
        " plain DP.",
    ),
    "finding.load.training.adapter_tight": Text(
        "The fixed base takes {base_gb} of the {memory_gb} in one server ({base_share}); adapters, their optimiser and"
        " the activations share the rest. It runs only with short rows, one at a time, fully sharded and with part of"
        " it in system memory. Comfortable are {wanted_cards} of {card_gpu}, or cards with twice the memory.",
        "Base {base_gb} = {base_share} of {memory_gb}: micro-batch 1, short sequences, FSDP with offload; comfortable"
        " with {wanted_cards} × {card_gpu} or cards of twice the memory.",
    ),
    "do.training.adapter_tight": Text(
        "Begin with rows of 512 tokens, one at a time, and a paged 8-bit optimiser; raise them while it holds.",
    ),
    "finding.load.training.loading": Text(
        "The start has a peak of its own: every process may first read an unsharded copy, {copy_gb} each and"
        " {all_copies_gb} for {ranks} in one server. Trainings that would fit end there.",
        "Loading peak: unsharded copy per rank, {copy_gb} × {ranks} = {all_copies_gb} per node.",
    ),
    "do.training.loading": Text(
        "Load on one process only and hand the parts out, or load in shards; check the system memory of the server.",
        "Rank-0 / meta-device loading (low_cpu_mem_usage, sync_module_states) or sharded checkpoints.",
    ),
    "finding.load.training.time": Text(
        "Expected here: {finish_s}, {gpu_months} in all, with the cards at {use} of their peak.",
    ),
    "finding.load.training.days.many": Text(
        "6 × {parameters_billion} billion parameters × {asked_billion} billion tokens are {zetta_flop} × 10²¹"
        " operations. {gpus} at {low_share} to {high_share} of their {peak_tflops} TFLOP/s take {fast_s} to {slow_s}:"
        " about {gpudays} GPU-days or {gpumonths} GPU-months. One server of 8 would need {node_years} {node_code}.",
        "6·P·T = {zetta_flop}e21 FLOP; {gpus} × {peak_tflops} TFLOP/s × {low_share} to {high_share}: {fast_s} to"
        " {slow_s}, {gpudays} GPU-days, {gpumonths} GPU-months; 8 GPUs: {node_years} {node_code}.",
    ),
    "finding.load.training.days.one": Text(
        "6 × {parameters_billion} billion parameters × {asked_billion} billion tokens are {zetta_flop} × 10²¹"
        " operations. {gpus} at {low_share} to {high_share} of their {peak_tflops} TFLOP/s take {fast_s} to {slow_s}:"
        " about {gpudays} GPU-days or {gpumonths} GPU-months.",
        "6·P·T = {zetta_flop}e21 FLOP; {gpus} × {peak_tflops} TFLOP/s × {low_share} to {high_share}: {fast_s} to"
        " {slow_s}, {gpudays} GPU-days, {gpumonths} GPU-months.",
    ),
    "finding.load.training.days_each.many": Text(
        "How many tokens it learns from is not given. Every {asked_billion} billion are 6 × {parameters_billion}"
        " billion × tokens = {zetta_flop} × 10²¹ operations: {gpus} at {low_share} to {high_share} of their"
        " {peak_tflops} TFLOP/s take {fast_s} to {slow_s}, about {gpudays} GPU-days or {gpumonths} GPU-months; one"
        " server of 8 would need {node_years} {node_code}.",
        "Per {asked_billion} B tokens: 6·P·T = {zetta_flop}e21 FLOP; {gpus} at {low_share} to {high_share} of"
        " {peak_tflops} TFLOP/s: {fast_s} to {slow_s}, {gpudays} GPU-days; 8 GPUs: {node_years} {node_code}.",
    ),
    "finding.load.training.days_each.one": Text(
        "How many tokens it learns from is not given. Every {asked_billion} billion are 6 × {parameters_billion}"
        " billion × tokens = {zetta_flop} × 10²¹ operations: {gpus} at {low_share} to {high_share} of their"
        " {peak_tflops} TFLOP/s take {fast_s} to {slow_s}, about {gpudays} GPU-days or {gpumonths} GPU-months.",
        "Per {asked_billion} B tokens: 6·P·T = {zetta_flop}e21 FLOP; {gpus} at {low_share} to {high_share} of"
        " {peak_tflops} TFLOP/s: {fast_s} to {slow_s}, {gpudays} GPU-days.",
    ),
    "do.training.tokens": Text("Ask for the number of tokens and the date by which it must be done."),
    # Work without waiting people.
    "finding.load.batch.late": Text(
        "{work_requests} with {output_tokens} of answer each are {output_million} million tokens. At"
        " {total_tokens_per_s}, which includes reading {input_million} million tokens of questions, that takes"
        " {finish_s}; the deadline is {deadline_s}.",
        "{work_requests} × {output_tokens} = {output_million} M tokens / {total_tokens_per_s} = {finish_s} (prefill of"
        " {input_million} M included) > deadline {deadline_s}.",
    ),
    "finding.load.batch.in_time": Text(
        "{work_requests} with {output_tokens} of answer each are {output_million} million tokens. At"
        " {total_tokens_per_s}, which includes reading {input_million} million tokens of questions, that takes"
        " {finish_s}: within the {deadline_s} of the deadline, no further server is needed.",
        "{work_requests} × {output_tokens} = {output_million} M tokens / {total_tokens_per_s} = {finish_s} (prefill of"
        " {input_million} M included) < deadline {deadline_s}.",
    ),
    "finding.load.batch.finish": Text(
        "{work_requests} with {output_tokens} of answer each are {output_million} million tokens. At"
        " {total_tokens_per_s}, which includes reading {input_million} million tokens of questions, that takes"
        " {finish_s}. More servers are needed only if that is too late.",
        "{work_requests} × {output_tokens} = {output_million} M tokens / {total_tokens_per_s} = {finish_s} (prefill of"
        " {input_million} M included).",
    ),
    "finding.load.batch.each": Text(
        "How much work there is, is not given. A million tokens of answers take {million_s} at {total_tokens_per_s},"
        " reading the questions included; in 8 hours {shift_million} million come out, in a day {day_million} million.",
        "Amount not given: 1 M output tokens in {million_s} at {total_tokens_per_s}; {shift_million} M in 8 h,"
        " {day_million} M in 24 h.",
    ),
    "do.load.batch_ask": Text("Say how many requests, how long, and by when."),
    # Demand against what is made.
    "finding.load.demand.carries": Text(
        "{requests_per_second} requests per second of {per_request_tokens} each are {wanted_tokens_per_s} of answers"
        " wanted and {made_tokens_per_s} possible: enough at the peak. In {hours} that is {day_tokens_million}"
        " million tokens, questions and answers together.",
        "{requests_per_second}/s × {answer_tokens} = {wanted_tokens_per_s} wanted, {made_tokens_per_s} made;"
        " {day_tokens_million} M tokens in + out in {hours}.",
    ),
    "finding.load.demand.falls_short": Text(
        "{requests_per_second} requests per second of {per_request_tokens} each are {wanted_tokens_per_s} of answers"
        " wanted, and {made_tokens_per_s} are possible: at the peak people wait. In {hours} that is"
        " {day_tokens_million} million tokens, questions and answers together.",
        "{requests_per_second}/s × {answer_tokens} = {wanted_tokens_per_s} wanted, only {made_tokens_per_s} made;"
        " {day_tokens_million} M tokens in + out in {hours}.",
    ),
    "finding.load.demand.day": Text(
        "{requests_per_second} requests per second of {per_request_tokens} each are {wanted_tokens_per_s} of answers"
        " at the peak and {day_tokens_million} million tokens in {hours}, questions and answers together.",
        "{requests_per_second}/s × {per_request_tokens} × {hours} = {day_tokens_million} M tokens in + out;"
        " {wanted_tokens_per_s} output at peak.",
    ),
    "finding.load.demand.guess_carries": Text(
        "{users} who ask twice a minute (assumed) are {requests_per_second} requests per second. With"
        " {per_request_tokens} each, {wanted_tokens_per_s} of answers are wanted and {made_tokens_per_s} possible:"
        " enough at the peak. In {hours} that is {day_tokens_million} million tokens, questions and answers together.",
        "{users} × 2/min = {requests_per_second}/s × {answer_tokens} = {wanted_tokens_per_s} wanted,"
        " {made_tokens_per_s} made; {day_tokens_million} M tokens in + out in {hours}.",
    ),
    "finding.load.demand.guess_falls_short": Text(
        "{users} who ask twice a minute (assumed) are {requests_per_second} requests per second. With"
        " {per_request_tokens} each, {wanted_tokens_per_s} of answers are wanted and only {made_tokens_per_s} possible:"
        " at the peak people wait or ask less. In {hours} that is {day_tokens_million} million tokens, questions and"
        " answers together.",
        "{users} × 2/min = {requests_per_second}/s × {answer_tokens} = {wanted_tokens_per_s} wanted, only"
        " {made_tokens_per_s} made; {day_tokens_million} M tokens in + out in {hours}.",
    ),
    "finding.load.demand.guess": Text(
        "{users} who ask twice a minute (assumed) are {requests_per_second} requests per second. With"
        " {per_request_tokens} each, {wanted_tokens_per_s} of answers are wanted at the peak. In {hours} that is"
        " {day_tokens_million} million tokens, questions and answers together.",
        "{users} × 2/min = {requests_per_second}/s × {per_request_tokens} × {hours} = {day_tokens_million} M tokens"
        " in + out; {wanted_tokens_per_s} output at peak.",
    ),
    "finding.load.need.users": Text(
        "Before any card is chosen: {weights_gb} of weights and {users} × {each_gb} of memory for conversations of"
        " {context_tokens} are {need_gb}; with 8 bits for the conversations {half_gb}. With a tenth in reserve that"
        " is a server of {wanted_gb} or, in 8 bits, {wanted_half_gb}.",
        "W {weights_gb} + {users} × KV {each_gb} ({context_tokens}) = {need_gb}; FP8 KV {half_gb}; / 0.9 ="
        " {wanted_gb} or {wanted_half_gb}.",
    ),
    "do.load.need": Text(
        "Ask for the cards that are there or for the budget, for the usual context of a conversation beside the"
        " longest, and for the speed each person expects."
    ),
    # Repair.
    "finding.failure.repair.none": Text(
        "A program that stops is back in minutes; a broken card or server is not: a replacement takes 3 to 14 working"
        " days from the supplier, one working day with a contract for advance replacement, under a day with the part on"
        " the shelf. Until then it stops: what is left does not hold it ({needed_cards} needed).",
        "Restart: minutes. Dead part: RMA 3–14 business days, NBD with advance replacement, under a day with an on-site"
        " spare; all {needed_cards} needed until then.",
    ),
    "finding.failure.repair.left_out": Text(
        "A program that stops is back in minutes; a broken card or server is not: a replacement takes 3 to 14 working"
        " days from the supplier, one working day with a contract for advance replacement, under a day with the part on"
        " the shelf. Until then the model runs on the cards left: it needs {needed_cards} of {have}.",
        "Restart: minutes. Dead part: RMA 3–14 business days, NBD with advance replacement; runs degraded on"
        " {needed_cards} of {have} meanwhile.",
    ),
    "finding.failure.repair.copies": Text(
        "A program that stops is back in minutes; a broken card or server is not: a replacement takes 3 to 14 working"
        " days from the supplier, one working day with a contract for advance replacement, under a day with the part on"
        " the shelf. Until then the other copies carry all the load.",
        "Restart: minutes. Dead part: RMA 3–14 business days, NBD with advance replacement; N-1 copies meanwhile.",
    ),
    "do.failure.spare_card": Text("Keep one spare {card_gpu} on the shelf, or a contract with advance replacement."),
    "do.failure.spare_machine": Text("Agree on advance replacement, or keep a second machine."),
}
