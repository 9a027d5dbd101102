"""Does it fit, what fills the cards, how long may a request be (R01-R03, R18-R24)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say, told
from configurator.advice.findings.fewer import FOUR_BITS, FOUR_BITS_GGUF, LESS_SHARE, gigabytes, same_cards
from configurator.advice.results import Finding
from configurator.advice.shortfall import shortfall, ways_to_run
from configurator.advice.situation import Situation, at_least, brimful
from configurator.catalogue import Catalogue
from configurator.scaling.splits import tensor_degrees
from configurator.scaling.support import Gap
from configurator.sizing.weights import weight_bytes
from configurator.terms import Message, Value

FAR_TOO_LARGE = 1.5
"""From so many times the memory on, no setting helps: the factor is told."""
NEAR_SHARE = 0.7
"""A suggested model fills at least this share of what the largest fitting one takes."""


def four_bit_format(s: Situation) -> str:
    """Catalogue id of the four-bit format that the workload's engine reads."""
    return FOUR_BITS_GGUF if s.workload.engine == "llama.cpp" else FOUR_BITS


def short(s: Situation) -> Iterator[Finding]:
    """R02, R06, R20, R22: the model starts nowhere, and why: refused, too large, too long, or one card lacks room."""
    lack = shortfall(s)
    if lack is None or s.only_offloaded:
        # A training that leans on system memory runs; its own finding says how slowly.
        return
    common: dict[str, Value] = {
        "weights_gb": round(lack.weights_bytes / 1e9, 1),
        "label_gb": lack.label_gb,
        "weights_bytes": lack.weights_bytes,
        "memory_bytes": lack.memory_bytes,
        "left_bytes": lack.memory_bytes - lack.weights_bytes,
        "gpus": lack.gpus,
        "weights_share": lack.weights_bytes / max(1, lack.memory_bytes),
        "times_factor": lack.weights_bytes / max(1, lack.memory_bytes),
    }
    subjects, out = (s.workload.id,), ways_out(s, lack.memory_bytes)
    cause = s.chosen.memory.reason if s.chosen is not None else None
    if lack.lacking is not None:
        yield from _refused(s, lack.lacking, common)
    elif lack.kind == "weights":
        code = "weights" if lack.weights_bytes < FAR_TOO_LARGE * lack.memory_bytes else "weights_far"
        yield told(f"memory.short.{code}", STOP, subjects, out, rule="R02", params=common)
    elif lack.kind == "context":
        longest = cause.get("longest_tokens") if cause is not None else None
        yield told(
            "memory.short.context",
            STOP,
            subjects,
            do("memory.shorter", max_context_tokens=longest),
            rule="R22",
            params={**common, "asked_tokens": asked_tokens(s), "max_context_tokens": longest},
        )
    elif lack.kind == "card" and s.chosen is not None and s.chosen.instances and lack.short_bytes:
        params = {**common, "short_bytes": lack.short_bytes, "copy_gpus": len(s.copy_cards)}
        yield told("memory.short.card", STOP, subjects, out, rule="R22", params=params)
        if cause is not None:
            yield Finding("memory.cause", STOP, subjects, cause, None, "calculated", "")
    else:
        yield told(
            "memory.short.rest_training" if s.training else "memory.short.rest",
            STOP,
            subjects,
            out,
            rule="R22",
            params=common,
        )
        if cause is not None:
            yield Finding("memory.cause", STOP, subjects, cause, None, "calculated", "")


