"""Puts the shipped files (catalogue, fonts, icons, ...) inside the installed package; all else is in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup

RESOURCES = Path(__file__).resolve().parent / "resources"
FOLDERS = sorted({path.parent.relative_to(RESOURCES) for path in RESOURCES.rglob("*") if path.is_file()})
NAMES = [".".join(("configurator", "resources", *folder.parts)) for folder in FOLDERS]

setup(
    packages=[*find_packages(include=["configurator", "configurator.*"]), *NAMES],
    package_dir={name: str(Path("resources") / folder) for name, folder in zip(NAMES, FOLDERS, strict=True)},
    package_data={"configurator": ["py.typed"], **{name: ["*"] for name in NAMES}},
)
