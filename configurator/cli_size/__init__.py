"""``configurator size``: one question to sizing on the command line, or many from a file of JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue

EPILOG = "Fields of the JSON: resources/help/size.schema.json"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program's parser."""
    parser = commands.add_parser("size", help="does a model fit, and for how many people", epilog=EPILOG)
    _add_options(parser)
    parser.set_defaults(run=run)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command on its own: ``python -m configurator.cli_size``."""
    parser = argparse.ArgumentParser(prog="configurator size", epilog=EPILOG)
    _add_options(parser)
    return run(parser.parse_args(arguments))


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gpu", action="append", metavar="NAME", help="card, as people call it; may be repeated with --count")
    add("--count", action="append", type=int, metavar="N", help="how many of that card in all")
    add("--servers", type=int, help="servers the cards are spread over, evenly")
    add("--fabric", help="network between the servers, such as 100gbe")
    add("--model", help="catalogue id, Hugging Face id or name")
    add("--model-config", metavar="FILE", help="a config.json, a GGUF file or a safetensors file instead of --model")
    add("--weights", help="number format of the weights: bf16, fp8, awq-int4, nvfp4, q4_k_m, ...")
    add("--kv", default=None, help="number format of the KV cache: auto, bf16, fp8, q8_0, ...")
    add("--engine", choices=("vllm", "sglang", "llama.cpp", "tensorrt-llm"))
    add("--engine-version")
    add("--gpu-memory-utilization", type=float, metavar="SHARE")
    add("--max-model-len", type=int, metavar="N")
    add("--max-num-seqs", type=int, metavar="N")
    add("--max-num-batched-tokens", type=int, metavar="N")
    add("--enforce-eager", action="store_true", default=None)
    add("--tensor-parallel", type=int, metavar="N")
    add("--pipeline-parallel", type=int, metavar="N")
    add("--expert-parallel", type=int, metavar="N")
    add("--replicas", type=int, metavar="N")
    add("--input-tokens", type=int, metavar="N")
    add("--output-tokens", type=int, metavar="N")
    add("--users", type=int, metavar="N", help="requests in flight at the same time")
    add("--task", choices=("serve", "batch", "lora", "qlora", "full", "pretrain"))
    add("--sequence-tokens", type=int, metavar="N", help="training: tokens of one sequence")
    add("--micro-batch", type=int, metavar="N", help="training: sequences of one step on one copy")
    add("--lora-rank", type=int, metavar="N")
    add("--json", action="store_true", help="the answer as JSON")
    add("--cases", metavar="FILE", help="one JSON case a line in, one JSON answer a line out; - reads standard input")


def run(options: argparse.Namespace) -> int:
    """Answer one case or a file of cases. Exit code 1: the case cannot be understood (a sentence says why)."""
    if options.cases:
        return _run_file(options.cases)
    from configurator.cli_size.answers import CaseError, answer
    from configurator.cli_size.text import as_text

    case = {name: value for name, value in vars(options).items() if value is not None}
    for name in ("command", "run", "json", "cases"):
        case.pop(name, None)
    case.update(remedies=True, speed=options.json)
    try:
        gpus, counts = case.pop("gpu", []), case.pop("count", [])
        case["gpus"] = _paired(gpus, counts)
        result = answer(case, _catalogue())
    except CaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if options.json:
        sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(as_text(result) + "\n")
    return 0


def _paired(gpus: list[str], counts: list[int]) -> list[dict[str, Any]]:
    from configurator.cli_size.answers import CaseError

    if len(counts) > len(gpus):
        raise CaseError("There are more --count than --gpu: write each --gpu before its --count.")
    counts = counts + [1] * (len(gpus) - len(counts))
    return [{"gpu": gpu, "count": count} for gpu, count in zip(gpus, counts, strict=True)]


def _catalogue() -> Catalogue:
    from configurator.catalogue import load_catalogue, user_catalogue_file

    return load_catalogue(user_catalogue_file())


def _run_file(name: str) -> int:
    try:
        lines = sys.stdin.readlines() if name == "-" else Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"The file “{name}” cannot be read: {error}.\n")
        return 1
    for result in answers_to(lines, _catalogue()):
        sys.stdout.write(json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n")
    sys.stdout.flush()
    return 0


def answers_to(lines: Iterable[str], catalogue: Catalogue) -> Iterable[Mapping[str, Any]]:
    """One answer per line that is not blank; a line that cannot be understood gives {"error": sentence}."""
    from configurator.cli_size.answers import CaseError, answer

    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        case: Any = None
        try:
            case = json.loads(line)
            if not isinstance(case, dict):
                raise CaseError("A case is a JSON object with the names of the options.")
            yield answer(case, catalogue)
        except json.JSONDecodeError as error:
            yield {"error": f"Line {number} is not JSON: {error.msg} at column {error.colno}."}
        except CaseError as error:
            known = {"id": case["id"]} if isinstance(case, dict) and "id" in case else {}
            yield {**known, "error": str(error)}
        except RecursionError:
            yield {"error": f"Line {number} is nested too deeply."}
