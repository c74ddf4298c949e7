"""What a debate needs on this machine: what is there, what is missing, what is broken, and what to do about it."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from debate import __version__, questions
from debate.drivers.place import Place
from debate.guard.log import Log, every_log, is_session_id
from debate.guard.session import Session
from debate.model import DebateError
from debate.record import files
from debate.record.names import FOLDER, project_root, stems

_UNREADABLE = (OSError, KeyError, TypeError, ValueError)
PLUGIN = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finding:
    name: str
    state: str  # ok; missing: it works without; broken: it does not; unknown: nobody can tell from here
    says: str
    do: str = ""


def findings(environ: Mapping[str, str], cwd: Path) -> Iterator[Finding]:
    place = Place(environ, cwd)
    try:
        root = place.root
    except _UNREADABLE:  # the session's log, which is reported below
        root = project_root(cwd)
    yield Finding("helper", "ok", f"debate {__version__} in {Path(__file__).parent}")
    yield _environment()
    yield _git()
    yield _state(Path(place.state))
    yield _project(root)
    yield from _settings(environ)
    yield _assistant(environ)
    yield _hook_files()
    yield _hooks(place, root)
    yield from _debates(root)
    yield from _sessions(place)


def _environment() -> Finding:
    says = f"Python {platform.python_version()} in {sys.prefix}"
    if lacking := _lacking():
        return Finding(
            "environment", "broken", f"{says}, without {', '.join(lacking)}",
            f"Remove {sys.prefix}: the next use makes it again.",
        )  # fmt: skip
    return Finding("environment", "ok", says)


def _lacking() -> list[str]:
    """The declared packages that are not installed. Where nothing is declared, pip has seen to it."""
    declared = PLUGIN / "pyproject.toml"
    if not declared.is_file():
        return []
    needed = tomllib.loads(declared.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = [re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in needed]
    installed = {str(found.name).lower() for found in metadata.distributions()}
    return [name for name in names if name.lower() not in installed]


def _git() -> Finding:
    git = shutil.which("git")
    if git is None:
        return Finding("git", "missing", "not found: a record names no commit", "Install git, if you use it.")
    try:
        told = subprocess.run([git, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("git", "broken", f"{git} does not answer: {error}", "Mend or remove it.")
    if told.returncode:
        reason = (told.stderr.strip().splitlines() or ["no word why"])[-1]
        return Finding("git", "broken", f"{git} fails: {reason}", "Mend or remove it.")
    return Finding("git", "ok", f"{told.stdout.strip()} at {git}")


def _state(folder: Path) -> Finding:
    if reason := _unwritable(folder):
        advice = "Make it writable for you, or set XDG_STATE_HOME to a folder that is."
        return Finding("state", "broken", f"{folder} cannot be written: {reason}", advice)
    python = folder / "python"
    if not os.access(python, os.X_OK):
        advice = "Nothing, if python3 is 3.11 or newer; else: run any debate command once more."
        return Finding("state", "missing", f"{python} is no interpreter: the hooks use python3", advice)
    return Finding("state", "ok", f"{folder} can be written")


def _project(root: Path) -> Finding:
    folder = root / FOLDER
    if os.path.lexists(folder) and not folder.is_dir():
        return Finding("project", "broken", f"{folder} is not a folder", "Move it away: records go there.")
    if reason := _unwritable(folder):
        advice = "Make it writable for you, or argue in a project that is."
        return Finding("project", "broken", f"{folder} cannot be written: {reason}", advice)
    there = "can be written" if folder.is_dir() else "is made by the first debate"
    return Finding("project", "ok", f"{folder} {there}")


def _settings(environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is set and means nothing: a debate goes on without it, so nobody would notice."""
    language, seconds = environ.get("DEBATE_LANG"), environ.get("DEBATE_SPEAK_SECONDS")
    if language and not questions.named(language):
        advice = f"Use one of: {', '.join(questions.LANGUAGES)}; or unset it."
        yield Finding("setting", "broken", f"DEBATE_LANG is {language!r}, no language of ours", advice)
    if seconds and not re.fullmatch(r"\s*(\d+(\.\d*)?|\.\d+)\s*", seconds, re.ASCII):
        advice = "Set it to a number, such as 900; or unset it."
        yield Finding(
            "setting", "broken", f"DEBATE_SPEAK_SECONDS is {seconds!r}, no number of seconds", advice
        )


def _assistant(environ: Mapping[str, str]) -> Finding:
    session = environ.get("CLAUDE_CODE_SESSION_ID", "")
    entry = environ.get("CLAUDE_CODE_ENTRYPOINT", "")
    if is_session_id(session):
        asked = "nobody can be asked" if entry.startswith("sdk") else "a person can be asked"
        return Finding("assistant", "ok", f"session {session}, entry point {entry or 'not named'}: {asked}")
    if session or environ.get("CLAUDECODE"):
        named = f"a session that is no id, {session!r}" if session else "no session"
        advice = "Update the assistant: hooks and helper find each other by that id."
        return Finding("assistant", "broken", f"the assistant names {named}", advice)
    return Finding("assistant", "ok", "none around this command: this is a plain terminal")


