"""Prints the answer to described cases: ``python -m tests.reality.cases FILE.json [ID ...]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from tests.reality.cases.printed import printed
from tests.reality.cases.translate import project_of


def main(arguments: list[str]) -> None:
    """One block per case: id, verdict, accepted seconds, every sentence."""
    content = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    cases = content["cases"] if isinstance(content, dict) and "cases" in content else content
    for case in cases if isinstance(cases, list) else [cases]:
        if arguments[1:] and case.get("id") not in arguments[1:]:
            continue
        project, catalogue = project_of(case, load_catalogue())
        answer = assess(project, catalogue, deep=True)
        lines = [f"== {case.get('id', '')} {answer.verdict.code}", printed(answer, project.plans[0], catalogue), ""]
        sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