def _refused(s: Situation, lacking: Gap, common: dict[str, Value]) -> Iterator[Finding]:
    """The engine or the format does not run on these cards: that is not a question of memory."""
    engines, formats = ways_to_run(s)
    params = {
        **common,
        "engine": lacking.engine,
        "card_gpu": lacking.card,
        "weights": s.work.weight_format.name if s.work.weight_format else lacking.weights,
        "needed": f"{lacking.need:.1f}",
        "have": f"{lacking.have:.1f}",
    }
    code = {"engine_reads": "reads", "engine_card": "engine", "format_card": "format"}[lacking.kind]
    numbers = "_numbers" if lacking.need else ""
    room = "" if lacking.kind == "engine_reads" or s.work.weights_bytes > s.shape.memory_bytes else "_room"
    if lacking.kind == "engine_card":
        action = do("memory.refused.engine")
    elif engines and formats:
        action = do("memory.refused.both", engines=engines, formats=formats[:3])
    elif engines:
        action = do("memory.refused.engines", engines=engines)
    elif formats:
        action = do("memory.refused.formats", formats=formats[:3])
    else:
        action = do("memory.refused.engine")
    yield told(
        f"memory.refused.{code}{numbers}{room}",
        STOP,
        (s.workload.id,),
        action,
        rule="R06",
        basis="vendor",
        params=params,
    )


def asked_tokens(s: Situation) -> int | None:
    """Longest request that was asked for."""
    return s.workload.max_context_tokens or s.workload.context_tokens


def ways_out(s: Situation, memory_bytes: int) -> Message:
    """What would make it fit: four bits, more cards, or a smaller model."""
    limit = int(memory_bytes * s.policy.weights_share_high)
    four = s.work.size_at(four_bit_format(s)) if s.work.size_at else 0
    names = suggestions(s.catalogue, s.workload.weights, limit)
    if s.training:
        return do("training.short", limit_bytes=limit)
    if not names:
        return do("memory.short.none", limit_bytes=limit, four_bytes=four)
    if four and four < s.work.weights_bytes * 0.9:
        code = "memory.short.four" if four <= limit else "memory.short.four_too"
        return do(code, four_bytes=four, limit_bytes=limit, suggested_models=names, four_gpus=_cards_for(s, four))
    return do("memory.short.smaller", limit_bytes=limit, limit_gb=round(limit / 1e9), suggested_models=names)


def _cards_for(s: Situation, weights_bytes: int) -> int:
    """Fewest cards that hold so many bytes with the policy's reserve: what a split allows, any number for a chain."""
    usable = min(card.record.memory_usable_bytes for card in s.shape.cards)
    need = max(1, ceil(weights_bytes / (usable * s.policy.weights_share_high)))
    if s.model is None or s.workload.engine == "llama.cpp":
        return need
    return next((each for each in tensor_degrees(s.model) if each >= need), need)


@lru_cache(maxsize=64)
def _sizes(catalogue: Catalogue, weights: str) -> tuple[tuple[int, str, str], ...]:
    weight_format = catalogue.weight_formats.get(weights)
    if weight_format is None:
        return ()
    chat = (each for each in catalogue.models.values() if each.purpose == "generate")
    sized = ((weight_bytes(each, weight_format), each.released, each.id) for each in chat)
    return tuple(sorted(sized, reverse=True))


def suggestions(catalogue: Catalogue, weights: str, limit_bytes: int, count: int = 3) -> tuple[str, ...]:
    """Catalogue models whose weights come near a limit without passing it, the newest first, as ids."""
    fitting = [each for each in _sizes(catalogue, weights) if each[0] <= limit_bytes]
    if not fitting:
        return ()
    near = [each for each in fitting if each[0] >= NEAR_SHARE * fitting[0][0]]
    near.sort(key=lambda each: each[1], reverse=True)
    return tuple(model_id for _, _, model_id in near)[:count]


def not_pooled(s: Situation) -> Iterator[Finding]:
    """R01, R03, R08: memory of boxes that are not one linked group does not add up."""
    boxes = s.shape.boxes
    if len(boxes) < 2:
        return
    apart = len(s.shape.site_ids) > 1
    if s.spans and not apart:
        # The answer joins them provisionally; what is open about the connection is told there.
        return
    fabric = s.shape.fabric(tuple(server.id for server, _ in boxes))
    if not apart and fabric.kind in ("ethernet", "rdma"):
        return
    largest = max(sum(card.record.memory_usable_bytes for card in cards) for _, cards in boxes)
    one_piece = all(card.record.unified_memory for card in s.shape.cards)
    label = sum(card.record.memory_label_gb for card in s.shape.cards)
    yield say(
        "memory.pool.sites" if apart else "memory.pool.servers",
        STOP if not at_least(s.fit, "starts") and s.model else NOTE,
        s.shape.site_ids if apart else tuple(server.id for server, _ in boxes),
        do("memory.pool_machines", all_gb=label) if one_piece and not apart else do("memory.pool"),
        rule="R08" if apart else "R01",
        places=len(s.shape.site_ids),
        servers=len(boxes),
        largest_bytes=largest,
        sum_bytes=s.shape.memory_bytes,
    )


