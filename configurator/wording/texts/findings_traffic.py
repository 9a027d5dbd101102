"""Findings about proving a connection, what crosses it, slots, training over links, and what a loss leaves."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    # Proof and faults.
    "finding.fabric.proof.nccl": Text(
        "Prove the connection before anything else is bought or blamed: the engine's log must name NET/IB (or NET/OFI),"
        " not NET/Socket, and an exchange over the {servers} must come near {bandwidth_bytes_per_s}. Inside a container"
        " the exchange often falls back to sockets, and a faster network then changes nothing.",
        "Prove the fabric: NCCL log shows NET/IB (or NET/OFI), not NET/Socket; all_reduce_perf over {servers} near"
        " {bandwidth_bytes_per_s}. Containers often lack the RDMA devices.",
    ),
    "finding.fabric.proof.open": Text(
        "Prove the connection of the {servers} first; its speed is not known. Run an exchange over all of them: the log"
        " must name NET/IB (or NET/OFI, for EFA), not NET/Socket. Until then neither the cards nor the number of"
        " servers can be blamed for the speed.",
        "Link of {servers} unproven: all_reduce_perf over all nodes; NCCL log must show NET/IB or NET/OFI (EFA), not"
        " NET/Socket.",
    ),
    "finding.fabric.proof.socket": Text(
        "The exchange between the {servers} runs over ordinary sockets (NET/Socket in the log), at most"
        " {bandwidth_bytes_per_s}: make sure that it takes this network card and not a slower one.",
        "NET/Socket over {servers}, at most {bandwidth_bytes_per_s}: pin the interface (NCCL_SOCKET_IFNAME).",
    ),
    "do.fabric.proof": Text(
        "Start once with NCCL_DEBUG=INFO, read which transport is named, and run all_reduce_perf over the servers."
    ),
    "do.fabric.proof_rccl": Text(
        "Start once with NCCL_DEBUG=INFO (RCCL reads it too), read which transport is named, and run the all-reduce of"
        " rccl-tests over the servers."
    ),
    "do.fabric.proof_socket": Text("Set NCCL_SOCKET_IFNAME to the fast card and measure it with iperf3."),
    "finding.fabric.direct.address": Text(
        "A direct cable joins {servers}. After a crash or a restart the software may come back over another interface"
        " (VPN, Wi-Fi), at tens of milliseconds instead of {rtt_s}, and still say “connected”: pin the addresses of the"
        " cable, keep a VPN out of discovery, and raise the alarm on the round-trip time, not on “connected”.",
        "Direct cable between {servers} (RTT {rtt_s}): pin its addresses, exclude VPN and Wi-Fi from discovery, alarm"
        " on RTT, not on membership; a split does not work at tens of ms.",
    ),
    "do.fabric.direct": Text("Give the ends of the cable fixed addresses and alarm when ping exceeds 1 ms."),
    "finding.fabric.lost.nodes": Text(
        "Machines that drop out of such a cluster are as a rule a fault of the engine, not of the network's speed:"
        " another cable does not bring them back. One owner found Ethernet steadier than Thunderbolt.",
        "Lost members: engine bug first, not link rate; Ethernet reported steadier than Thunderbolt.",
    ),
    "do.fabric.lost": Text("Update the engine and read its log before buying cables."),
    "do.p2p.check_amd": Text(
        "Switch ACS off on the root ports and bridges (setpci, a kernel option, or the BIOS) and repeat a real exchange"
        " between the cards (rccl-tests, rocm-bandwidth-test). Until then NCCL_P2P_DISABLE=1 works at reduced speed."
    ),
    "finding.p2p.bridge.gain": Text(
        "The NVLink bridge joins {cards} in pairs. Layers in a chain read one card after the other and hardly use it; a"
        " split by rows or tensors reads both cards at once. Reports range from 2 to 4 % more for answers against"
        " slots with working direct exchange (P2P) to 1.7 × between the two ways on two RTX A6000 with llama.cpp (by"
        " layers 60 % of by rows). Measure both for one person: split by rows or tensors over the pair, and by layers.",
        "NVLink bridge on {cards}: TP or row split over the pair against layer split: measure both (reports: +2–4 %"
        " decode over PCIe with P2P; layer split 60 % of row split on two A6000).",
    ),
    "finding.p2p.bridge.buy": Text(
        "The {card_gpu} takes an NVLink bridge for a pair. An owner measured 2 to 4 % more for answers against slots"
        " with working direct exchange (P2P); expect more for long prompts and where P2P is off (1.7 × between a split"
        " by rows over a bridge and one by layers in another report). First measure both splits over the slots: buy it"
        " only if a split by rows or tensors is what you run and the exchange is its limit.",
        "{card_gpu}: NVLink bridge optional, +2–4 % decode over PCIe with P2P (up to 1.7 × row against layer split);"
        " measure TP/row and layer split over PCIe first, buy only for TP over the pair.",
    ),
    "finding.p2p.mesh.groups": Text(
        "In the hybrid NVLink mesh of such a server each card has direct links to four of the seven others: a split"
        " over eight crosses missing links. Build groups of four that are fully linked: here {weights_gb} of"
        " {group_gb} each ({group_share}).",
        "Hybrid cube mesh: direct NVLink to 4 of 7 peers; TP=8 crosses missing links. TP=4 per linked quad:"
        " {weights_gb} of {group_gb} ({group_share}).",
    ),
    "finding.p2p.mesh.any": Text(
        "In the hybrid NVLink mesh of such a server each card has direct links to four of the seven others: a split"
        " over eight crosses missing links. Build groups of four that are fully linked.",
        "Hybrid cube mesh: direct NVLink to 4 of 7 peers; keep TP to linked quads.",
    ),
    # What crosses.
    "finding.fabric.handover.enough": Text(
        "While answering, the chain hands over {token_bytes} per token ({hidden} numbers of 2 bytes):"
        " {total_tokens_per_s} need {needed_bytes_per_s} of the {bandwidth_bytes_per_s} between the servers. More"
        " bandwidth brings nothing, delay counts. Reading a prompt of {prompt_tokens} sends {prompt_bytes}, which takes"
        " {prompt_s}.",
        "PP hand-over {token_bytes} per token ({hidden} × 2 B): {needed_bytes_per_s} of {bandwidth_bytes_per_s}; more"
        " bandwidth does not help, latency does. Prefill of {prompt_tokens}: {prompt_bytes}, {prompt_s}.",
    ),
    "finding.fabric.handover.limit": Text(
        "While answering, the chain hands over {token_bytes} per token ({hidden} numbers of 2 bytes):"
        " {total_tokens_per_s} need {needed_bytes_per_s} of the {bandwidth_bytes_per_s} between the servers: this"
        " connection is the limit. Reading a prompt of {prompt_tokens} sends {prompt_bytes}, which takes {prompt_s}.",
        "PP hand-over {token_bytes} per token: {needed_bytes_per_s} of {bandwidth_bytes_per_s}, link-bound. Prefill of"
        " {prompt_tokens}: {prompt_bytes}, {prompt_s}.",
    ),
    "finding.fabric.handover.open": Text(
        "While answering, a chain hands over only {token_bytes} per token between the servers ({hidden} numbers of 2"
        " bytes), so delay counts more than bandwidth; reading a prompt of {prompt_tokens} sends {prompt_bytes}.",
        "PP hand-over {token_bytes} per token ({hidden} × 2 B), latency-bound; prefill of {prompt_tokens}:"
        " {prompt_bytes}.",
    ),
    "finding.fabric.split_traffic.enough": Text(
        "The split sends {token_bytes} per token ({exchanges} exchanges of {hidden} numbers): {total_tokens_per_s} need"
        " {needed_bytes_per_s} of {bandwidth_bytes_per_s}. More bandwidth brings nothing while answering; the delay of"
        " {exchanges} exchanges per word does the harm. Reading a prompt of {prompt_tokens} sends {prompt_bytes},"
        " which takes {prompt_s}.",
        "TP traffic {token_bytes} per token ({exchanges} all-reduces): {needed_bytes_per_s} of {bandwidth_bytes_per_s};"
        " latency-bound in decode. Prefill of {prompt_tokens}: {prompt_bytes}, {prompt_s}.",
    ),
    "finding.fabric.split_traffic.limit": Text(
        "The split sends {token_bytes} per token ({exchanges} exchanges of {hidden} numbers): {total_tokens_per_s} need"
        " {needed_bytes_per_s} of {bandwidth_bytes_per_s}: this connection is the limit. Reading a prompt of"
        " {prompt_tokens} sends {prompt_bytes}, which takes {prompt_s}.",
        "TP traffic {token_bytes} per token: {needed_bytes_per_s} of {bandwidth_bytes_per_s}, link-bound. Prefill of"
        " {prompt_tokens}: {prompt_bytes}, {prompt_s}.",
    ),
    "finding.fabric.hops.sum": Text(
        "In a chain over {servers} every word passes all of them in turn: each millisecond of delay or software per"
        " machine adds {added_s}, and 2 s per word would be {hop_s} per machine. Delay and software per hop decide, not"
        " memory; more machines are not faster.",
        "{servers} in sequence: +1 ms per hop = +{added_s} per token; 2 s per token = {hop_s} per hop.",
    ),
    "finding.fabric.stages.room": Text(
        "The smallest copy takes {nodes}: {all_nodes} hold {possible_copies}, each behind one address. More stages in"
        " one chain add room for conversations, not tokens per second.",
        "Minimum instance {nodes}; {all_nodes} = {possible_copies}. Extra PP stages add KV room, not tok/s.",
    ),
    "finding.fabric.stages.idle": Text(
        "The smallest copy takes {nodes}, and there are {all_nodes}. A further server in the chain adds room for"
        " conversations, not tokens per second, and one more place that can stop everything.",
        "Minimum instance {nodes} of {all_nodes}; extra PP stages add KV room and failure domain, not tok/s.",
    ),
    "finding.fabric.cache.model": Text(
        "Independent copies work over 1 GbE. Only reading prompts on one machine and answering on another (split"
        " prefill/decode), a shared cache, or moving a conversation send its cache: {cache_gb} for {prompt_tokens} are"
        " {one_s} at 1 Gbit/s, {ten_s} at 10, {hundred_s} at 100: that asks for 100 Gbit/s.",
        "Replicas: 1 GbE. Disaggregated prefill, remote KV: {cache_gb} per {prompt_tokens} = {one_s} / {ten_s} /"
        " {hundred_s} at 1/10/100 Gb/s; take 100 Gb/s.",
    ),
    "finding.fabric.cache.open": Text(
        "Independent copies work over 1 GbE. Only reading prompts on one machine and answering on another (split"
        " prefill/decode), or a cache shared over the network, ask for 100 Gbit/s: a prompt of {prompt_tokens} to a"
        " 70-billion model has {cache_gb} of cache, {one_s} at 1 Gbit/s, {ten_s} at 10, {hundred_s} at 100.",
        "Replicas: 1 GbE. Disaggregated prefill or remote KV: {cache_gb} per {prompt_tokens} of a 70B = {one_s} /"
        " {ten_s} / {hundred_s} at 1/10/100 Gb/s; take 100 Gb/s.",
    ),
    # Slots.
    "finding.slot.alone.card": Text(
        "The card in a narrow slot or riser (PCIe {generation}.0 x{lanes}, {slot_bytes_per_s}) loads its"
        " {loaded_bytes} in {load_about_s}; a model that is whole on the card hardly uses the slot after that. It hurts"
        " loading and a split over cards only.",
        "PCIe {generation}.0 x{lanes} ({slot_bytes_per_s}): load {loaded_bytes} in {load_about_s}, then idle; matters"
        " for load and TP only.",
    ),
    "finding.slot.alone.rpc": Text(
        "Reaching a card of another machine over the network (RPC) cost up to half of the speed in a report of"
        " owners, although the wire is faster than a narrow slot: the time went into the protocol. A local slot, even"
        " one lane, is better.",
        "RPC to a remote card: up to -50 %, protocol-bound; a local x1 riser beats RPC over 2.5 GbE.",
    ),
    "finding.slot.prompt.split": Text(
        "A prompt of {prompt_tokens} makes a split over these slots exchange {prompt_bytes}: {prompt_s} at"
        " {bus_bytes_per_s}. Lanes first; more cards do not read a prompt faster, and layers in a chain need few"
        " lanes.",
        "TP prefill of {prompt_tokens}: {prompt_bytes} over {bus_bytes_per_s} = {prompt_s}; widen lanes first, PP needs"
        " few.",
    ),
    "finding.slot.prompt.time": Text(
        "Reading a prompt of {prompt_tokens} takes {read_s} here ({prefill_tokens_per_s}). An owner of eight RTX 3090"
        " with a split 123-billion model measured 100 tokens/s of reading at PCIe 3.0 x4 and 250 at 4.0 x8, and a third"
        " more for answers: such a prompt takes {slow_s} or {wide_s}. So lanes first; a chain of layers needs few.",
        "Prefill of {prompt_tokens}: {read_s} ({prefill_tokens_per_s}); with TP, lanes first (3.0 x4 to 4.0 x8: 100 to"
        " 250 tok/s prefill, +1/3 decode).",
    ),
    # Training over links.
    "finding.fabric.gradient.far": Text(
        "Ordinary training together over this line is out: each step would send {gradient_gb} of gradients, {send_s} at"
        " {bandwidth_bytes_per_s}. Train at one place, or with a method that synchronises rarely (DiLoCo, about 400"
        " times less traffic).",
        "DP gradients {gradient_gb} per step over {bandwidth_bytes_per_s}: {send_s}. One site, or low-communication"
        " training (DiLoCo, about 400× less).",
    ),
    "finding.fabric.gradient.near": Text(
        "Plain data parallel sends {gradient_gb} of gradients per step between the servers: {send_s} at"
        " {bandwidth_bytes_per_s}.",
        "DP gradients {gradient_gb} per step, {send_s} at {bandwidth_bytes_per_s}.",
    ),
    "finding.fabric.shard.known": Text(
        "Weights sharded over the {servers} (ZeRO-3, FSDP) cross the network on every pass: {remote_gb} at"
        " {bandwidth_bytes_per_s} are {pass_s} each time, three times per step. The state fits one server: use one, or"
        " plain data parallel (ZeRO-1 or 2), which moves the gradients only once; a second server does not halve the"
        " time.",
        "ZeRO-3 over {servers}: {remote_gb} per pass at {bandwidth_bytes_per_s} = {pass_s}, 3 passes per step. Fits one"
        " node: single node, or ZeRO-1/2 (gradients once).",
    ),
    "finding.fabric.shard.open": Text(
        "Weights sharded over the {servers} (ZeRO-3, FSDP) cross the network on every pass: {remote_gb} are {ten_s} at"
        " 10 Gbit/s and {hundred_s} at 100, three times per step. The state fits one server: use one, or plain data"
        " parallel (ZeRO-1 or 2), which moves the gradients only once; twice the cards are not twice as fast.",
        "ZeRO-3 over {servers}: {remote_gb} per pass = {ten_s} at 10 Gb/s, {hundred_s} at 100 Gb/s, 3 passes per step."
        " Fits one node: single node, or ZeRO-1/2.",
    ),
    "do.fabric.shard": Text("Keep the sharding inside one server; measure one step on one and on two servers."),
    "finding.fabric.shard.needed": Text(
        "The state fits no single server, so it is sharded over the {servers}: {remote_gb} cross on each pass, {pass_s}"
        " at {bandwidth_bytes_per_s}, three times per step.",
        "ZeRO-3 over {servers}: {remote_gb} per pass, {pass_s} at {bandwidth_bytes_per_s}, 3 passes per step.",
    ),
    "finding.fabric.healthy.rate": Text(
        "A healthy run uses {low_share} to {high_share} of the cards, here {healthy_tokens_per_s} per card. Every 100"
        " tokens/s of a card are {hundred_tflops} TFLOP/s (6 × {parameters_billion} billion × 100), {hundred_share}"
        " of its {peak_tflops}: if you measure a quarter of the healthy rate, the connection or the settings are the"
        " cause, not the cards. Test the connection first, do not add servers.",
        "MFU = 6·P·r / peak: {low_share} to {high_share} of {peak_tflops} TFLOP/s = {healthy_tokens_per_s} per GPU;"
        " 100 tok/s = {hundred_tflops} TFLOP/s = {hundred_share}. Far below: fabric first, not more nodes.",
    ),
    "finding.fabric.healthy.stated": Text(
        "The stated {stated_tokens_per_s} are {used_tflops} TFLOP/s per card (6 × {parameters_billion} billion ×"
        " tokens/s), {used_share} of its {peak_tflops}. A healthy run reaches {low_share} to {high_share}: test the"
        " connection first, do not add servers.",
        "{stated_tokens_per_s} = {used_tflops} TFLOP/s per GPU, MFU {used_share} of {peak_tflops}; healthy"
        " {low_share} to {high_share}.",
    ),
    "finding.fabric.cards.assumed": Text(
        "How many network cards each server has is not known. Servers whose cards are joined by NVSwitch usually have"
        " one per card, {gpus_each} of 200 to 400 Gbit/s; one alone carries only its share of it.",
        "NIC count unknown: NVSwitch nodes usually have one NIC per GPU ({gpus_each} × 200–400 Gb/s).",
    ),
    "do.fabric.cards": Text("Count the network cards (ibv_devices) and enter them at the connection."),
    # What a loss leaves.
    "finding.copies.rest.unequal": Text(
        "At full load the copies give about {each_rates} tokens/s, by the memory rate of their cards. What remains"
        " depends on which one fails: {worst_tokens_per_s} without the fastest, {best_tokens_per_s} without the"
        " slowest. Plan your peak for the first.",
        "Per copy about {each_rates} tokens/s (by bandwidth); N-1 {worst_tokens_per_s} (fastest lost) to"
        " {best_tokens_per_s}.",
    ),
    "finding.copies.rest.asked": Text(
        "Each of the {copies} gives {each_tokens_per_s}. After one loss {left_copies} remain with {left_tokens_per_s};"
        " you need {asked_tokens_per_s}. At {server_percent} % each, {needed} of {of} are up {needed_share} of the"
        " time, all {needed} of only {needed} {bare_share}.",
        "{copies} × {each_tokens_per_s}; N-1 {left_tokens_per_s} against {asked_tokens_per_s}. a = {server_percent} %:"
        " {needed} of {of} {needed_share}, {needed} of {needed} {bare_share}.",
    ),
    "finding.copies.rest.short": Text(
        "Each of the {copies} gives {each_tokens_per_s} by this forecast: your {asked_tokens_per_s} would take"
        " {wanted_copies} and one spare. {copies} are right only if a measured copy gives {wanted_tokens_per_s}: then"
        " {left_copies} carry all after one loss. At {server_percent} % each, at least {needed} of {of} are up"
        " {needed_share} of the time; without the spare one, {needed} of {needed}, only {bare_share}.",
        "{copies} × {each_tokens_per_s}; {asked_tokens_per_s} = {wanted_copies} + 1, or {wanted_tokens_per_s} measured"
        " per replica. a = {server_percent} %: {needed} of {of} {needed_share}, {needed} of {needed} {bare_share}.",
    ),
    "finding.copies.rest.left": Text(
        "Each of the {copies} gives {each_tokens_per_s} at full load. After one loss {left_copies} remain with"
        " {left_tokens_per_s}: plan your peak for that. At {server_percent} % each, at least {needed} of {of} are up"
        " {needed_share} of the time; without the spare one, {needed} of {needed}, only {bare_share}.",
        "{copies} × {each_tokens_per_s}; N-1 {left_tokens_per_s}. a = {server_percent} %: {needed} of {of}"
        " {needed_share}, {needed} of {needed} {bare_share}.",
    ),
    "finding.copies.rest.pair": Text(
        "Each of the two copies gives {each_tokens_per_s} at full load, and no more remains after the loss of one: plan"
        " your peak for that.",
        "N-1: {each_tokens_per_s} remain.",
    ),
    "finding.copies.rest.pair_asked": Text(
        "Each of the two copies gives {each_tokens_per_s}, and no more remains after the loss of one; you need"
        " {asked_tokens_per_s}.",
        "N-1: {each_tokens_per_s} remain against {asked_tokens_per_s}.",
    ),
    "finding.copies.test.sum": Text(
        "Test each copy alone, not through the address in front: the sum should be {copies} times one, about"
        " {total_tokens_per_s}. If the total stays at the rate of one, the proxy (one processor core) or the load"
        " generator is the limit: more proxy workers or a faster router, not a split.",
        "Test each replica directly; sum about {total_tokens_per_s}. If the total stays at one replica's rate, the"
        " proxy (one CPU core) or load generator is the limit: more workers or a faster router.",
    ),
    "finding.failure.survive.alone": Text(
        "You want the service to go on when {wish_code}; in this plan it would stop: there is one copy, and it needs"
        " all {servers}.",
    ),
    "finding.fabric.purchase.measure": Text(
        "Buy no faster connection before the present one is known and measured: the answer above counts with a usual"
        " one.",
        "No fabric in the bill before the present link is known and measured.",
    ),
    "finding.failure.spare.none": Text(
        "A lost copy is started elsewhere only where a spare card with {need_gb} free stands (N+1); here no such card"
        " is free, so it stays down until it is repaired.",
        "Rescheduling needs N+1: a spare group with {need_gb}; none here.",
    ),
    "finding.failure.spare.free": Text(
        "A lost copy can be started again on the cards that are free ({spare_cards}): it needs {need_gb}.",
        "Spare for rescheduling: {spare_cards}, {need_gb} needed.",
    ),
    "finding.failure.spare.general": Text(
        "No scheduler heals it by itself: a lost copy comes back elsewhere only if a spare card with enough memory"
        " stands there (N+1). With a single copy the service is down until somebody acts, so keep at least two on"
        " different servers.",
        "Rescheduling needs N+1 capacity; a single instance is down until someone acts. Two replicas on different"
        " nodes.",
    ),
    "finding.failure.detect.requests": Text(
        "A cluster manager counts a machine as lost only after about {detect_s} without a sign of life. Until then its"
        " share of the requests fails, about {lost_requests}: the address in front needs a probe of its own.",
        "Node loss is detected after about {detect_s}: about {lost_requests} fail; the balancer needs its own probe.",
    ),
    "finding.failure.detect.time": Text(
        "A cluster manager counts a machine as lost only after about {detect_s} without a sign of life; until then its"
        " share of the requests fails: the address in front needs a probe of its own.",
        "Node loss is detected after about {detect_s} of failing requests; the balancer needs its own probe.",
    ),
}
