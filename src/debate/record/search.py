"""Which debates mention these words, and where: what is shown of each, the best first."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from debate.record import sift
from debate.record.names import FOLDER, records_and_others, stems
from debate.record.overview import Entry, entries, folder, no_records
from debate.record.terms import Term

if TYPE_CHECKING:
    from pathlib import Path

_AROUND = 70  # characters of an excerpt on either side of what was found


class Found(NamedTuple):
    hits: list[dict[str, Any]]
    records: int  # that hold all the terms, shown or not
    searched: int
    skipped: dict[str, str]  # by id, why a file was not searched


def search(root: Path | str, terms: Sequence[Term], limit: int) -> Found:
    """Most of the terms in the topic come first, then most in one turn, then the newest."""
    ids, others = records_and_others(root)
    hits: list[dict[str, Any]] = []
    with folder(root) as at:
        if at is None:
            return Found([], 0, 0, {})
        rows, skipped = sift.sift(at, ids, terms)
        dropped = 0
        for *_, id in sorted(rows, reverse=True):
            if len(hits) == limit:
                break
            if hit := _hit(at, id, terms):
                hits.append(hit)
            else:
                dropped += 1
    return Found(hits, len(rows) - dropped, len(ids) - len(skipped), skipped | no_records(others))


def alone(root: Path | str, terms: Sequence[Term]) -> dict[str, int]:
    """How many records hold each of the terms, when none holds all."""
    if len(terms) == 1:
        return {terms[0].text: 0}
    return {term.text: search(root, [term], limit=0).records for term in terms}


def near(root: Path | str, terms: Sequence[Term]) -> list[Entry]:
    """The debates whose names are most like what nobody said: they share half of its pairs of letters, or more."""
    wanted = {pair for term in terms for word in term.folded.split() for pair in _pairs(word)}
    shared = {id: sum(pair in id for pair in wanted) for id in stems(root)}
    likely = [id for id in sorted(shared, key=lambda id: -shared[id]) if 2 * shared[id] >= len(wanted)]
    return entries(root, likely[:3])


def _pairs(text: str) -> set[str]:
    return {a + b for a, b in pairwise(text)} or {text}


def _hit(at: int, id: str, terms: Sequence[Term]) -> dict[str, Any] | None:
    """What is shown of a record; None if its text does not hold what its bytes promised."""
    from debate.record import front

    data = sift.read(at, id)
    if isinstance(data, str):
        return None  # it was changed just now
    header, (_, body) = front.values(data), sift.title(data)
    topic = " ".join(normalize("NFC", header.get("topic") or id).split())
    in_topic = {term: find for term in terms if (find := term.pattern.search(topic))}
    parts = [_Part(data, *place) for place in sift.sections(data, body)]
    finds = [part.finds(terms) for part in parts]
    if len(set(in_topic).union(*finds)) < len(terms):
        return None
    best, found = max(zip(parts, finds, strict=True), key=lambda pair: len(pair[1]))
    if found:
        rarest = min(found, key=lambda term: len(term.pattern.findall(best.text)))
        first = found[rarest]
        speaker = best.speaker() if first.start() >= best.own else {}
        where = "turn" if speaker else "note"
        line = data.count(b"\n", 0, best.start) + best.text.count("\n", 0, first.start()) + 1
    else:
        first = next(iter(in_topic.values()))
        where, speaker, line = "topic", {}, data.count(b"\n", 0, body) + 1
    return {
        "id": id,
        "topic": topic,
        "date": header.get("date") or "",
        "status": header.get("status") or "in-progress",
        "outcome": header.get("outcome"),
        "where": where,  # turn, topic, or a person's note
        "seq": speaker.get("seq"),
        "round": speaker.get("round"),
        "role": speaker.get("role"),
        "line": f"{FOLDER}/{id}.md:{line}",
        "excerpt": _excerpt(first, terms),
        "turns": sum(map(bool, finds)),  # that hold any of the terms
    }


class _Part:
    """A section as text, without its opening but with all its lines. What stands before `own` is a person's note."""

    def __init__(self, data: bytes, start: int, mark: int, end: int) -> None:
        words, own = sift.without_opening(data[start:mark])
        self.start, self._mark = start, data[mark + len(sift.MARK) : end]
        self.text, self.own = _text(words), len(_text(words[:own]))

    def finds(self, terms: Sequence[Term]) -> dict[Term, re.Match[str]]:
        found = {
            term: term.pattern.search(self.text, self.own) or term.pattern.search(self.text) for term in terms
        }
        return {term: find for term, find in found.items() if find}

    def speaker(self) -> dict[str, Any]:
        """Who spoke, by the mark; nobody if there is none, or people broke it."""
        try:
            told = json.loads(self._mark.rpartition(b" -->")[0])
            seq, round, role = told["seq"], told.get("round", 0), told["role"]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}
        sound = isinstance(seq, int) and isinstance(round, int) and isinstance(role, str)
        return {"seq": seq, "round": round, "role": role} if sound else {}


def _excerpt(find: re.Match[str], terms: Sequence[Term]) -> str:
    """The words around what was found, whole ones where words are apart; each find between ** and **."""
    text, begin, end = find.string, max(0, find.start() - _AROUND), find.end() + _AROUND
    shown = text[begin:end]
    if begin:
        shown = re.sub(r"\A\S{0,20}\s", "", shown)
    if end < len(text):
        shown = re.sub(r"\s\S{0,20}\Z", "", shown)
    every = re.compile("|".join(term.pattern.pattern for term in terms), re.IGNORECASE)
    marked = " ".join(every.sub(r"**\g<0>**", shown).split())
    return f"{'… ' if begin else ''}{marked}{' …' if end < len(text) else ''}"


def _text(data: bytes) -> str:
    return normalize("NFC", data.decode("utf-8", "replace"))