def group_share(s: Situation) -> Iterator[Finding]:
    """How much of all joined cards the weights of a model would take that no single server holds."""
    if s.model is None or s.training or len(s.shape.boxes) < 2 or s.fits_one_box or len(s.shape.site_ids) > 1:
        return
    label = sum(card.record.memory_label_gb for card in s.shape.cards)
    share = s.work.weights_bytes / 1e9 / label
    if share > 1.3:
        return
    yield say(
        "memory.group.full" if share > s.policy.weights_share_high else "memory.group.share",
        STEP if share > s.policy.weights_share_high else NOTE,
        tuple(server.id for server, _ in s.shape.boxes),
        _fewer_bits(s, label) if share > s.policy.weights_share_high else None,
        rule="R22",
        weights_gb=round(s.work.weights_bytes / 1e9),
        label_gb=label,
        weights_share=share,
        servers=len(s.shape.boxes),
        high_share=s.policy.weights_share_high,
    )


def _fewer_bits(s: Situation, label_gb: float) -> Message | None:
    """The next narrower format of the engine, with what it would take of the cards."""
    weights = s.work.weight_format
    if weights is None or s.work.size_at is None:
        return None
    gguf = s.workload.engine == "llama.cpp"
    for each in ("q4_k_m", "q3_k_m", "q2_k") if gguf else ("fp8", FOUR_BITS):
        record = s.catalogue.weight_formats[each]
        if record.bits < weights.bits - 0.5:
            size = s.work.size_at(each)
            share = size / 1e9 / label_gb
            return do("memory.fewer_bits", weights=record.name, size_gb=round(size / 1e9), weights_share=share)
    return None


def reserve(s: Situation) -> Iterator[Finding]:
    """R22, R23: too little left beside the weights; nearly full."""
    if s.model is None or s.chosen is None or not at_least(s.fit, "starts"):
        return
    memory = s.chosen.memory
    occupied = 1 - memory.headroom_share
    four = s.work.size_at(four_bit_format(s)) if s.work.size_at else None
    fewer = four is not None and four < LESS_SHARE * s.work.weights_bytes
    action = do("memory.reserve", four_bytes=four) if fewer else do("memory.reserve_cache")
    if memory.weights_share > s.policy.weights_share_high and not s.training:
        action = same_cards(s) or action
    if s.training:
        action = do("training.reserve")
    if occupied > s.policy.occupied_stop:
        yield say(
            "memory.reserve.full_training" if s.training else "memory.reserve.full",
            STEP,
            (s.workload.id,),
            action,
            rule="R23",
            occupied_share=occupied,
            stop_share=s.policy.occupied_stop,
        )
    elif not at_least(s.fit, "serves_with_reserve") and not s.training:
        yield say(
            "memory.reserve.thin" if memory.weights_share > s.policy.weights_share_high else "memory.reserve.load",
            STEP,
            (s.workload.id,),
            action,
            rule="R22",
            weights_share=memory.weights_share,
            left_share=max(0.0, 1 - memory.weights_share),
            headroom_share=memory.headroom_share,
            low_share=s.policy.headroom_low,
            high_share=s.policy.headroom_high,
            weights_gb=round(s.work.weights_bytes / 1e9),
            label_gb=sum(s.shape.by_id[each].record.memory_label_gb for each in s.copy_cards),
        )
    if brimful(s.chosen):
        yield say(
            "memory.brim",
            STEP,
            (s.workload.id,),
            do("memory.reserve", four_bytes=four) if fewer else do("memory.reserve_cache"),
            rule="R23",
            full_share=memory.reason.get("full_share") if memory.reason else None,
        )
    if s.workload.users is not None and not s.training and not at_least(s.fit, "serves"):
        yield say(
            "memory.load.short",
            STEP,
            (s.workload.id,),
            do("memory.load.short"),
            rule="R22",
            asked_users=s.workload.users,
            served_users=memory.users_served,
            context_tokens=s.workload.context_tokens,
        )


