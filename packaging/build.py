"""Make the installable package in dist/ and prove that it works on its own: install it apart and ask it something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"


def main() -> int:
    """Build the wheel, look inside, run it from a folder of its own."""
    shutil.rmtree(DIST, ignore_errors=True)
    # Left-overs of an earlier build would be packed again.
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    command = [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(DIST), str(ROOT)]
    if subprocess.run(command, check=False).returncode:
        sys.stderr.write("The package could not be built; what pip said stands above.\n")
        return 1
    (wheel,) = DIST.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "installed"
        install = [*pip, "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
        subprocess.run(install, check=True)
        environment = {**os.environ, "PYTHONPATH": str(target)}
        for question in (["--version"], ["catalogue", "gpus"], ["examples", str(Path(folder) / "plans")]):
            asked = [sys.executable, "-m", "configurator", *question]
            done = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode or not done.stdout.strip():
                sys.stderr.write(f"The installed package fails at {question}:\n{done.stderr}")
                return 1
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    sys.stdout.write(f"{wheel.relative_to(ROOT)}  {wheel.stat().st_size / 1e6:.1f} MB, installs and answers\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
