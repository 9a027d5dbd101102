"""Headless commands, each a few lines over assess(). Without a command the window opens.

Exit codes: 0 done, 1 the input cannot be used (a sentence says why), 2 wrong use of the command line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configurator import __version__

if TYPE_CHECKING:
    from configurator.assess import Assessment
    from configurator.catalogue import Catalogue
    from configurator.plan.model import Project
    from configurator.wording import Wording

COMMANDS = ("assess", "proposal", "catalogue", "size", "examples")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, or open the window."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    first = next((each for each in arguments if not each.startswith("-")), None)
    if first not in COMMANDS and not {"-h", "--help", "--version"} & set(arguments):
        if first is not None and _mistyped(first):
            known = ", ".join(COMMANDS)
            sys.stderr.write(f"“{first}” is neither a command ({known}) nor a plan file that is there.\n")
            return 2
        return _window(arguments)
    parser = _parser()
    options = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except BrokenPipeError:
        # The reader of a pipe has gone: not our fault, and no traceback.
        sys.stderr.close()
        return 0


def _mistyped(word: str) -> bool:
    """A word that cannot be a file somebody wants to open."""
    return Path(word).suffix == "" and not Path(word).exists()


def _window(arguments: list[str]) -> int:
    try:
        from configurator.desktop.app import run
    except ImportError as error:
        sys.stderr.write(
            f"The window cannot open: {error}. Start it with: python3 packaging/dev.py run (sets up what is missing).\n"
        )
        return 1
    return run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="configurator",
        description="Plan GPUs for AI models before buying. Without a command the window opens, with a file if named.",
    )
    parser.add_argument("--version", action="version", version=f"configurator {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")

    assess = commands.add_parser("assess", help="assess a plan file")
    assess.add_argument("plan", type=Path, help="a .gpuplan file")
    assess.add_argument("--plan-id", help="one of the file's plans; default: the one last shown")
    assess.add_argument("--json", action="store_true", help="everything, as JSON")
    assess.add_argument("--operator", action="store_true", help="wording for an operator instead of an owner")
    assess.set_defaults(run=_assess)

    proposal = commands.add_parser("proposal", help="write the PDF proposal of a plan file")
    proposal.add_argument("plan", type=Path, help="a .gpuplan file")
    proposal.add_argument("--plan-id", help="one of the file's plans; default: the one last shown")
    proposal.add_argument("--output", type=Path, required=True, help="the PDF to write")
    proposal.add_argument("--date", help="date on the cover, YYYY-MM-DD; default: today")
    proposal.set_defaults(run=_proposal)

    catalogue = commands.add_parser("catalogue", help="list what can be bought and run")
    catalogue.add_argument("table", choices=("gpus", "servers", "networks", "models"))
    catalogue.add_argument("--json", action="store_true", help="all fields, as JSON")
    catalogue.set_defaults(run=_catalogue)

    examples = commands.add_parser("examples", help="write the example projects as files")
    examples.add_argument("folder", type=Path)
    examples.set_defaults(run=_examples)

    from configurator.cli_size import add_parser as add_size

    add_size(commands)
    return parser


def _open(path: Path, wording: Wording) -> Project | None:
    from configurator.plan.store import StoreError, load

    try:
        return load(path)
    except StoreError as error:
        for each in error.messages:
            sys.stderr.write(wording.text(each) + "\n")
        return None


def _assess(options: argparse.Namespace) -> int:
    from configurator.assess import assess, assessment_json
    from configurator.wording import Wording

    wording = Wording(audience="operator" if options.operator else "owner")
    project = _open(options.plan, wording)
    if project is None:
        return 1
    catalogue = _load_catalogue()
    if not _has_plan(project, options.plan_id) or not _all_known(project, options.plan_id, catalogue, wording):
        return 1
    assessment = assess(project, catalogue, options.plan_id, deep=True)
    if options.json:
        sys.stdout.write(assessment_json(assessment) + "\n")
    else:
        from configurator.plan.projects import plan_by_id
        from configurator.wording.names import named

        plan = plan_by_id(project, options.plan_id or project.active_plan_id)
        worded = replace(wording, currency=project.currency)
        _print_assessment(assessment, named(worded, plan, catalogue))
    return 0


def _has_plan(project: Project, plan_id: str | None) -> bool:
    if plan_id is None or any(plan.id == plan_id for plan in project.plans):
        return True
    known = ", ".join(f"{plan.id} ({plan.name})" for plan in project.plans)
    sys.stderr.write(f"There is no plan “{plan_id}” in this file. It holds: {known}.\n")
    return False


def _all_known(project: Project, plan_id: str | None, catalogue: Catalogue, wording: Wording) -> bool:
    """An answer about half of what the file names would be a wrong one."""
    from configurator.plan.missing import unknown_names
    from configurator.plan.projects import plan_by_id

    missing = unknown_names(plan_by_id(project, plan_id or project.active_plan_id), catalogue)
    for each in missing:
        sys.stderr.write(wording.text(each) + "\n")
    return not missing


def _print_assessment(assessment: Assessment, wording: Wording) -> None:
    lines = [wording.text(assessment.verdict.headline)]
    lines += ["  " + wording.text(reason) for reason in assessment.verdict.reasons]
    for workload in assessment.workloads:
        if len(assessment.workloads) > 1:
            lines += ["", wording.text(workload.verdict.headline)]
        for step in workload.steps:
            if step.scope == "owned" and step.answer != "not_asked":
                lines.append(f"  {step.number}. {wording.text(step.question)} {wording.word(f'answer.{step.answer}')}")
                lines.append(f"     {wording.text(step.numbers)}")
    lines.append("")
    folded = False
    for finding in assessment.findings:
        if finding.folded and not folded:
            folded = True
            lines += ["", wording.gettext("Of less weight here:")]
        lines.append(f"{wording.word(f'class.{finding.kind}')}: {wording.text(finding.text)}")
        if finding.action is not None:
            lines.append(f"  {wording.text(finding.action)}")
    sys.stdout.write("\n".join(lines) + "\n")


def _proposal(options: argparse.Namespace) -> int:

    import datetime as dt

    from configurator.proposal import ProposalError, write_proposal
    from configurator.wording import Wording

    wording = Wording()
    project = _open(options.plan, wording)
    if project is None or not _has_plan(project, options.plan_id):
        return 1
    catalogue = _load_catalogue()
    if not _all_known(project, options.plan_id, catalogue, wording):
        return 1
    try:
        date = dt.date.fromisoformat(options.date) if options.date else dt.datetime.now().astimezone().date()
    except ValueError:
        sys.stderr.write(f"“{options.date}” is not a date. Write it as YYYY-MM-DD.\n")
        return 1
    try:
        write_proposal(project, catalogue, options.output, plan_id=options.plan_id, date=date)
    except ProposalError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{options.output}\n")
    return 0


def _load_catalogue() -> Catalogue:
    from configurator.catalogue import load_catalogue, user_catalogue_file

    catalogue = load_catalogue(user_catalogue_file())
    for problem in catalogue.problems:
        sys.stderr.write(f"{problem}\n")
    return catalogue


def _catalogue(options: argparse.Namespace) -> int:
    from configurator.assess import plain

    catalogue = _load_catalogue()
    tables: dict[str, tuple[Any, ...]] = {
        "gpus": tuple(catalogue.gpus.values()),
        "servers": tuple(catalogue.servers.values()),
        "networks": tuple(catalogue.links.values()),
        "models": tuple(catalogue.models.values()),
    }
    records = tables[options.table]
    if options.json:
        sys.stdout.write(json.dumps([plain(record) for record in records], ensure_ascii=False, indent=1) + "\n")
        return 0
    width = max(len(record.id) for record in records)
    for record in records:
        sys.stdout.write(f"{record.id.ljust(width)}  {record.name}\n")
    return 0


def _examples(options: argparse.Namespace) -> int:
    from configurator.plan.store import EXTENSION, StoreError, save
    from configurator.plan.templates import TEMPLATES
    from configurator.wording import Wording

    catalogue = _load_catalogue()
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.stderr.write(f"The folder {options.folder} cannot be made: {error.strerror}.\n")
        return 1
    for template in TEMPLATES:
        path = options.folder / f"{template.id}{EXTENSION}"
        try:
            save(template.build(catalogue), path)
        except StoreError as error:
            sys.stderr.write("\n".join(Wording().text(each) for each in error.messages) + "\n")
            return 1
        sys.stdout.write(f"{path}\n")
    return 0
