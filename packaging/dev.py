"""One command for everything: python3 packaging/dev.py run | test | lint | bench | reality | build | lock.

Needs Python alone. What is missing on this machine is installed where that is allowed (root on Debian or Ubuntu);
otherwise the one line to type is printed. The second start only compares a stamp and goes.

Exit codes: those of the command; 3 when something is missing that this script may not or cannot install.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))

USAGE = """\
run [FILE | command ...]  open the window, or run one headless command (try: run --help)
test [pytest options]     the whole suite, then the journeys on a real window
lint [--fix]              style, types and walls
bench                     the speed table
reality                   how far the estimates are from measurements
build                     an installable package, in dist/
lock                      new exact versions with hashes
"""


def main(arguments: list[str]) -> int:
    """Set up what the command needs, then run it."""
    parser = argparse.ArgumentParser(
        prog="dev.py",
        description=__doc__,
        epilog=USAGE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("command", nargs="?", choices=sorted(COMMANDS), metavar="command")
    if not arguments or arguments[0] in {"-h", "--help"}:
        parser.print_help()
        return 0
    command = str(parser.parse_args(arguments[:1]).command)
    return COMMANDS[command](arguments[1:])


def run(rest: list[str]) -> int:
    """Open the window, or run a headless command; arguments go through."""
    import setup_env

    headless = _is_headless(rest)
    if not headless:
        setup_env.require_display()
    python = setup_env.ready("run", libraries=() if headless else ("core", "window"))
    return _replace([str(python), "-m", "configurator", *rest], setup_env.environment())


def _is_headless(rest: list[str]) -> bool:
    """Whether the program will answer in the terminal."""
    sys.path.insert(0, str(ROOT))
    from configurator.cli import COMMANDS as HEADLESS

    first = next((each for each in rest if not each.startswith("-")), None)
    return first in HEADLESS or bool({"-h", "--help", "--version"} & set(rest))


def test(rest: list[str]) -> int:
    """Run the suite without a display, then the journeys on a display of their own."""
    import journeys
    import setup_env

    python = setup_env.ready("dev", libraries=("core", "window", "display"))
    return journeys.run_tests(python, rest, setup_env.environment())


def lint(rest: list[str]) -> int:
    """Style, format, types, walls; all of them, even when the first one fails."""
    import setup_env

    python = setup_env.ready("dev", libraries=())
    fix = "--fix" in rest
    checks = (
        [str(python), "-m", "ruff", "check", *(["--fix"] if fix else []), "."],
        [str(python), "-m", "ruff", "format", *([] if fix else ["--check"]), "."],
        [str(python), "-m", "mypy"],
        [str(python.with_name("lint-imports"))],
    )
    failed = []
    for check in checks:
        name = " ".join(part for part in check[1:] if part != "-m") or "lint-imports"
        print(f"--- {name}", flush=True)
        if subprocess.run(check, cwd=ROOT, env=setup_env.environment(), check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "style, types and walls hold", flush=True)
    return 1 if failed else 0


def _script(name: str, libraries: tuple[str, ...], kind: str = "dev") -> Callable[[list[str]], int]:
    def start(rest: list[str]) -> int:
        import setup_env

        python = setup_env.ready(kind, libraries=libraries)
        return _replace([str(python), str(ROOT / "packaging" / name), *rest], setup_env.environment())

    start.__doc__ = f"Run packaging/{name}."
    return start


def _replace(command: list[str], environment: dict[str, str]) -> int:
    """Become that command where the system can, so that signals and exit codes are its own."""
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "test": test,
    "lint": lint,
    "bench": _script("bench.py", ("core",)),
    "reality": _script("reality.py", ()),
    "build": _script("build.py", ()),
    "lock": _script("lock.py", ()),
}

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
