"""What a context holds, written within a budget: what does not fit is counted and said, and no secret gets in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from debate.secrets import mask

LONGEST_LINE = 1_000
# What steers a terminal or turns the order of letters around.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Context:
    kind: str
    text: str
    left_out: list[str]


@dataclass
class Page:
    """Lines are added as long as there is room. A part of the room is kept for saying what was left out."""

    budget: int
    left_out: list[str] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _masked: Counter[str] = field(default_factory=Counter)
    _used: int = 0

    @property
    def room(self) -> int:
        return self.budget - self.budget // 6 - 40 - self._used

    def add(self, *lines: str) -> bool:
        """All of these lines, or none if they do not fit."""
        text = self.masked("\n".join(map(_shortened, lines)))
        if len(text) + 1 > self.room:
            return False
        self._lines.append(text)
        self._used += len(text) + 1
        return True

    def masked(self, text: str) -> str:
        text, kinds = mask(text)
        self._masked.update(kinds)
        text = text.replace("</context", "< /context")  # nothing in it may seem to be its end
        return _UNSEEN.sub("\ufffd", text)

    def add_list(self, title: str, lines: Sequence[str], share: float, things: str, count: int = 0) -> None:
        """A list in its share of the room: as many lines as fit, then how many more there are, of `count` in all."""
        count = count or len(lines)
        if not count:
            return
        end = self.room * (1 - share)
        if not self.add(title):
            self.leave_out(f"{count:,} {things}")
            return
        shown = 0
        for line in lines:
            if self.room - len(line) < end or not self.add(f"  {line}"):
                break
            shown += 1
        if shown < count:
            self.add(f"  … and {count - shown:,} more")
            self.leave_out(f"{count - shown:,} of {count:,} {things}, for want of room")

    def leave_out(self, what: str) -> None:
        text = self.masked(_shortened(what))
        if text not in self.left_out:
            self.left_out.append(text)

    def finished(self, kind: str) -> Context:
        if self._masked:
            kinds = ", ".join(
                f"{count} × {name}" if count > 1 else name for name, count in self._masked.items()
            )
            self.left_out.insert(0, f"what looks like a secret is masked: {kinds}")
        head, tail = f'<context kind="{kind}">', "</context>"
        lines = [head, *self._lines]
        room = self.budget - sum(len(line) + 1 for line in lines) - len(tail) - 1
        notes = ["Left out here:", *(f"- {what}" for what in self.left_out)] if self.left_out else []
        for number, line in enumerate(notes):
            more = f"- and {len(notes) - number:,} more"
            room -= len(line) + 1
            if room < len(more) + 1 and number < len(notes) - 1:
                lines.append(more)
                break
            lines.append(line)
        return Context(kind, "\n".join([*lines, tail]), self.left_out)


def _shortened(line: str) -> str:
    """One line stays one line, whatever stands in it, and a minified file does not fill the page."""
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…"
