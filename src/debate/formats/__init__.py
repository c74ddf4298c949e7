"""Each format is a module of rules: open, pending, allowed, receive, outcome. Values in, values out, no I/O."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from debate.model import BadInput, Debate, NotAllowed

NAMES = ("dialectic",)


def named(name: str) -> ModuleType:
    if name not in NAMES:
        raise BadInput(f"There is no format {name!r}.", suggestion=f"Use one of: {', '.join(NAMES)}.")
    return import_module(f"debate.formats.{name}")


def replay(debate: Debate) -> tuple[Debate, list[str]]:
    """Fold the turns once more. A turn that stands in a record never raises: it is kept and reported."""
    from dataclasses import replace

    from debate.model import Turns

    rules = named(debate.format)
    folded, findings = replace(debate, turns=Turns()), []
    for turn in debate.turns:
        try:
            taken = rules.receive(folded, turn)
            if taken is folded:
                findings.append(f"turn {turn.seq} repeats an answer that stands above it")
        except NotAllowed as refused:
            findings.append(f"turn {turn.seq} ({turn.role}, {turn.kind}) came out of turn: {refused.message}")
        folded = replace(folded, turns=folded.turns.plus(turn))
    return folded, findings
