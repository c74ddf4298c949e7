"""What the client's own transcripts tell: an agent's work, the main agent's model, what a person typed in mid-turn."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from debate.guard.session import NOT_TYPED, Session, is_command

TAIL = 256 * 1024
_STRANGE = (ValueError, TypeError, KeyError, AttributeError)  # the file is the client's, and may change
CUT_OFF = "max_tokens"
_ALL_AGAIN = "whole answer"  # what the client, where it knows better than to go on, asks a cut-off agent for
_TOKENS = ("input", "output", "cache_creation_input", "cache_read_input")


def usage(transcript: str, since: float) -> dict[str, Any]:
    """What an agent's own transcript says of its work since it was asked: model, tokens, tool calls, why it stopped.

    A continued agent's file holds the earlier rounds too, and one message stands there once for each of its blocks.
    A message that ran out of room is taken up by the next one, and the client returns only the last: that answer is
    cut off, too, unless the client asked for all of it again."""
    tokens = tools = 0
    model = stop = None
    taken_up = False
    seen = set()
    try:
        with open(transcript, encoding="utf-8", errors="replace") as file:
            for raw in file:
                if '"assistant"' not in raw and stop != CUT_OFF:
                    continue
                with suppress(*_STRANGE):
                    line = json.loads(raw)
                    if line["type"] == "user" and (not line.get("isMeta") or _ALL_AGAIN in raw):
                        stop = None
                    if line["type"] != "assistant" or _moment(line) < since:
                        continue
                    message = line["message"]
                    model = message.get("model") or model
                    if message.get("id") not in seen:
                        taken_up, stop = stop == CUT_OFF, None
                    stop = message.get("stop_reason") or stop
                    content = message.get("content")
                    blocks = content if isinstance(content, list) else []
                    tools += sum(1 for block in blocks if block.get("type") == "tool_use")
                    spent = message.get("usage") or {}
                    if message.get("id") not in seen:
                        seen.add(message.get("id"))
                        tokens += sum(int(spent.get(f"{kind}_tokens") or 0) for kind in _TOKENS)
    except OSError:
        return {}
    return {"model": model, "tokens": tokens, "tools": tools, "stop": CUT_OFF if taken_up else stop}


def _moment(line: Mapping[str, Any]) -> float:
    """When a transcript's line was written."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(str(line.get("timestamp")).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return float("inf")


def main_model(session: Session) -> str | None:
    """Which model the main agent is. The client's own error lines bear a name in angle brackets."""
    for line in reversed(_tail(session, b'"assistant"')):
        model = str((line.get("message") or {}).get("model") or "<")
        if line.get("type") == "assistant" and not line.get("isSidechain") and not model.startswith("<"):
            return model
    return None


def note_queued(session: Session) -> Session:
    """Take the messages that wait in the client's queue, or were handed to the model from there, into the log.

    Typed in mid-turn they raise no event at all on older clients; on newer ones the log holds them already, and
    knows them again."""
    absorbed, waiting = _queue(session)
    noted = {line.get("queued") for line in session.lines}
    fresh = [
        (moment, text)
        for moment, text in [*absorbed, *waiting]
        if moment not in noted and not is_command(text) and not text.lstrip().startswith(NOT_TYPED)
    ]
    for moment, text in fresh:
        session.log.add("typed", text=text, queued=moment)
    return Session(session.log) if fresh else session


def queued_command(session: Session) -> str | None:
    """The slash command that the client carries out once the turn has ended."""
    return next((text for _, text in _queue(session)[1] if is_command(text)), None)


Entries = list[tuple[float, str]]  # when it was typed, and what


def _queue(session: Session) -> tuple[Entries, Entries]:
    """What was typed in mid-turn since the debate was asked for: handed to the model by now, and waiting still.

    Neither holds what the person took back to edit, nor what became a turn of its own."""
    absorbed: Entries = []
    waiting: Entries = []
    for line in _tail(session, b'"queue-operation"'):
        operation, text = line.get("operation"), line.get("content")
        moment = _moment(line)
        if operation == "enqueue":
            waiting.append((moment, str(text or "")))
            continue
        if text is not None:
            meant = [entry for entry in waiting if entry[1] == text]
        elif operation == "remove":  # the older client names none; it never hands a command to the model
            meant = [entry for entry in waiting if not is_command(entry[1])]
        else:
            meant = waiting
        for entry in meant[:1]:
            waiting.remove(entry)
            if operation == "remove" and line.get("reason") in (None, "absorbed_mid_turn"):
                absorbed.append(entry)
    since, until = (session.ticket["t"] if session.ticket else 0), float("inf")
    return [e for e in absorbed if since <= e[0] < until], [e for e in waiting if since <= e[0] < until]


def path(session: Session) -> str:
    """Where it is by now: when a session goes into a worktree, newer clients move it into another project's folder."""
    told = str((session.ticket or {}).get("transcript") or "")
    if not told or os.path.exists(told):
        return told
    folder, name = os.path.split(told)
    projects = os.path.dirname(folder)
    with suppress(OSError):
        for other in os.listdir(projects):
            if os.path.exists(os.path.join(projects, other, name)):
                return os.path.join(projects, other, name)
    return told


def _tail(session: Session, having: bytes) -> list[dict[str, Any]]:
    try:
        with open(path(session), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            raw = file.read().split(b"\n")
    except OSError:
        return []
    found = []
    for data in raw:
        if having in data:
            try:
                found.append(json.loads(data))
            except ValueError:
                continue
    return found