def _hook_files() -> Finding:
    listed = PLUGIN / "hooks" / "hooks.json"
    if not listed.parent.is_dir():
        advice = (
            "Install the plugin: claude plugin marketplace add PATH, then claude plugin install debate@debate"
        )
        return Finding("plugin", "missing", f"{PLUGIN} is the helper alone, without hooks", advice)
    try:
        events = sorted(json.loads(listed.read_bytes())["hooks"])
        if not (listed.parent / "entry").is_file():
            raise FileNotFoundError("hooks/entry is gone")
    except (OSError, ValueError, TypeError, KeyError) as error:
        return Finding("plugin", "broken", f"{listed} is not whole: {error}", "Install the plugin again.")
    return Finding("plugin", "ok", f"{listed} listens to {len(events)} events")


def _hooks(place: Place, root: Path) -> Finding:
    """Whether they are live can be proved only by what they wrote: they sleep in a session without a debate."""
    switched_off = _switched_off(place.environ, root)
    if switched_off:
        advice = f"Take disableAllHooks out of {switched_off}."
        return Finding("hooks", "broken", f"{switched_off} switches all hooks off", advice)
    if place.log is None:
        return Finding(
            "hooks", "unknown", "nobody can tell outside of an assistant",
            "In a session of it, type /debate and have it run: debate doctor",
        )  # fmt: skip
    session = _read(place.log)
    if isinstance(session, Finding):
        return Finding("hooks", "unknown", "this session's log cannot be read", "See below.")
    if not session.lines:
        return Finding(
            "hooks", "unknown", "asleep, as they are in a session without a debate",
            "Type /debate, which wakes them, and run this again.",
        )  # fmt: skip
    ago = f"{time.time() - session.lines[-1]['t']:,.0f} s ago"
    doing = f"drives {session.debate}" if session.debate else "has a ticket for one"
    waits = f", and a `debate {session.note.get('verb')}` is announced" if session.note else ""
    return Finding(
        "hooks", "ok", f"live: this session {doing}{waits}; {len(session.lines)} lines, last {ago}"
    )


def _switched_off(environ: Mapping[str, str], root: Path) -> Path | None:
    """The settings file that says so; the nearest one that says anything about it decides."""
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(
        environ.get("HOME") or os.path.expanduser("~"), ".claude"
    )
    for path in (root / ".claude" / "settings.local.json", root / ".claude" / "settings.json",
                 Path(config, "settings.json")):  # fmt: skip
        try:
            settings: Any = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(settings, dict) and isinstance(settings.get("disableAllHooks"), bool):
            return path if settings["disableAllHooks"] else None
    return None


def _debates(root: Path) -> Iterator[Finding]:
    still_open = []
    try:
        for stem in stems(root):
            try:
                if files.read(root / FOLDER / f"{stem}.md").header.get("status") == "in-progress":
                    still_open.append(stem)
            except DebateError as error:
                yield Finding("record", "broken", error.message, error.suggestion)
    except DebateError as error:
        yield Finding("record", "broken", error.message, error.suggestion)
    if still_open:
        advice = "Take one up, in the assistant: /debate:resume ID"
        yield Finding("debates", "ok", f"open here: {', '.join(still_open)}", advice)
    else:
        yield Finding("debates", "ok", "none is open here")


def _sessions(place: Place) -> Iterator[Finding]:
    now = time.time()
    live = 0
    for log in every_log(place.state):
        session = _read(log)
        if isinstance(session, Finding):
            yield session
        elif log.is_lifted:
            continue  # the next debate in its project takes it over and removes it
        elif session.is_live(now):
            live += 1
        else:
            advice = f"Its debate goes on with /debate:resume {session.debate}. " if session.debate else ""
            says = f"stale, its session is gone: {log.path}"
            yield Finding("session log", "ok", says, f"{advice}The file can be removed.")
    yield Finding("sessions", "ok", f"{live} with a debate or a ticket for one")


def _read(log: Log) -> Session | Finding:
    """The session, or what is wrong with its log."""
    try:
        session = Session(log)
        if session.lines or not log.path or not os.path.getsize(log.path):
            session.is_live(time.time())  # it must be able to tell
            return session
        reason = "no line of it is whole"
    except _UNREADABLE as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "a line of it is not whole"
    return Finding("session log", "broken", f"{log.path} cannot be read: {reason}", "Move that file away.")


def _unwritable(folder: Path) -> str | None:
    """Why nothing can be written there, tried with a file that has no name; None if it can."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"\0")
    except OSError as error:
        return error.strerror or str(error)
    return None
