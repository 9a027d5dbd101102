"""Findings about how a model is cut: the smallest group and its copies, degrees that do not divide, chains."""

from __future__ import annotations

from configurator.wording.texts.text import Text

_ROOM = " Beside the weights each copy has room for about {room_tokens} of conversation ({room_gb})."
_ROOM_MANY = (
    " Beside the weights each copy has room for about {room_tokens} of conversation ({room_gb}): {requests} of"
    " {context_tokens} at once."
)
_ROOM_WINDOW = (
    " Beside the weights each copy has room for {requests} of {context_tokens} at once: layers with a window keep only"
    " the last {window_tokens} of each."
)
_ROOM_STATES = (
    " Beside the weights each copy has room for {requests} of {context_tokens} at once: part of the layers keep a state"
    " of fixed size, whatever the length."
)
_KV_WINDOW = " KV pool per copy: {requests} at {context_tokens} (sliding window {window_tokens})."
_KV_STATES = " KV pool per copy: {requests} at {context_tokens} (recurrent layers: fixed state)."
_KV = " KV pool per copy about {room_tokens} ({room_gb})."
_KV_MANY = " KV pool per copy about {room_tokens} ({room_gb}): {requests} at {context_tokens}."

_GROUPS: dict[str, tuple[str, str]] = {
    "one_card": (
        (
            "The weights of one copy are {weights_gb}, {weights_share} of one card with {label_gb}: one card per copy,"
            " {copies}."
        ),
        "Weights {weights_gb} = {weights_share} of one {label_gb} card: DP={copies}, TP=1.",
    ),
    "copies": (
        (
            "The weights of one copy are {weights_gb}, {weights_share} of {copy_gpus} with {label_gb} together:"
            " {copies} on {copy_gpus} each."
        ),
        "Weights {weights_gb} = {weights_share} of {copy_gpus} ({label_gb}): {copies} of {copy_gpus}.",
    ),
    "single": (
        (
            "The weights are {weights_gb}, {weights_share} of {copy_gpus} with {label_gb} together: the smallest group"
            " that holds them with reserve is {copy_gpus}."
        ),
        "Weights {weights_gb} = {weights_share} of {copy_gpus} ({label_gb}): smallest group.",
    ),
    "all": (
        (
            "The weights are {weights_gb}, {weights_share} of all {copy_gpus} with {label_gb} together. Half of the"
            " cards ({half_gpus}, {half_gb}) do not hold them: the cards belong into one machine, not into two halves."
        ),
        (
            "Weights {weights_gb} = {weights_share} of all {copy_gpus} ({label_gb}); {half_gpus} ({half_gb}) do not"
            " hold them: one chassis, not two."
        ),
    ),
    "whole": (
        "The weights are {weights_gb}, {weights_share} of {copy_gpus} with {label_gb} together.",
        "Weights {weights_gb} = {weights_share} of {copy_gpus} ({label_gb}).",
    ),
    "only": (
        "The weights are {weights_gb}, {weights_share} of the card's {label_gb}.",
        "Weights {weights_gb} = {weights_share} of {label_gb}.",
    ),
}

_SAME = "With {people_users} at once "

_WAYS: dict[str, tuple[str, str]] = {
    "both": (
        "Use TP={inside_count} with a chain of {chain_stages} (TP={inside_count} x PP={depth_count})",
        "TP={inside_count} x PP={depth_count}",
    ),
    "chain": (
        "Use a chain of {chain_stages}, each card with layers of its own (TP=1, PP={depth_count})",
        "PP={depth_count} with TP=1",
    ),
}
_EXTRAS: dict[str, tuple[str, str]] = {
    "": (".", "."),
    ".experts": (
        ", or TP={tensor_count} with expert parallel: whole experts on each card.",
        ", or TP={tensor_count} with --enable-expert-parallel.",
    ),
    ".padded": (
        ", or a checkpoint padded to a width of {padded_count} before it was quantised.",
        ", or a checkpoint padded to {padded_count} before quantisation.",
    ),
    ".more": (
        ", or one more card: {more_count} divide.",
        ", or one more card (TP={more_count}).",
    ),
}

