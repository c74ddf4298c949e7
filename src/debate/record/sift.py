"""Every record of a project as bytes: which of them hold all the terms, at the speed of C and on every core.

Nothing is kept from one search to the next, so nothing can be out of date.
"""

from __future__ import annotations

import marshal
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from debate.record.overview import open_record, problem_with
from debate.record.terms import Term, only_high

LARGEST = 32 * 1024 * 1024  # bytes of a file that is still searched
_ONE_READ = 64 * 1024
_SHARE = 50  # files that a process takes at a time
_MOST_SHARES = 255  # the number of one fits in a byte
_MOST_HELPERS = 3

MARK = b"\n<!-- turn "
_FRONT = (b"---", b"\xef\xbb\xbf---")  # some editors put a mark before everything
_TITLE = rb"\s*(?:# ([^\n]*))?"
# What the helper writes above the words of a turn. A person's note may stand before it.
_OPENING = rb"(?mi)(?:^## round \d+\s+)?^(?:### [^\n]*\xc2\xb7[^\n]*|## conclusion)[ \t\r]*\n"

# How many terms are in the topic, how many at most in one turn, and the record's id; by id, why a file was left out.
Sifted = tuple[list[tuple[int, int, str]], dict[str, str]]


def sift(at: int, ids: Sequence[str], terms: Sequence[Term]) -> Sifted:
    """With helpers, since one interpreter uses one core. Shares lie in a pipe, and who is free takes the next."""
    size = max(_SHARE, len(ids) // _MOST_SHARES + 1)
    shares = [ids[start : start + size] for start in range(0, len(ids), size)]
    queue, filling = os.pipe()
    os.write(filling, bytes(range(len(shares))))
    os.close(filling)
    helpers = [_helper(queue, at, shares, terms) for _ in range(min(len(shares) - 1, _idle_cores()))]
    done = _take_shares(queue, at, shares, terms)
    os.close(queue)
    for process, answer in helpers:
        with open(answer, "rb") as pipe, suppress(EOFError, ValueError):  # if somebody killed it
            done |= marshal.loads(pipe.read())
        os.waitpid(process, 0)
    rows: list[tuple[int, int, str]] = []
    skipped: dict[str, str] = {}
    for number, share in enumerate(shares):
        found, unread = done.get(number) or _sift_share(at, share, terms)
        rows += found
        skipped |= unread
    return rows, skipped


def _idle_cores() -> int:
    """Beside the one that this process uses. Where there is none, a helper would only cost its start."""
    cores = os.cpu_count() or 1
    return max(0, min(cores - 1, cores - int(os.getloadavg()[0]), _MOST_HELPERS))


def _helper(queue: int, at: int, shares: Sequence[Sequence[str]], terms: Sequence[Term]) -> tuple[int, int]:
    """A process that takes shares, too, and where its answer can be read."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            with open(writing, "wb") as pipe:
                marshal.dump(_take_shares(queue, at, shares, terms), pipe)
        finally:
            os._exit(0)
    os.close(writing)
    return process, reading


def _take_shares(
    queue: int, at: int, shares: Sequence[Sequence[str]], terms: Sequence[Term]
) -> dict[int, Sifted]:
    done = {}
    while number := os.read(queue, 1):
        done[number[0]] = _sift_share(at, shares[number[0]], terms)
    return done


def _sift_share(at: int, ids: Sequence[str], terms: Sequence[Term]) -> Sifted:
    rows, skipped = [], {}
    long_first = sorted(terms, key=lambda term: -len(term.text))
    has_case = any(term.has_case for term in terms)
    has_many_forms = any(term.has_many_forms for term in terms)
    for id in ids:
        data = read(at, id)
        if isinstance(data, str):
            skipped[id] = data
            continue
        low = data.lower() if has_case else data
        high = only_high(data) if has_many_forms else None
        for term in long_first:
            if not term.may_be_in(low, high):
                break
        else:
            if score := _score(low, terms):
                rows.append((*score, id))
    return rows, skipped


def _score(low: bytes, terms: Sequence[Term]) -> tuple[int, int] | None:
    """What stands in a mark, in the front matter or above a turn does not count."""
    topic, body = title(low)
    in_topic = {term for term in terms if term.is_in(topic)}
    found, most = set(in_topic), 0
    for start, mark, _ in sections(low, body):
        section = low[start:mark]
        here = {term for term in terms if term.is_in(section)}
        if here:
            words, _ = without_opening(section)
            here = {term for term in here if term.is_in(words)}
        found |= here
        most = max(most, len(here))
        if most == len(terms):
            break
    return (len(in_topic), most) if len(found) == len(terms) else None


def title(data: bytes) -> tuple[bytes, int]:
    """The title, empty if there is none, and where it ends: there the sections begin."""
    front_end = data.find(b"\n", data.find(b"\n---", 3) + 1) if data.startswith(_FRONT) else 0
    found = re.compile(_TITLE).match(data, max(0, front_end))
    assert found, "it matches nothing, too"
    return found[1] or b"", found.end()


def sections(data: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Where the text above a mark begins and ends, mostly the words of one turn, and where the mark ends."""
    while (mark := data.find(MARK, start)) >= 0:
        end = data.find(b"\n", mark + 1)
        end = len(data) if end < 0 else end
        yield start, mark, end
        start = end
    yield start, len(data), len(data)


def without_opening(section: bytes) -> tuple[bytes, int]:
    """The section with nothing left of its opening but the ends of lines, and where the turn's own words begin."""
    opening = re.search(_OPENING, section)
    if not opening:
        return section, 0
    above = section[: opening.start()] + b"\n" * opening[0].count(b"\n")
    return above + section[opening.end() :], len(above)


def read(at: int, id: str) -> bytes | str:
    """The whole file, or why it is not searched."""
    try:
        file = open_record(at, id)
        try:
            data = os.read(file, _ONE_READ)
            if problem := problem_with(data):
                return problem
            if len(data) == _ONE_READ:
                size = os.fstat(file).st_size
                if size > LARGEST:
                    return f"it has {size:,} bytes"
                data += os.read(file, size)
            return data
        finally:
            os.close(file)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
