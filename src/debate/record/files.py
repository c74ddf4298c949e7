"""The record on disk: one locked append a turn, flushed; a crash at any byte leaves all whole turns readable."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from debate.model import BadInput, Debate, OutOfReach, Turn, Turns
from debate.record import disk, front, marks
from debate.record.disk import locked
from debate.record.names import FOLDER, check_topic, slug

__all__ = ["Record", "append", "appoint", "conclude", "create", "discard", "every_mark", "locked", "read"]

TAIL = 64 * 1024
NEWEST = 16  # turns at hand: rules look back two rounds at most, and to parse a whole tail takes longer than the rest
_KEPT_DAYS = 30
_ASIDE = {
    ".gitignore": b"# What can be made again, or is no record\n*.torn\n.*.new\n.locks/\n",
    ".gitattributes": b"# A changed line end would break every hash\n*.md -text\n",
}


@dataclass(frozen=True)
class Record:
    """A record as it was read: the debate in it, the front matter, and what was found beside whole turns."""

    path: Path
    debate: Debate
    header: Mapping[str, Any]
    end: int  # where the next turn goes
    body: int  # where the turns begin
    torn: bytes = b""  # a turn that was never finished


def create(root: Path, debate: Debate) -> Record:
    """A new record for this topic and day; two debates of one name get -2, -3."""
    topic = check_topic(debate.topic)
    folder = _folder(root)
    base = f"{debate.date[:10]}-{slug(topic)}"
    for number in range(1, 1000):
        stem = base if number == 1 else f"{base}-{number}"
        header = {
            "debate": stem,
            "format": debate.format,
            "topic": topic,
            "date": debate.date,
            "status": "in-progress",
            "outcome": None,
            **_partner(debate.agent, debate.why),
            "language": debate.language,
            "commit": debate.commit,
        }
        if _publish(folder / f"{stem}.md", front.render(header) + _title(topic)):
            return read(folder / f"{stem}.md")
    raise OutOfReach(f"There are 999 debates called {base}.", suggestion="Word the topic differently.")


def read(path: Path) -> Record:
    """The header and the newest turns; the older ones follow when somebody looks back that far."""
    with disk.reading(path) as file:
        head = _head(file)
        if b"\0" in head[:4] or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise BadInput(
                f"{path} is not UTF-8 text.", suggestion="Save it as UTF-8, or restore it from git."
            )
        size = os.fstat(file.fileno()).st_size
        header, body = {"debate": path.stem, **front.values(head)}, front.end(head)
        start = max(body, size - TAIL)
        while True:
            file.seek(start)
            tail = file.read(size - start)
            found, first, last = marks.scan(tail, start == body, NEWEST)
            turns = [turn for turn in found if turn]
            if turns or start == body:
                break
            start = max(body, size - 4 * (size - start))
    end = size
    if not body and not turns and b"---\n".startswith(head[:4]):  # cut off inside the front matter
        known = {"format": header.get("format") or "dialectic", "topic": header.get("topic") or path.stem}
        header = {**header, **known, "status": "in-progress"}
        end = 0
    elif (begun := marks.unfinished(tail[last:], header.get("status") == "completed")) is not None:
        end = start + last + begun
    debate = Debate(
        id=path.stem,
        format=header.get("format") or "dialectic",
        topic=header.get("topic") or path.stem,
        date=header.get("date") or "",
        language=header.get("language") or "en",
        commit=header.get("commit") or None,
        agent=header.get("agent") or "general-purpose",
        why=header.get("why") or "",
        turns=Turns(turns, _older(path, start + first - body) if start + first > body else None),
    )
    return Record(path, debate, header, end, body, tail[end - start :])


def every_mark(record: Record) -> list[Turn | None]:
    """All turns in the order in which they stand, and None for a mark that somebody broke."""
    return _marks(record.path, record.end - record.body)


def append(record: Record, turn: Turn) -> Record:
    """One more turn, in one write at the end. Call it with the lock held, on the record read under it."""
    before = record.debate.turns
    sealed = _sealed(record, turn)
    under_way = next((earlier.round for earlier in reversed(before) if earlier.round), 0)
    section = marks.render(sealed, new_round=sealed.round > under_way)
    try:
        _refuse_if_changed(record)
        _keep_aside(record)
        if not record.end:
            disk.replace(record.path, front.render(record.header) + _title(record.debate.topic) + section)
            return read(record.path)
        disk.write_end(record.path, section, record.end)
    except OSError as error:
        raise disk.unwritable(record.path, error) from None
    debate = replace(record.debate, turns=before.plus(sealed))
    return replace(record, debate=debate, end=record.end + len(section), torn=b"")


def conclude(record: Record, turn: Turn, changes: Mapping[str, Any]) -> Record:
    """The last turn and the changed front matter in one step: both are there, or neither."""
    return _rewritten(record, changes, marks.render(_sealed(record, turn), new_round=False))


def appoint(record: Record, agent: str, why: str) -> Record:
    """Another partner than the record was opened with."""
    return _rewritten(record, _partner(agent, why))


def _partner(agent: str, why: str) -> dict[str, Any]:
    return {"participants": ["main", f"partner ({agent})", "user"], "agent": agent, "why": why or None}


def _rewritten(record: Record, changes: Mapping[str, Any], section: bytes = b"") -> Record:
    try:
        _refuse_if_changed(record)
        _keep_aside(record)
        with disk.reading(record.path) as file:
            old = file.read(record.end)
        top = old[: record.body] or front.render(record.header)
        rest = old[record.body :] if old else _title(record.debate.topic)
        disk.replace(record.path, front.change(top, changes) + rest + section)
    except OSError as error:
        raise disk.unwritable(record.path, error) from None
    return read(record.path)


def discard(path: Path, trash: Path, now: float) -> Path:
    """Out of the project, into the helper's own trash, for 30 days. Call it with the lock held."""
    try:
        trash.mkdir(parents=True, exist_ok=True)
        for old in trash.iterdir():
            with suppress(OSError):  # another process may be sweeping, too
                if now - old.stat().st_mtime > _KEPT_DAYS * 86400:
                    old.unlink()
        kept = next(k for n in count() if not (k := trash / f"{int(now) + n}-{path.name}").exists())
        for source, target in ((path, kept), (_aside(path), _aside(kept))):
            if source == path or source.exists():
                with disk.reading(source) as file:
                    disk.replace(target, file.read())
        path.unlink()
        _aside(path).unlink(missing_ok=True)
    except OSError as error:
        raise disk.unwritable(path, error) from None
    return kept


