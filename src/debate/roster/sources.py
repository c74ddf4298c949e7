"""Where agents are found: the session's own list, else the folders that the client reads.

Agent files come with any repository that one clones. They are read as text and never trusted: nothing in them is run,
nothing outside their folder is read, and what the client itself would not list is left out, with a note.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from debate.roster import GENERAL, Agent
from debate.roster.praise import without_unseen

_LARGEST = 2**20  # of a file; the client lists no larger one
_HEAD = 64 * 1024  # of it is read: the front matter
_MOST_FILES = 1000  # in one folder
_LONGEST_NAME, _LONGEST_DESCRIPTION = 200, 4000
_KEY = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$")
_BLOCK = re.compile(r"^[|>][-+0-9]*$")
_UNSEEN = re.compile(r"[^\S\n ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def from_transcript(path: Path) -> list[Agent] | None:
    """The list that the client gave to its session, kept up to date; None if it gave none."""
    known: dict[str, str] | None = None
    try:
        with open(path, "rb") as lines:
            for line in lines:
                if b"agent_listing_delta" not in line or (delta := _delta(line)) is None:
                    continue
                known = {} if known is None or delta.get("isInitial") is True else known
                for name in _texts(delta.get("removedTypes")):
                    known.pop(name, None)
                for name, listed in zip(
                    _texts(delta.get("addedTypes")), _texts(delta.get("addedLines")), strict=False
                ):
                    known[name] = listed.removeprefix(f"- {name}: ").rpartition(" (Tools: ")[0] or listed
    except OSError:
        return None
    return None if known is None else [_agent(name, text) for name, text in known.items()]


def _delta(line: bytes) -> dict[str, Any] | None:
    """Only a line of the client's own: what people and agents say stands there as text."""
    try:
        entry = json.loads(line)
        found = entry["attachment"] if entry["type"] == "attachment" and not entry.get("isSidechain") else {}
        return found if found["type"] == "agent_listing_delta" else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def given(names: Iterable[str], known: Iterable[Agent] = ()) -> list[Agent]:
    """What the caller says is available, with the descriptions that are known."""
    descriptions = {agent.name: agent.description for agent in known}
    wanted = dict.fromkeys(name.strip() for name in names if name.strip())
    return _with_general({name: Agent(name, descriptions.get(name, "")) for name in wanted})


def from_folders(project: Path, home: Path, notes: list[str] | None = None) -> list[Agent]:
    """What the project, the user and the installed plugins bring. `notes` takes what was left out, and why."""
    told = [] if notes is None else notes
    found: dict[str, Agent] = {}
    for root in (project, home):  # the project's own come first, as in the client
        for agent, _ in _in_folder(root / ".claude" / "agents", root, told):
            found.setdefault(agent.name, agent)
    for plugin, root in _plugins(project, home, told):
        for agent, folder in _in_folder(root / "agents", root, told):
            name = ":".join((plugin, *folder.parts, agent.name))
            found.setdefault(name, Agent(name, agent.description))
    return _with_general(found)


def _with_general(found: dict[str, Agent]) -> list[Agent]:
    return list(({GENERAL: Agent(GENERAL)} | found).values())


def _plugins(project: Path, home: Path, notes: list[str]) -> Iterator[tuple[str, Path]]:
    """The name and the folder of each plugin that is installed for this project and not switched off."""
    installed = _json(home / ".claude/plugins/installed_plugins.json", notes).get("plugins")
    enabled: dict[str, Any] = {}
    for settings in (home / ".claude/settings.json", project / ".claude/settings.json"):
        for file in (settings, settings.with_name("settings.local.json")):
            switches = _json(file, notes).get("enabledPlugins")
            enabled |= switches if isinstance(switches, dict) else {}
    for key, installations in installed.items() if isinstance(installed, dict) else ():
        for entry in installations if isinstance(installations, list) else [installations]:
            if not isinstance(entry, dict) or enabled.get(key) is False:
                continue
            path, only = entry.get("installPath"), entry.get("projectPath")
            if not isinstance(path, str) or (isinstance(only, str) and Path(only) != project):
                continue
            name = _json(Path(path, ".claude-plugin/plugin.json"), notes).get("name")
            yield (name if isinstance(name, str) else str(key).split("@")[0]), Path(path)


