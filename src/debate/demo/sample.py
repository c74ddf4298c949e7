"""The sample repository: a folder of its own with a few files to argue about, in git where there is git."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from debate.model import BadInput, OutOfReach
from debate.record.names import FOLDER

TOPIC = "Should login fail closed when the rate limiter is down?"
FILES = Path(__file__).parent / "repository"


def make(into: Path | None, environ: Mapping[str, str]) -> Path:
    """A copy of the files in a new folder, which is returned."""
    try:
        folder = _given(into) if into else _dated(environ)
        shutil.copytree(FILES, folder, dirs_exist_ok=True)
        (folder / FOLDER).mkdir()  # marks the project even without git, whatever lies above it
    except OSError as error:
        raise OutOfReach(
            f"{error.filename or into} cannot be written: {error.strerror or error}.",
            suggestion="Name a folder that you can write: debate demo --into DIR",
        ) from None
    _commit(folder, environ)
    return folder.resolve()


def _given(into: Path) -> Path:
    if into.exists() and not (into.is_dir() and not any(into.iterdir())):
        raise BadInput(f"{into} is not an empty folder.", suggestion="Name a new one: debate demo --into DIR")
    into.mkdir(parents=True, exist_ok=True)
    return into


def _dated(environ: Mapping[str, str]) -> Path:
    data = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        home = environ.get("HOME") or os.path.expanduser("~")
        data = os.path.join(home, ".local", "share")
    demos = Path(data, "debate", "demo")
    demos.mkdir(parents=True, exist_ok=True)
    today = time.strftime("%Y-%m-%d")
    for number in count(1):
        folder = demos / (today if number == 1 else f"{today}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        break
    return folder


def _commit(folder: Path, environ: Mapping[str, str]) -> None:
    """One commit, whatever the person's own settings say. A sample without git is as good a sample."""
    clean = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    alone = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_NAME": "debate demo" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "demo@localhost" for who in ("AUTHOR", "COMMITTER")},
    }
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["commit", "-q", "-m", "A login with a limit"],
    ):
        try:
            done = subprocess.run(["git", *words], cwd=folder, env={**clean, **alone}, capture_output=True)
        except OSError:
            return
        if done.returncode:
            return
