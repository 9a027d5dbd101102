"""Commands of a pilot: those of the plan's own engine and of the makers of its cards. Nothing that does not apply."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.advice.situation import Situation
from configurator.scaling.results import Layout

PROMPT_TOKENS, ANSWER_TOKENS = 2048, 256
"""Lengths of a measured request where the owner gave none."""
RPC_PORT = 50052
"""The port that llama.cpp's rpc-server listens on unless told otherwise."""
QUESTIONS = "questions.jsonl"
INTEGRATED = ("soc",)
CONSUMER = "consumer"


@dataclass(frozen=True, slots=True)
class Maker:
    """Tools of a maker of cards: what is there, an hour of full work, exchange between cards."""

    inventory: str
    burn_in: str
    exchange: str


MAKERS: dict[str, Maker] = {
    "NVIDIA": Maker(
        "nvidia-smi topo -m; nvidia-smi -q -d ECC,ROW_REMAPPER",
        "dcgmi diag -r 3; gpu_burn -tc 3600",
        "p2pBandwidthLatencyTest",
    ),
    "AMD": Maker("amd-smi static; amd-smi topology", "rvs -c gst_single.conf", "rocm-bandwidth-test"),
    "Apple": Maker(
        "system_profiler SPHardwareDataType SPThunderboltDataType", "sudo powermetrics --samplers gpu_power,thermal", ""
    ),
    "Intel": Maker("xpu-smi discovery; xpu-smi topology -m", "xpu-smi diag -d 0 -l 3", ""),
}
SLOT_WIDTH = {
    "NVIDIA": "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv",
    "AMD": "amd-smi metric --pcie",
}


def makers(s: Situation) -> tuple[str, ...]:
    """Makers of the cards that the layout uses, in the order of the cards."""
    used = set(s.used_cards) or set(s.shape.by_id)
    return tuple(dict.fromkeys(card.record.vendor for each, card in s.shape.by_id.items() if each in used))


def slotted(s: Situation) -> bool:
    """Some card sits in a slot whose width can be read."""
    return any(card.record.form == "pcie" and card.record.vendor in SLOT_WIDTH for card in s.shape.cards)


def inventory(s: Situation) -> str:
    """What lists the cards and their wiring."""
    found = [MAKERS[each].inventory for each in makers(s) if each in MAKERS]
    if slotted(s):
        found += [SLOT_WIDTH[each] for each in makers(s) if each in SLOT_WIDTH]
    return "; ".join(found)


def burn_in(s: Situation) -> str:
    """What makes the cards work for an hour."""
    found = []
    for each in makers(s):
        command = MAKERS[each].burn_in if each in MAKERS else ""
        records = [card.record for card in s.shape.cards if card.record.vendor == each]
        if each == "NVIDIA" and all(card.segment == CONSUMER or card.form in INTEGRATED for card in records):
            # The maker's own diagnosis is for cards of servers and workstations.
            command = "gpu_burn -tc 3600"
        found.append(command)
    return "; ".join(each for each in found if each)


def exchange(s: Situation) -> str:
    """What measures the exchange inside and between the servers of one copy; "" where a copy is one card."""
    if len(s.copy_cards) < 2:
        return ""
    boxes = max(1, len(s.copy_servers))
    inside = len(s.copy_cards) // boxes
    found = [MAKERS[each].exchange for each in makers(s) if each in MAKERS and inside > 1]
    split = s.chosen.layout.tensor_parallel if s.chosen is not None else 1
    if inside > 1 and split > 1 and makers(s)[0] in ("NVIDIA", "AMD"):
        found.append(f"all_reduce_perf -b 8 -e 1G -f 2 -g {min(inside, split)}")
    if boxes > 1:
        found.append("ib_write_bw <other server>" if s.fabric.kind == "rdma" else "iperf3 -c <other server>; ping")
    return "; ".join(each for each in found if each)


def served_by(s: Situation, layout: Layout) -> str:
    """How one copy of a layout is started."""
    model = s.model.hf_id or s.model.id if s.model is not None else ""
    width, stages = layout.tensor_parallel, layout.pipeline_parallel
    boxes = len(s.copy_servers) if layout.width == len(s.copy_cards) else 1
    context = s.workload.max_context_tokens or s.workload.context_tokens
    if layout.engine == "llama.cpp":
        split = "none" if layout.width == 1 else layout.split if layout.split in ("layer", "row") else "layer"
        over = "".join(f" --rpc <server {n}>:{RPC_PORT}" for n in range(2, boxes + 1))
        return (
            f"llama-server -m <model>.gguf -ngl 999 --split-mode {split}{over}"
            + (f" -c {context * (s.workload.users or 1)}" if context else "")
            + (f" -np {s.workload.users}" if (s.workload.users or 1) > 1 else "")
        )
    if layout.engine == "sglang":
        far = f" --nnodes {boxes} --node-rank <0…> --dist-init-addr <first server>:5000" if boxes > 1 else ""
        chain = f" --pp-size {stages}" if stages > 1 else ""
        limit = f" --context-length {context}" if context else ""
        return f"python -m sglang.launch_server --model-path {model} --tp-size {width}{chain}{far}{limit}"
    if layout.engine == "tensorrt-llm":
        return f"trtllm-serve {model} --tp_size {width} --pp_size {stages}" + (
            f" --max_seq_len {context}" if context else ""
        )
    far = " --distributed-executor-backend ray" if boxes > 1 else ""
    limit = f" --max-model-len {context}" if context else ""
    return f"vllm serve {model} --tensor-parallel-size {width} --pipeline-parallel-size {stages}{far}{limit}"


def measured_by(s: Situation, users: int) -> str:
    """What measures the agreed load with the plan's own engine."""
    model = s.model.hf_id or s.model.id if s.model is not None else ""
    load = s.workload
    engine = s.chosen.layout.engine if s.chosen is not None else load.engine
    if engine == "llama.cpp":
        asked, answer = load.input_tokens or PROMPT_TOKENS, load.output_tokens or ANSWER_TOKENS
        counts = "1" if users == 1 else f"1,{users}"
        return f"llama-batched-bench -m <model>.gguf -ngl 999 -npp {asked} -ntg {answer} -npl {counts}"
    if engine == "sglang":
        return (
            f"python -m sglang.bench_serving --backend sglang --model {model} --dataset-name sharegpt"
            f" --dataset-path {QUESTIONS} --max-concurrency {users} --output-file result.jsonl"
        )
    backend = "--backend openai " if engine == "tensorrt-llm" else ""
    return (
        f"vllm bench serve {backend}--model {model} --dataset-name custom --dataset-path {QUESTIONS}"
        f" --max-concurrency {users} --save-result --save-detailed"
    )
