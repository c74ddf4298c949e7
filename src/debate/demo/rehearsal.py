"""The rehearsal participant: it says what was written beforehand, and says so. No model speaks here."""

from __future__ import annotations

from pathlib import Path

from debate.model import Debate

AGENT = "rehearsal"
ROUNDS = 2
SENTENCE = "This is a rehearsal: these words were written beforehand, no model spoke."

_WORDS = Path(__file__).parent / "words"


def speech(debate: Debate, role: str, number: int) -> str:
    return f"*{SENTENCE}*\n\n{_words(f'{role}-{number}', debate)}"


def conclusion(debate: Debate, after: int) -> str:
    return _words(f"conclusion-{after}", debate)


def crux() -> str:
    """What decides it, as the conclusion will say."""
    text = (_WORDS / f"conclusion-{ROUNDS}.md").read_text(encoding="utf-8")
    return text.split("## Crux\n", 1)[1].split("##", 1)[0].strip()


def _words(name: str, debate: Debate) -> str:
    text = (_WORDS / f"{name}.md").read_text(encoding="utf-8")
    return text.replace("{{user}}\n\n", _what_the_user_said(debate))


def _what_the_user_said(debate: Debate) -> str:
    """Since main last spoke, quoted. Words written beforehand cannot answer it, and don't pretend to."""
    own = debate.newest("view")
    said = [turn for turn in debate.since(own.seq if own else 0) if turn.kind in ("answer", "message")]
    if not said:
        return ""
    lines = "\n\n".join(turn.content for turn in said).splitlines()
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    return f"The user said, and a model would weigh it here:\n\n{quoted}\n\n"
