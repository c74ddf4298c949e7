"""The vocabulary: Debate, Turn, Request, Outcome and the errors. Imports nothing of ours, does no I/O.

Errors, each with the thing, the reason and the next step:

    DebateError              exit code 1   the rules say no
    ├── NotAllowed                         a turn arrived out of turn
    ├── Unknown                            no such debate, request or message
    ├── BadInput             exit code 2   the words of the call are off
    └── OutOfReach           exit code 3   a file, a lock or a person could not be reached
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, ClassVar, overload


class DebateError(Exception):
    """What the user is told: never built without the next step."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "refused"

    def __init__(
        self,
        message: str,
        *,
        suggestion: str,
        current_state: str | None = None,
        allowed_roles: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.current_state = current_state
        self.allowed_roles = list(allowed_roles)


class NotAllowed(DebateError):
    """A turn arrived that the format does not take now."""

    code = "not_allowed"


class Unknown(DebateError):
    """Something was named that is not there."""

    code = "unknown"


class BadInput(DebateError):
    """The call itself is wrong: empty, too long, not text."""

    exit_code = 2
    code = "bad_input"


class OutOfReach(DebateError):
    """The disk, a lock or the hooks did not answer."""

    exit_code = 3
    code = "out_of_reach"


@dataclass(frozen=True, slots=True)
class Turn:
    """One contribution. `fields` is what the format reads; `content` is what people read."""

    role: str
    kind: str
    content: str = ""
    seq: int = 0
    round: int = 0
    phase: str | None = None
    request: str | None = None
    parent: int | None = None
    agent: str | None = None
    model: str | None = None
    provider: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    receipt: Mapping[str, Any] | None = None
    citations: Sequence[Mapping[str, str]] = ()  # each place it cites, with whether that holds
    log: Sequence[Any] | None = None  # the session log's line that this turn was taken from
    time: str = ""
    prev: str = ""
    hash: str = ""
    edited: bool = False  # the words no longer match the hash that was written with them

    @property
    def false_citations(self) -> list[str]:
        """What everyone must be told before they believe this turn."""
        return [
            f"`{entry.get('cited')}`: {entry.get('verdict')}"
            + (f" ({entry['note']})" if entry.get("note") else "")
            for entry in self.citations
            if entry.get("verdict") != "holds"
        ]

    def same_words(self, other: Turn) -> bool:
        return (self.role, self.kind, self.content) == (other.role, other.kind, other.content)


class Turns(Sequence[Turn]):
    """The turns in order. The newest are at hand, the older ones are read when somebody looks that far back.

    Rules look at the end of a debate; so the thousandth round costs what the second does.
    """

    def __init__(
        self, newest: Iterable[Turn] = (), older: Callable[[], Iterable[Turn]] | None = None
    ) -> None:
        self._newest = tuple(newest)
        self._older = older

    def _all(self) -> tuple[Turn, ...]:
        if self._older is not None:
            self._newest = (*self._older(), *self._newest)
            self._older = None
        return self._newest

    def plus(self, turn: Turn) -> Turns:
        return Turns((*self._newest, turn), self._older)

    def __bool__(self) -> bool:
        return bool(self._newest) or bool(self._all())

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, index: int | slice) -> Turn | tuple[Turn, ...]:
        if isinstance(index, int) and -len(self._newest) <= index < 0:
            return self._newest[index]
        return self._all()[index]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._all())

    def __reversed__(self) -> Iterator[Turn]:
        """From the newest back, reading the older ones only when it gets there."""
        at_hand = self._newest
        yield from reversed(at_hand)
        everything = self._all()
        yield from reversed(everything[: len(everything) - len(at_hand)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Turns) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(len(self))

    def __repr__(self) -> str:
        return f"Turns({', '.join(f'{turn.seq}:{turn.role}/{turn.kind}' for turn in self._newest)})"


@dataclass(frozen=True, slots=True)
class Debate:
    """An id, a format, a topic and what was said. Everything else is derived from it."""

    id: str
    format: str
    topic: str
    date: str = ""
    language: str = "en"
    commit: str | None = None
    agent: str = "general-purpose"  # who was chosen to answer, and why
    why: str = ""
    turns: Turns = field(default_factory=Turns)

    @property
    def last_seq(self) -> int:
        return self.turns[-1].seq if self.turns else 0

    def request_id(self, role: str, seq: int | None = None) -> str:
        """Stable, short and plain ASCII: it stands in a shell command whatever the topic's script."""
        return f"{short_id(self.id)}-{self.last_seq + 1 if seq is None else seq}-{role}"

    def newest(self, *kinds: str, role: str | None = None) -> Turn | None:
        for turn in reversed(self.turns):
            if turn.kind in kinds and (role is None or turn.role == role):
                return turn
        return None

    def since(self, seq: int) -> list[Turn]:
        """The turns after number `seq`, in order."""
        found = []
        for turn in reversed(self.turns):
            if turn.seq <= seq:
                break
            found.append(turn)
        return found[::-1]

    def answer_to(self, request: str | None) -> Turn | None:
        if request is None:
            return None
        asked_at = _ASKED_AT.match(request)
        later = self.since(int(asked_at[1]) - 1 if asked_at else 0)
        return next((turn for turn in later if turn.request == request), None)

    def plus(self, turn: Turn) -> Debate:
        """With one more turn, which gets its number here."""
        return replace(self, turns=self.turns.plus(replace(turn, seq=self.last_seq + 1)))


_ASKED_AT = re.compile(r"[0-9a-f]{8}-([0-9]{1,9})-")


def short_id(debate_id: str) -> str:
    return sha256(debate_id.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Request:
    """What the debate needs next, from whom. `kind` says what it takes: speak or ask."""

    id: str
    role: str
    round: int = 0
    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Speak(Request):
    """A role must talk: a template's name with its slots, what it may see, the shape of the answer."""

    kind: ClassVar[str] = "speak"
    template: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict)
    sees: Sequence[int] = ()
    shape: Sequence[str] = ()
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Ask(Request):
    """The user must choose. `about` names the question; `slots` is what it is built from."""

    kind: ClassVar[str] = "ask"
    about: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a debate ended, and what the first, independent answers said before it."""

    word: str
    option: str | None = None
    plain_vote: Mapping[str, Any] = field(default_factory=dict)
