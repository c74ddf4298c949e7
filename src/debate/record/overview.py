"""All records of a project at once: which there are, and what each says about itself, without reading any whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from debate.record.names import FOLDER, records_and_others

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = 4 * 1024  # holds any front matter and any last mark of ours
_MOST = 1024 * 1024  # of one that people or programs made longer
_MARK = b"\n<!-- turn "
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # it may have become a pipe
_ROUND = rb'"round":(\d{1,9})'


class Entry(NamedTuple):
    id: str
    header: Mapping[str, Any]
    rounds: int = 0
    problem: str = ""  # why it cannot be read


def overview(root: Path | str) -> list[Entry]:
    """Every record, newest first. One that is broken says so, and hides no other."""
    ids, others = records_and_others(root)
    found = entries(root, ids) + [Entry(id, {}, problem=why) for id, why in no_records(others).items()]
    return sorted(found, key=lambda entry: entry.id, reverse=True)


def entries(root: Path | str, ids: Sequence[str]) -> list[Entry]:
    with folder(root) as at:
        return [_entry(at, id) for id in ids] if at is not None else []


def no_records(names: Sequence[str]) -> dict[str, str]:
    return {name.encode("utf-8", "replace").decode(): "it is not a file with a UTF-8 name" for name in names}


@contextmanager
def folder(root: Path | str) -> Iterator[int | None]:
    """The records' folder, opened: a thousand names are found faster from there than by their whole paths."""
    try:
        at = os.open(os.path.join(root, FOLDER), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield None  # there is none; one that may not be read is reported by `stems`
        return
    try:
        yield at
    finally:
        os.close(at)


def open_record(at: int, id: str) -> int:
    return os.open(f"{id}.md", _PLAIN, dir_fd=at)


def problem_with(head: bytes) -> str:
    """Why a file that begins so is no record; empty if it is one."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or (b"\0" in head and not head.startswith(b"---")):
        return "it is not UTF-8 text"
    return ""


def _entry(at: int, id: str) -> Entry:
    from debate.record import front

    try:
        file = open_record(at, id)
        try:
            head = os.pread(file, _HEAD, 0)
            if front.opens(head) and not front.end(head):
                head = os.pread(file, _MOST, 0)
            if problem := problem_with(head):
                return Entry(id, {}, problem=problem)
            return Entry(id, front.values(head), _rounds(file))
        finally:
            os.close(file)
    except OSError as error:
        return Entry(id, {}, problem=f"it cannot be read: {error.strerror}")


def _rounds(file: int) -> int:
    """The last round that was begun, from the last mark that names one."""
    size = os.fstat(file).st_size
    for span in (_HEAD, 16 * _HEAD, _MOST):
        tail = os.pread(file, span, max(0, size - span))
        for mark in reversed(tail.split(_MARK)[1:]):
            if found := re.search(_ROUND, mark.partition(b"\n")[0]):
                return int(found[1])
        if span >= size:
            break
    return 0