def _head(file: BinaryIO) -> bytes:
    head = file.read(TAIL)
    return head + file.read() if front.opens(head) and not front.end(head) else head


def _older(path: Path, length: int) -> Callable[[], list[Turn]]:
    return lambda: [turn for turn in _marks(path, length) if turn]


def _marks(path: Path, length: int) -> list[Turn | None]:
    """What stands in so many bytes after the front matter, wherever that ends by now: `conclude` changes it."""
    with disk.reading(path) as file:
        file.seek(front.end(_head(file)))
        return marks.scan(file.read(length), from_start=True)[0]


def _sealed(record: Record, turn: Turn) -> Turn:
    if "\0" in turn.content:
        raise BadInput("The text holds a NUL byte.", suggestion="Send plain text.")
    turns = record.debate.turns
    prev = turns[-1].hash if turns else marks.genesis(record.header)
    try:
        return marks.seal(replace(turn, seq=record.debate.last_seq + 1), prev)
    except UnicodeEncodeError as error:
        raise BadInput(
            f"The text is not UTF-8: {error.reason}.", suggestion="Send it as UTF-8 text."
        ) from None


def _refuse_if_changed(record: Record) -> None:
    """With an old copy of the record, or after someone saved it from an editor just now, what came in between
    would be lost."""
    with disk.reading(record.path) as file:
        if os.fstat(file.fileno()).st_size != record.end + len(record.torn):
            raise OutOfReach(
                f"{record.path} was changed by someone else just now. Nothing was added.",
                suggestion="Run the same command again.",
            )


def _keep_aside(record: Record) -> None:
    if not record.torn:
        return
    aside, torn = _aside(record.path), record.torn + b"\n"
    kept = aside.read_bytes() if aside.exists() else b""
    if not kept.endswith(torn):  # it does if the last command died right after this
        disk.write_end(aside, torn, len(kept))


def _aside(path: Path) -> Path:
    return path.with_suffix(".torn")


def _title(topic: str) -> bytes:
    return f"\n# {' '.join(topic.split())}\n".encode()


def _folder(root: Path) -> Path:
    folder = root / FOLDER
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise disk.unwritable(folder, error) from None
    for name, text in _ASIDE.items():
        _publish(folder / name, text)
    return folder


def _publish(path: Path, data: bytes) -> bool:
    """A new file, whole or not at all. False if the name is taken, by a folder or a dangling link too."""
    if os.path.lexists(path):
        return False
    with locked(path):
        if os.path.lexists(path):
            return False
        try:
            disk.replace(path, data)
        except OSError as error:
            raise disk.unwritable(path, error) from None
    return True