TEXTS: dict[str, Text] = {
    **{
        f"finding.split.group.{kind}": Text(owner + _ROOM, operator + _KV)
        for kind, (owner, operator) in _GROUPS.items()
    },
    **{
        f"finding.split.group.{kind}.requests": Text(owner + _ROOM_MANY, operator + _KV_MANY)
        for kind, (owner, operator) in _GROUPS.items()
    },
    **{
        f"finding.split.group.{kind}.{room}": Text(owner + more, operator + more_operator)
        for kind, (owner, operator) in _GROUPS.items()
        for room, more, more_operator in (
            ("window", _ROOM_WINDOW, _KV_WINDOW),
            ("states", _ROOM_STATES, _KV_STATES),
        )
    },
    **{
        f"do.split.cut.{base}{extra}": Text(owner + more, operator + more_operator)
        for base, (owner, operator) in _WAYS.items()
        for extra, (more, more_operator) in _EXTRAS.items()
    },
    "finding.split.rooms.by_card": Text(
        "The cards differ, so each copy has a limit of its own: about {rooms} tokens of conversation beside the weights"
        " ({token_bytes} per token).",
        "Per-copy KV limits: {rooms} tokens ({token_bytes} per token).",
    ),
    "do.split.rooms": Text(
        "Set the longest request of each copy by its card, and send long requests to the larger one."
    ),
    "do.split.side": Text("With {fewer_copies}, {copy_gpus} stay free for other models."),
    "do.split.shorter": Text(
        "Limit the length of conversations, or keep the cache in 8 bits, before counting on copies."
    ),
    "finding.split.alone.faster": Text(
        "One person alone gets {wide_tokens_per_s} from {wide_gpus} and {small_tokens_per_s} from {small_gpus}:"
        " {gain_factor} as fast, not in step with the number of cards.",
        "Single stream: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s} ({gain_factor}).",
    ),
    "finding.split.alone.faster_unproven": Text(
        "One person alone would get {wide_tokens_per_s} from {wide_gpus} and {small_tokens_per_s} from {small_gpus} by"
        " forecast. But the model takes at most half a card and nobody has shown that these cards exchange directly"
        " (P2P): owners measured such splits at 0.4 to 1.8 × of one card. Until you measured it, one card per copy is"
        " the default, and further cards serve further copies.",
        "Single stream forecast: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s}; P2P unproven, real"
        " gain 0.4–1.8 ×. Default TP=1, one replica per GPU, until measured.",
    ),
    "finding.split.alone.same": Text(
        "One person alone gets {wide_tokens_per_s} from {wide_gpus} and {small_tokens_per_s} from {small_gpus}: more"
        " cards bring no speed. Use the smallest number of cards that fits.",
        "Single stream: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s}: no gain. Use the smallest"
        " count that fits.",
    ),
    "finding.split.alone.slower": Text(
        "More cards are slower for one person alone: {wide_tokens_per_s} from {wide_gpus}, {small_tokens_per_s} from"
        " {small_gpus}. Use the smallest number of cards that fits.",
        "Scaling is not monotonic: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s} alone. Use the"
        " smallest count that fits.",
    ),
    "finding.split.alone.same_full": Text(
        "One person alone gets {wide_tokens_per_s} from {wide_gpus} and {small_tokens_per_s} from {small_gpus}: more"
        " cards bring room, not speed. On {small_gpus} the weights take {narrow_share}: it starts at best, with next to"
        " no room for conversations.",
        "Single stream: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s}: no gain; but {small_gpus}"
        " are {narrow_share} full with weights.",
    ),
    "finding.split.alone.slower_full": Text(
        "More cards are slower for one person alone, {wide_tokens_per_s} from {wide_gpus} against {small_tokens_per_s}"
        " from {small_gpus}, but they bring room: on {small_gpus} the weights take {narrow_share}, it starts at best,"
        " with next to no room for conversations.",
        "Single stream: {wide_gpus} {wide_tokens_per_s}, {small_gpus} {small_tokens_per_s}; but {small_gpus} are"
        " {narrow_share} full with weights.",
    ),
    "wide.split": Text("the widest split"),
    "wide.chain": Text("one model in a chain of splits"),
    "finding.split.compare.copies": Text(
        _SAME + "{copies} on {copy_gpus} each give {copies_tokens_per_s} in all, {wide_code}, over {split_gpus},"
        " gives {split_tokens_per_s}: copies are better for many users ({better_factor}).",
        "{people_users}: {copies} × {copy_gpus} {copies_tokens_per_s}, {wide_code} ({split_gpus})"
        " {split_tokens_per_s} ({better_factor}).",
    ),
    "finding.split.compare.equal": Text(
        _SAME + "{copies} on {copy_gpus} each and {wide_code}, over {split_gpus}, give about the same in all"
        " ({copies_tokens_per_s} and {split_tokens_per_s}); with copies less stops when a card fails.",
        "{people_users}: {copies} × {copy_gpus} {copies_tokens_per_s}, {wide_code} ({split_gpus})"
        " {split_tokens_per_s}: equal; replicas have the smaller failure domain.",
    ),
    "finding.split.compare.turns": Text(
        _SAME + "{wide_code}, over {split_gpus}, gives {split_tokens_per_s} in all, {copies} on {copy_gpus} each"
        " {copies_tokens_per_s}. With {full_users}, all that the copies hold, they are level or ahead:"
        " {full_copies_tokens_per_s} against {full_split_tokens_per_s}; and with copies less stops when a card fails.",
        "{people_users}: {wide_code} ({split_gpus}) {split_tokens_per_s}, {copies} × {copy_gpus}"
        " {copies_tokens_per_s}; at {full_users} {full_copies_tokens_per_s} against {full_split_tokens_per_s}.",
    ),
    "finding.split.compare.little": Text(
        _SAME + "{wide_code}, over {split_gpus}, gives {split_tokens_per_s} in all, {copies} on {copy_gpus} each"
        " give {copies_tokens_per_s}. With more people the copies catch up, and with copies less stops when a card"
        " fails.",
        "{people_users}: {wide_code} ({split_gpus}) {split_tokens_per_s}, {copies} × {copy_gpus}"
        " {copies_tokens_per_s}; replicas catch up with load and have the smaller failure domain.",
    ),
    "finding.split.compare.split": Text(
        _SAME + "{wide_code}, over {split_gpus}, gives {split_tokens_per_s} in all, {copies} on {copy_gpus} each"
        " would give {copies_tokens_per_s} ({better_factor}). For many more people than that, compare both in the"
        " pilot.",
        "{people_users}: {wide_code} ({split_gpus}) {split_tokens_per_s}, {copies} × {copy_gpus}"
        " {copies_tokens_per_s} ({better_factor}); compare both at higher load.",
    ),
    "finding.split.compare.room": Text(
        "{copies} on {copy_gpus} each have room for {held_users} at once at this length, not for {people_users}. With"
        " shorter conversations copies carry more for many users than {wide_code}, over {split_gpus}, and less"
        " stops when a card fails.",
        "{copies} × {copy_gpus} hold {held_users} of {people_users} at this context; with shorter contexts replicas"
        " out-carry {wide_code} ({split_gpus}).",
    ),
    "finding.split.cut.heads": Text(
        "A split over {tensor_count} cards (TP={tensor_count}) is invalid for {heads}: they divide by {heads_counts}."
        " On these cards {valid_counts} are valid; the head count is necessary, not sufficient, KV heads and groups of"
        " quantised weights must divide too.",
        "TP={tensor_count} is invalid for {heads}: they divide by {heads_counts}. Valid here, with KV heads and"
        " quantisation groups: TP {valid_counts}. Head count is not the only divisor.",
    ),
    "finding.split.cut.heads.memory": Text(
        "By memory alone {tensor_count} of {box_gpus} would do, and a scheduler that counts so takes them; but TP="
        "{tensor_count} is invalid for {heads}: they divide by {heads_counts}. On these cards {valid_counts} are valid;"
        " KV heads and groups of quantised weights must divide too.",
        "{tensor_count} of {box_gpus} by memory, but TP={tensor_count} is invalid for {heads}: they divide by"
        " {heads_counts}. Valid here, with KV heads and quantisation groups: TP {valid_counts}.",
    ),
    "finding.split.cut.kv.memory": Text(
        "By memory alone {tensor_count} of {box_gpus} would do, and a scheduler that counts so takes them; but TP="
        "{tensor_count} divides the {heads} and not the {kv_count} KV heads: it is invalid. Valid here:"
        " {valid_counts}.",
        "{tensor_count} of {box_gpus} by memory, but TP={tensor_count} is incompatible with {kv_count} KV heads"
        " although it divides {heads}. Valid TP values: {valid_counts}.",
    ),
    "do.split.cut.next": Text(
        "Use the next valid count, TP={next_count}: the weights take {next_share} of its cards.",
    ),
    "do.split.cut.next_copies": Text(
        "Use the next valid count, TP={next_count}: the weights take {next_share} of its cards, and one server has room"
        " for {copies}.",
    ),
    "finding.split.cut.others": Text(
        "A split over {tensor_count} cards divides the {heads}, but that is necessary, not sufficient: vocabulary and"
        " group sizes must divide too, and engines prefer powers of two.",
        "TP={tensor_count} divides {heads}; head count is necessary, not the only divisor.",
    ),
    "finding.split.cut.kv": Text(
        "A split over {tensor_count} cards (TP={tensor_count}) divides the {heads} but not the {kv_count} KV heads: it"
        " is invalid. Valid here: {valid_counts}.",
        "TP={tensor_count} is incompatible with {kv_count} KV heads although it divides {heads}. Valid TP values:"
        " {valid_counts}.",
    ),
    "finding.split.cut.experts": Text(
        "A plain split over {tensor_count} cards (TP={tensor_count}) is refused although {heads} divide: each expert is"
        " {width_count} wide, {width_count} / {tensor_count} = {slice_size} is no multiple of the block of"
        " {block_count} ({weights}). Valid here: {valid_counts}.",
        "TP={tensor_count} refused: expert width {width_count} / {tensor_count} = {slice_size} is not a multiple of"
        " {block_count} ({weights}). Valid TP values: {valid_counts}.",
    ),
    "finding.split.cut.mlp": Text(
        "A split over {tensor_count} cards (TP={tensor_count}) is refused although {heads} divide: the layer width"
        " {width_count} is {groups_count} groups of {block_count} ({weights}), and {groups_count} do not divide by"
        " {tensor_count}. Valid here: {valid_counts}.",
        "TP={tensor_count} refused: {width_count} / {block_count} = {groups_count} quantisation groups do not divide by"
        " {tensor_count} ({weights}). Valid TP values: {valid_counts}.",
    ),
    "finding.split.cut.odd": Text(
        "A split over {tensor_count} cards (TP={tensor_count}) is refused although {heads} divide: the layer width"
        " {width_count} is {groups_count} quantisation groups of {block_count} ({weights}), an odd number that does not"
        " divide by 2, 4 or 8. Valid here: {valid_counts}.",
        "TP=2, 4, 8 refused: {width_count} / {block_count} = {groups_count} quantisation groups, an odd number"
        " ({weights}). Valid TP values: {valid_counts}.",
    ),
    "finding.split.heads.kv": Text(
        "Number of KV heads: {kv_count}. Split over more cards than that, each card holds a copy, so the cache does not"
        " shrink further.",
        "{kv_count} KV heads under TP={tensor_count}: KV replicates.",
    ),
    "finding.split.odd.count": Text(
        "{gpus} in one server is an odd count: heads rarely divide by it. A chain of stages works with any count, an"
        " even subset works with a split; uneven slices make the lighter card wait.",
        "{gpus}: odd counts need PP stages or an even subset; uneven TP makes the lighter card wait.",
    ),
    "do.split.odd": Text("Choose the model first; then use pipeline stages or two of the cards."),
    "finding.split.idle.cards": Text(
        "Not used: {idle_cards}. The model runs on {used_gpus} ({copies}).",
        "{idle_cards} idle; layout uses {used_gpus} (TP={tensor_count}).",
    ),
    "do.split.idle_small": Text("Give the rest another job, such as a second, smaller model."),
    "do.split.idle": Text(
        "Give the rest another job, such as a second, smaller model, or quantise so that more copies fit; a further"
        " copy needs {copy_gpus} in one server.",
    ),
    "finding.split.reason.missing": Text(
        "You asked for a split over {asked_gpus}, but {needed_gpus} would hold the model. Without a reason the split"
        " costs speed.",
        "Layout over {asked_gpus} where {needed_gpus} suffice: reason required.",
    ),
    "do.split.reason": Text("Write down the reason, or run copies of {needed_gpus} each."),
    "finding.split.stages.idle": Text(
        "A chain of {stages} keeps its cards busy only with as many requests at once; you have {requests}. A chain"
        " does not spread the load evenly: most cards wait.",
        "{stages} with {requests} in flight: pipeline bubbles, most cards idle.",
    ),
    "do.split.stages": Text("Run independent copies instead of a long chain."),
    "finding.split.mixed.tiny": Text(
        "The {small_gpu} with {small_gb} is too small to help: its share does not even hold the fixed part every card"
        " needs.",
        "{small_gpu} ({small_gb}) below useful size: per-GPU overhead eats it.",
    ),
    "do.split.leave_out": Text(
        "Leave the {left_gpu} out unless the model otherwise does not fit; give it another job.",
    ),
    "finding.split.mixed.smallest": Text(
        "A split takes the same amount on each card, so the smallest rules: {gpus} × {small_gb} = {tensor_gb}. A chain"
        " with unequal numbers of layers can use all {all_gb}.",
        "TP usable = {gpus} × smallest {small_gb} = {tensor_gb}; PP with uneven layers can use {all_gb}.",
    ),
    "do.split.mixed": Text(
        "Group equal cards: inside a group split, between groups chain with unequal numbers of layers.",
        "Equal cards into TP groups; groups become PP stages with unequal layer counts (order the visible devices).",
    ),
    "finding.split.mixed.llama_cpp": Text(
        "The engine llama.cpp can split over unequal cards by ratio; vLLM and SGLang want equal cards inside a group.",
    ),
    "finding.split.mixed.slowest": Text(
        "The {slow_gpu} reads memory at {slow_bytes_per_s}, the {fast_gpu} at {fast_bytes_per_s}: in a shared model"
        " the slowest stage sets the pace, not the average; for one person the times of all stages add up. More cards"
        " are not more speed here.",
        "{slow_gpu} ({slow_bytes_per_s}) against {fast_gpu} ({fast_bytes_per_s}): slowest stage sets the pace;"
        " separate replicas are simpler.",
    ),
    "do.split.goal": Text("Say what you want: one fast answer, or many answers at the same time."),
    "do.split.copies": Text("Run independent copies behind one address."),
    "do.split.turns": Text(
        "Run independent copies behind one address for many people; with {people_users} or fewer the wider split is"
        " faster.",
    ),
    "do.split.small": Text("For many users run one copy per card; for one user keep it on the fastest card."),
    "finding.split.chain.single": Text(
        "A chain adds room, not speed: each word passes all {stages} in turn (layers: {cut}). More stages than the"
        " weights need add room for conversations, not tokens per second; more speed for many people comes from"
        " copies.",
        "PP={stages} (layers {cut}) adds KV room; a single stream gets no speed-up, and stages beyond what the weights"
        " need add no throughput: use replicas.",
    ),
    "finding.split.chain.roof": Text(
        "Without NVLink a chain of layers over {gpus} works as well: it needs little of the slots, but each word passes"
        " the cards in turn, so their speeds do not add. It runs at the speed of one such card, at most"
        " {roof_tokens_per_s} ({card_bytes_per_s} over {read_gb} of weights). Only a split in step"
        " (TP={tensor_count}) can be faster, as far as the slots carry its exchange.",
        "Layer split (PP={tensor_count}) over plain PCIe, no NVLink needed: speeds do not add, roof of one card"
        " {card_bytes_per_s} / {read_gb} = {roof_tokens_per_s}. TP={tensor_count} only as far as the slots carry it.",
    ),
    "do.split.chain.both": Text("Measure both with your own questions before relying on the faster figure."),
    "finding.split.mixed.layers": Text(
        "The {layers} are cut by memory and speed: {shares}. The cards work one after another, each word passes all"
        " {stages} in turn, so a card is busy only for its share of the layers: a low load on the smaller one is"
        " normal. Weights and conversations together take {sum_gb} of {label_gb} ({weights_gb} and {cache_gb}).",
        "Layers {shares}; load share = layer share, stages run in turn. Weights {weights_gb} + KV {cache_gb}"
        " ({context_tokens}) = {sum_gb} of {label_gb}.",
    ),
    "finding.split.mixed.layers_eight": Text(
        "The {layers} are cut by memory and speed: {shares}. The cards work one after another, each word passes all"
        " {stages} in turn, so a card is busy only for its share of the layers: a low load on the smaller one is"
        " normal. Weights and conversations together take {sum_gb} of {label_gb} ({weights_gb} and {cache_gb}); with"
        " the cache in 8 bits {eight_gb}.",
        "Layers {shares}; load share = layer share, stages run in turn. Weights {weights_gb} + KV {cache_gb}"
        " ({context_tokens}) = {sum_gb} of {label_gb}; {eight_gb} with an 8-bit KV cache.",
    ),
    "finding.split.prompt.slow": Text(
        "On ordinary slots a split can make answers faster and yet long prompts slower: choose by prompt length.",
        "On PCIe without a GPU link TP speeds decode but may slow prefill: choose by prompt length.",
    ),
    "do.split.prompt": Text("With long prompts compare a split with a chain in the pilot."),
    "finding.split.sparse.exchange": Text(
        "Only {active_share} of this model work for each token ({active_billion} billion parameters), so the exchange"
        " between cards weighs more than the reading: even fast links may not help one stream.",
        "Sparse model, {active_billion} B active ({active_share}): TP exchange dominates, NVLink TP may not help one"
        " stream.",
    ),
}
