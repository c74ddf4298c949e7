"""How a turn stands in Markdown: a heading, its words, and one comment line that closes it.

    ### Partner (general-purpose) · challenge
    <blank>
    the words, byte for byte
    <blank>
    <!-- turn {"seq":3,...,"prev":"…","hash":"…"} -->

The comment is the commit mark: a turn without its whole mark is not there. A line of the words that looks like
a mark gets a backslash in front, which reading takes off again. What people write between turns is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, replace
from dataclasses import fields as dataclass_fields
from hashlib import sha256
from itertools import islice
from typing import Any

from debate.model import Turn

# A line that nobody else writes. One that ends otherwise, in group 2, is a mark that somebody broke.
_MARK = re.compile(rb"^<!-- turn (.*?)(?: -->[ \t\r]*(?:\n|\Z)|(\n))", re.MULTILINE)
_LOOKS_LIKE_MARK = re.compile(r"^(\\*)(?=<!-- turn )", re.MULTILINE)
_ESCAPED_MARK = re.compile(r"^\\(\\*)(?=<!-- turn )", re.MULTILINE)
_HEADING = re.compile(r"^(## Conclusion\r?|### [^\n]*)\n", re.MULTILINE)
_MOST_HEADINGS = (
    100  # a note above a turn may have headings; to try every one of a long, edited text takes too long
)

_WHOLE_OPENING = r"## Round \d+\n|### (?:[^\n]* )?·[^\n]*\n"
_CUT_OPENING = r"#{1,3}|## |## R|## Ro|## Rou|## Roun|## Round(?: \d*)?|### [^\n]*"
_UNFINISHED = re.compile(rf"(?:\A|\n)(?:{_WHOLE_OPENING}|(?:{_CUT_OPENING})\Z)|\0".encode())
_UNFINISHED_CONCLUSION = re.compile(rb"(?:\A|\n)## C(?:onclusion\n|[a-z]*\Z)")

_TYPES: dict[str, type] = {
    "seq": int,
    "round": int,
    "parent": int,
    "fields": dict,
    "receipt": dict,
    "log": list,
    "citations": list,
}
_DEFAULTS = {
    field.name: field.default if field.default_factory is MISSING else field.default_factory()
    for field in dataclass_fields(Turn)
    if field.name not in ("content", "hash", "edited")
}
_READ = {*_DEFAULTS, "hash"}


def genesis(header: Mapping[str, Any]) -> str:
    """The hash that the first turn stands on: what never changes in the front matter."""
    fixed = [str(header.get(key) or "") for key in ("debate", "format", "topic", "date", "commit")]
    return _digest(json.dumps(fixed, ensure_ascii=False))


def seal(turn: Turn, prev: str) -> Turn:
    """The turn with its place in the chain, as reading will give it. UnicodeEncodeError if it is no UTF-8."""
    meta = _meta(replace(turn, prev=prev))
    read_back = Turn(**json.loads(meta + "}"), content=turn.content)  # a tuple comes back as a list
    return replace(read_back, hash=_digest(meta, _heading(turn), turn.content))


def render(turn: Turn, new_round: bool) -> bytes:
    """The section that is appended for a sealed turn."""
    above = f"## Round {turn.round}\n\n" if new_round else ""
    words = _LOOKS_LIKE_MARK.sub(r"\1\\", turn.content)
    mark = f'{_meta(turn)},"hash":"{turn.hash}"}}'
    return f"\n{above}{_heading(turn)}\n\n{words}\n\n<!-- turn {mark} -->\n".encode()


def scan(data: bytes, from_start: bool, most: int | None = None) -> tuple[list[Turn | None], int, int]:
    """The turns in these bytes, the last `most` of them, None for a broken mark; where the first of them begins,
    and where the last ends.

    Bytes from the middle of a record begin somewhere in a line of some turn: there the first mark only says
    where the next turn begins.
    """
    marks = list(_MARK.finditer(data, 0 if from_start else 1))
    skipped = max(0 if from_start else 1, 0 if most is None else len(marks) - most)
    ends = [0, *(mark.end() for mark in marks)]
    found = [
        None if mark[2] else _parse(data[begin : mark.start()], mark[1])
        for begin, mark in zip(ends[skipped:], marks[skipped:], strict=False)
    ]
    return found, ends[min(skipped, len(marks))], ends[-1]


def unfinished(rest: bytes, completed: bool) -> int | None:
    """Where, in what follows the last mark, a turn begins that was never finished. None in a person's note.

    A conclusion is written in one step with `status: completed`; before that the heading is a person's.
    """
    places = [_UNFINISHED.search(rest), completed and _UNFINISHED_CONCLUSION.search(rest)]
    return min((place.start() for place in places if place), default=None)


def _parse(section: bytes, mark: bytes) -> Turn | None:
    """The turn that a mark closes, `section` being everything since the mark before."""
    line = mark.decode("utf-8", "replace")
    try:
        values = json.loads(line)
        json.dumps(values, ensure_ascii=False).encode()  # an escaped half of a character could not be shown
        sound = {
            key: values[key] for key in _READ & values.keys() if isinstance(values[key], _TYPES.get(key, str))
        }
        if "citations" in sound:
            sound["citations"] = [entry for entry in sound["citations"] if _is_checked(entry)]
        turn = Turn(**sound)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    if not turn.seq:
        return None
    meta, _, proof = line.rpartition(',"hash":"')
    text = section.decode("utf-8", "replace")
    headings = list(islice(_HEADING.finditer(text), _MOST_HEADINGS))
    for heading in headings:
        words = _unescaped(text[heading.end() :].removeprefix("\n").removesuffix("\n\n"))
        if f'{_digest(meta, heading[1], words)}"}}' == proof:
            return replace(turn, content=words)
    own = next(
        (place for place in headings if place[1].rstrip() == _heading(turn)), next(iter(headings), None)
    )
    return replace(turn, content=_unescaped(text[own.end() if own else 0 :]).strip("\r\n"), edited=True)


def _is_checked(entry: Any) -> bool:
    """A citation with its verdict; people edit records, and what they leave of one is none."""
    return (
        isinstance(entry, dict)
        and {"cited", "verdict"} <= entry.keys()
        and all(isinstance(value, str) for value in entry.values())
    )


def _unescaped(words: str) -> str:
    return _ESCAPED_MARK.sub(r"\1", words)


def _heading(turn: Turn) -> str:
    if turn.kind == "conclusion":
        return "## Conclusion"
    who = turn.role.capitalize() + (f" ({turn.agent})" if turn.agent else "")
    proof = f" · {doubt}" if (doubt := _doubt(turn)) else ""
    line = "".join(c if c.isprintable() else " " for c in f"### {who} · {turn.kind}{proof}")
    return " ".join(line.split())


def _doubt(turn: Turn) -> str:
    """What nobody proves of these words: readers see it beside the name."""
    doubts = []
    if turn.kind == "challenge" and not turn.receipt:
        doubts.append("no receipt")
    elif turn.receipt and turn.receipt.get("prompt", "as issued") != "as issued":
        doubts.append("another prompt")
    if false := len(turn.false_citations):
        doubts.append(f"{false} citation{'s do' if false > 1 else ' does'} not hold")
    return " · ".join(doubts)


def _meta(turn: Turn) -> str:
    """The metadata but for the closing brace, as one line. Without a `>` it cannot end the comment."""
    values = {name: getattr(turn, name) for name in _DEFAULTS}
    kept = {name: value for name, value in values.items() if value != _DEFAULTS[name]}
    line = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    return line.replace(">", "\\u003e")[:-1]


def _digest(*parts: str) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()[:32]
