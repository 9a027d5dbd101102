"""All serving measurements of a folder, each run once, without rows that contradict themselves."""

from __future__ import annotations

from pathlib import Path

from reality_rows import Case, count_skipped, family_of, serving_cases
from reality_throughput import throughput_cases

from configurator.catalogue import Catalogue


def all_cases(folder: Path, catalogue: Catalogue) -> tuple[list[Case], dict[str, int]]:
    """Every usable serving case of the folder, and how many rows were left out for which reason."""
    skipped: dict[str, int] = {}
    cases = list(serving_cases(folder, catalogue, skipped))
    listed = list(cases)
    for case in throughput_cases(folder, catalogue, skipped):
        if case.id.startswith("tp-infx") and _printed_twice(case, listed):
            count_skipped(skipped, "the same run in the CSV")
            continue
        cases.append(case)
    kept = []
    for case in cases:
        if _copied(case, cases):
            count_skipped(skipped, "the same figures printed for two GPU models")
        elif _contradicts(case):
            count_skipped(skipped, "figures of the row contradict each other")
        else:
            kept.append(case)
    return kept, skipped


def _copied(case: Case, cases: list[Case]) -> bool:
    """Throughput and times equal to the last digit with another GPU model of the same source."""
    if case.output_rate is None or case.burst is None:
        return False
    return any(
        other.gpu is not case.gpu
        and other.output_rate == case.output_rate
        and other.model is case.model
        and case.gpu.memory_bandwidth.value > other.gpu.memory_bandwidth.value
        for other in cases
    )


def _contradicts(case: Case) -> bool:
    """Users, output rate and times of a closed loop must agree (Little's law) within a factor of two."""
    if case.output_rate is None or case.tpot_s is None or case.ttft_s is None or case.users is None:
        return False
    cycle = case.ttft_s + case.tpot_s * max(case.output_tokens - 1.0, 1.0)
    implied = case.users * case.output_tokens / cycle
    return not 0.5 < implied / case.output_rate < 2.0


def _printed_twice(case: Case, others: list[Case]) -> bool:
    """The same times on the same card and model shape, rounded."""
    return case.tpot_s is not None and any(
        other.gpu is case.gpu
        and other.tpot_s is not None
        and abs(case.tpot_s - other.tpot_s) < 1e-5
        and abs((case.ttft_s or 0.0) - (other.ttft_s or 0.0)) < 1e-4
        and family_of(other.model) == family_of(case.model)
        for other in others
    )