def cache(s: Situation) -> Iterator[Finding]:
    """R24: the arithmetic of the KV cache, in the open."""
    if s.model is None or s.training or not s.work.kv_bytes_per_token:
        return
    tokens = s.workload.context_tokens or s.workload.max_context_tokens
    users = s.workload.users or 1
    per_token = s.work.kv_bytes_per_token
    if tokens is not None:
        yield say(
            "memory.cache.sum",
            NOTE,
            (s.workload.id,),
            rule="R24",
            token_bytes=per_token,
            context_tokens=tokens,
            users=users,
            all_bytes=per_token * tokens * users,
            all_gb=gigabytes(per_token * tokens * users),
        )
    else:
        yield say("memory.cache.token", NOTE, (s.workload.id,), rule="R24", token_bytes=per_token)
    if s.work.kv_heads_full and s.model.kv_heads > 8:
        yield say(
            "memory.cache.full_heads",
            STEP if not at_least(s.fit, "serves_with_reserve") else NOTE,
            (s.workload.id,),
            do("memory.cache.full_heads"),
            kv_count=s.model.kv_heads,
            token_bytes=per_token,
            grouped_bytes=per_token * 8 / s.model.kv_heads,
        )


def usable(s: Situation) -> Iterator[Finding]:
    """Usable memory is less than the label; desktop use and unified memory take their part."""
    subjects = tuple(card.gpu.id for card in s.shape.cards)
    unified = [card for card in s.shape.cards if card.record.unified_memory]
    if unified:
        record = unified[0].record
        yield say(
            "memory.usable.unified",
            NOTE,
            tuple(card.gpu.id for card in unified),
            do("memory.unified"),
            basis="measured",
            label_gb=record.memory_label_gb,
            usable_bytes=record.memory_usable_bytes,
            usable_share=record.memory_usable_bytes / (record.memory_label_gb * 2**30),
        )
    shown = [card for card in s.shape.cards if card.gpu.drives_display]
    if shown:
        group = len(s.copy_cards) or len(s.shape.cards)
        yield say(
            "memory.usable.display",
            STEP if group > 1 else NOTE,
            tuple(card.gpu.id for card in shown),
            do("memory.display"),
            basis="measured",
            gpus=group,
        )
    if any(card.server.host == "wsl2" for card in s.shape.cards):
        yield say("memory.usable.wsl", NOTE, subjects, basis="measured")


def native_size(s: Situation) -> Iterator[Finding]:
    """A natively quantised model is measured by its files, not by parameters times two."""
    if s.model is None or not s.model.native_quantisation or s.model.native_quantisation.lower() in ("none", "bf16"):
        return
    weights = s.work.weight_format
    if weights is None or weights.bits > 8.6 or weights.family not in s.model.native_quantisation.lower():
        return
    yield say(
        "memory.native.size",
        NOTE,
        (s.workload.id,),
        basis="vendor",
        weights_gb=round(s.work.weights_bytes / 1e9),
        naive_gb=round(s.parameters * 2 / 1e9),
        parameters_billion=round(s.parameters / 1e9),
    )


def uneven_layers(s: Situation) -> Iterator[Finding]:
    """Layers of different size: split by bytes, not by count."""
    if s.model is None or s.model.kind != "dense":
        return
    kinds = {(group.kind, group.kv_heads) for group in s.model.attention}
    if "nas" in s.model.layer_pattern.lower() or any(kind == "none" for kind, _ in kinds):
        yield say("memory.layers.uneven", STEP, (s.workload.id,), do("memory.layers"), basis="vendor")
