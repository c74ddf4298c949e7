"""Templates into prompts. Slots are filled in one pass, so that a value that looks like a slot stays text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from debate.model import Debate, Speak, Turn

_HERE = Path(__file__).parent.parent
_SLOT = re.compile(r"\{\{(\w+)\}\}")
BRIEF_CHARACTERS = 20_000


def fill(template: str, slots: Mapping[str, str]) -> str:
    text = (_HERE / "templates" / f"{template}.md").read_text(encoding="utf-8")
    text = _SLOT.sub(lambda found: found[0] if slots.get(found[1]) else "", text)
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n")  # of the template only: a value is somebody's words
    return _SLOT.sub(lambda found: slots[found[1]], text) + "\n"


def role_text() -> str:
    """The partner's role, from the one place where it is written."""
    for folder in (_HERE.parent.parent, _HERE):  # a clone or plugin; an installed package
        path = folder / "skills" / "dialectic-partner" / "SKILL.md"
        if path.is_file():
            return path.read_text(encoding="utf-8").split("---\n", 2)[2].strip()
    raise FileNotFoundError("skills/dialectic-partner/SKILL.md")


def for_agent(debate: Debate, speak: Speak, root: Path, is_new: bool) -> str:
    """The prompt of a role that an agent speaks. One who was not there before is told what was said."""
    joins = is_new and speak.round > 1
    said = speak.slots.get("said", [])
    slots = {
        "root": str(root),
        "role": role_text(),
        "topic": debate.topic,
        "round": str(speak.round),
        "view": _blocks(entry for entry in said if entry["role"] != "user"),
        "user": _blocks(entry for entry in said if entry["role"] == "user"),
        "checked": _checked(speak),
        "context": _context(root, debate.topic) if is_new else "",
        "brief": brief(debate, BRIEF_CHARACTERS, speak.sees) if joins else "",
        "shape": fill("shape", {"questions": fill("shape-questions", {})}),
    }
    return fill("partner-joins" if joins else speak.template, slots)


def _context(root: Path, topic: str) -> str:
    from debate.context import gather

    return gather(root, topic).text


def for_main(debate: Debate, speak: Speak, submit: str) -> str:
    """What main is asked to do, with the literal calls that do it."""
    from debate.formats.dialectic import SOFT_LIMIT

    if speak.template == "conclude":
        return "The user wants the conclusion:\n\n" + conclude_call(debate)
    slots = {
        "id": debate.id,
        "checked": _checked(speak),
        "announced": fill("user-will-speak", {"id": debate.id}) if speak.slots.get("user_wants_to") else "",
        "together": "The partner agrees: conclude, unless there is something new. "
        if speak.slots.get("together")
        else "",
        "suggest_end": f" ({SOFT_LIMIT} rounds have passed: suggest it)"
        if speak.slots.get("suggest_end")
        else "",
        "shape": fill("shape", {}),
        "asks": fill("partner-asks", {"id": debate.id}) if speak.slots.get("partner_asks") else "",
        "submit": submit,
        "conclude": conclude_call(debate),
    }
    return fill(speak.template, slots)


def conclude_call(debate: Debate) -> str:
    """The call that ends a debate, with the sections that each outcome needs, as the rules have them."""
    from debate.formats.dialectic import CONCLUSION, REQUIRED

    needs = (f"- {word}: {_sections(keys)}" for word, keys in REQUIRED.items())
    slots = {
        "id": debate.id,
        "sections": "\n".join(f"## {heading}" for heading in CONCLUSION.values()),
        "outcomes": "\n".join(needs),
        "dissent": CONCLUSION["dissent"],
    }
    return fill("conclude", slots).rstrip("\n")


def _sections(keys: Collection[str]) -> str:
    """The headings that an outcome needs, said the shorter way."""
    from debate.formats.dialectic import CONCLUSION

    rest = [heading for key, heading in CONCLUSION.items() if key not in keys]
    if len(rest) < len(keys):
        return f"all of them but {' and '.join(rest)}" if rest else "all of them"
    return ", ".join(CONCLUSION[key] for key in keys)


def brief(debate: Debate, budget: int, apart: Collection[int] = ()) -> str:
    """What was said, within a budget: the newest whole, older turns shortened, and each of them named.

    Turns whose numbers are in `apart` stand elsewhere in the same prompt.
    """
    turns = [turn for turn in debate.turns if turn.seq not in apart]
    whole: list[str] = []
    left = budget
    while turns and (not whole or len(_told(turns[-1])) <= left * 2 // 3):
        text = _told(turns.pop())
        if len(text) > budget:
            text = text[:budget] + f"\n… ({len(text) - budget:,} characters more: debate show {debate.id})"
        whole.append(text)
        left -= len(text)
    share = left // len(turns) if turns else 0
    older = []
    if share >= 200 + len(debate.id):
        older = [_told(turn, share, debate.id) for turn in turns]
    elif turns:
        older = [f"(turns {turns[0].seq} to {turns[-1].seq} are left out here: debate show {debate.id})"]
    return "\n\n".join([*older, *reversed(whole)])


def _told(turn: Turn, most: int | None = None, debate_id: str = "") -> str:
    """One turn, in so many characters at most."""
    text = f"[{turn.seq}] round {turn.round}, {turn.role}, {turn.kind}:\n{turn.content}"
    if most is None or len(text) <= most:
        return text
    tail = f"… ({len(text) - most:,} characters more: debate show {debate_id} --turn {turn.seq})"
    return text[: most - len(tail)] + tail


def _checked(speak: Speak) -> str:
    """What the helper found out about both sides' citations."""
    false = speak.slots.get("unsound")
    if not false:
        return ""
    return "The helper looked up the citations. These do not hold:\n" + "\n".join(
        f"- {entry}" for entry in false
    )


def _blocks(said: Iterable[Mapping[str, Any]]) -> str:
    names = {"main": "main-agent", "partner": "partner", "user": "user"}
    return "\n\n".join(f"<{names[e['role']]}>\n{e['text']}\n</{names[e['role']]}>" for e in said)
