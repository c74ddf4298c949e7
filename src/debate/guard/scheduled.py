"""Prompts that the client submits by itself because somebody had it do so: they come as if they were typed.

A model schedules its own (CronCreate, ScheduleWakeup). While a debate is on it cannot, but one of before may come due.
"""

from __future__ import annotations

import os

from debate.guard.notation import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TOOLS = ("CronCreate", "ScheduleWakeup")
_FILE = os.path.join(".claude", "scheduled_tasks.json")  # those that outlive their session


def is_scheduled(prompt: str, transcript: str, project: str) -> bool:
    """Whether these very words were scheduled here; a person who types the same is taken for the machine, too."""
    return any(words.strip() == prompt.strip() for words in _prompts(transcript, project))


def _prompts(transcript: str, project: str) -> Iterator[str]:
    for line in _lines(transcript):
        if not any(tool.encode() in line for tool in _TOOLS):
            continue
        message = _object(_decoded(line).get("message"))
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if _object(block).get("name") in _TOOLS:
                yield str(_object(block.get("input")).get("prompt") or "")
    tasks = _decoded(b"".join(_lines(os.path.join(project, _FILE)))).get("tasks")
    for task in tasks if isinstance(tasks, list) else ():
        yield str(_object(task).get("prompt") or "")


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return file.readlines()
    except (OSError, ValueError):
        return []


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        return _object(loads(data or b"{}"))
    except (ValueError, RecursionError):
        return {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