def _json(path: Path, notes: list[str]) -> dict[str, Any]:
    text = _read(path, _LARGEST, notes)
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        notes.append(f"{_shown(path)} is no JSON: left out.")
        return {}
    return found if isinstance(found, dict) else {}


def _in_folder(folder: Path, root: Path, notes: list[str]) -> Iterator[tuple[Agent, Path]]:
    """Each agent below the folder, and the way to its file from there."""
    left = _MOST_FILES
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if not name.endswith(".md"):
                continue
            if not left:
                notes.append(f"{_shown(folder)} holds more than {_MOST_FILES} files: the rest is left out.")
                return
            left -= 1
            path = Path(at, name)
            if not _is_inside(path, root):
                notes.append(f"{_shown(path)} leads out of {_shown(root)}: left out.")
            elif agent := _in_file(path, notes):
                yield agent, Path(at).relative_to(folder)


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a dangling link, a circle of them
        return False


def _in_file(path: Path, notes: list[str]) -> Agent | None:
    text = _read(path, _HEAD, notes)
    lines = text.removeprefix("\ufeff").splitlines() if text else []
    if not lines or lines[0].rstrip() != "---":
        return None  # no agent: a README, say
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"]
    if not ends:
        notes.append(f"{_shown(path)}: its front matter does not end within {_HEAD // 1024} KB: left out.")
        return None
    front = _front_matter(lines[1 : ends[0]])
    name, description = front.get("name", "").strip(), front.get("description", "").strip()
    if not name or not description or len(name) > _LONGEST_NAME or _UNSEEN.search(name) or "\n" in name:
        notes.append(f"{_shown(path)} has no usable name and description: left out, as in the client.")
        return None
    if len(description) > _LONGEST_DESCRIPTION:
        notes.append(f"{_shown(path)}: its description is cut after {_LONGEST_DESCRIPTION} characters.")
    return _agent(name, description)


def _front_matter(lines: list[str]) -> dict[str, str]:
    """As YAML; what YAML refuses is read line by line, as people meant it."""
    import yaml

    try:
        # The base loader makes strings, lists and mappings of whatever it reads: no tag is obeyed, no alias unfolded.
        found = yaml.load("\n".join(lines), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        found = None
    if isinstance(found, dict) and isinstance(found.get("name"), str):
        return {key: value for key, value in found.items() if isinstance(value, str)}
    return _by_lines(lines)


def _by_lines(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if begins := _KEY.match(line):
            key, value = begins[1], (begins[2] or "").strip()
            found[key] = [] if _BLOCK.match(value) else [_unquoted(value)]
        elif key:
            found[key].append(line.strip())
    return {key: "\n".join(values).strip() for key, values in found.items()}


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _read(path: Path, most: int, notes: list[str]) -> str:
    """The beginning of a regular text file, or nothing. A pipe would never answer, a device never end."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                notes.append(f"{_shown(path)} is no file: left out.")
                return ""
            if about.st_size > _LARGEST:
                notes.append(
                    f"{_shown(path)} has {about.st_size / 2**20:.1f} MB: left out, as in the client."
                )
                return ""
            data = file.read(most)
    except FileNotFoundError:
        return ""
    except OSError as error:
        notes.append(f"{_shown(path)} cannot be read ({error.strerror}): left out.")
        return ""
    if b"\0" in data:
        notes.append(f"{_shown(path)} is no text: left out.")
        return ""
    return data.decode("utf-8", errors="replace")


def _agent(name: str, description: str) -> Agent:
    words = without_unseen(description[:_LONGEST_DESCRIPTION])
    return Agent(name, _UNSEEN.sub(" ", words).strip())


def _shown(path: Path) -> str:
    """A file's name can hold anything, line ends included."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(path))
