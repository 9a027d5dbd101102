"""The errors of pip and apt-get that people really meet, each as one sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

FULL = "The disk is full. Make room and start again."
READ_ONLY = "This account may not write to {folder}. Set CONFIGURATOR_VENV to a folder of your own and start again."
HASHES = (
    "A package is not the file that was tested (its hash differs), so nothing of it was installed. "
    "Clear pip's cache (pip cache purge) and start again; if it stays, ask who runs your package mirror."
)
CERTIFICATE = "The package index could not be trusted. Behind a company proxy, set PIP_CERT to its certificate file."
OFFLINE = (
    "The packages could not be downloaded: no connection to the package index from here. "
    "Connect this machine and start again, or put the wheels into packaging/wheels (made on a connected machine by: "
    "pip download --only-binary :all: -r packaging/requirements.lock -d packaging/wheels)."
)
LOCKED = "Another program is installing packages on this machine. Wait until it is done and start again."

SIGNS: tuple[tuple[str, str], ...] = (
    ("No space left on device", FULL),
    ("Errno 28", FULL),
    ("enough free space", FULL),
    ("Could not get lock", LOCKED),
    ("Unable to acquire the dpkg", LOCKED),
    ("Read-only file system", READ_ONLY),
    ("Permission denied", READ_ONLY),
    ("Errno 13", READ_ONLY),
    ("DO NOT MATCH THE HASHES", HASHES),
    ("certificate verify failed", CERTIFICATE),
    ("CERTIFICATE_VERIFY_FAILED", CERTIFICATE),
    ("name resolution", OFFLINE),
    ("NewConnectionError", OFFLINE),
    ("Failed to establish a new connection", OFFLINE),
    ("Could not resolve", OFFLINE),
    ("Could not connect", OFFLINE),
    ("Unable to fetch", OFFLINE),
    ("Connection timed out", OFFLINE),
    ("Network is unreachable", OFFLINE),
    ("Read timed out", OFFLINE),
    ("No matching distribution", OFFLINE),
    ("Unable to locate package", OFFLINE),
    ("has no installation candidate", OFFLINE),
)


def reason(said: str, folder: Path) -> str | None:
    """The sentence for what a package tool said, or None when it is none of the known ones."""
    found = next((sentence for mark, sentence in SIGNS if mark in said), None)
    return found.format(folder=folder) if found else None
