"""A debate as an architecture decision record: what was decided, why, and against what, from the record alone."""

from __future__ import annotations

from collections.abc import Iterator

from debate import formats
from debate.drivers.filing import participants
from debate.model import Debate, Turn

STATUS = {"consensus": "accepted", "partial": "proposed", "disagreement": "contested"}
_CARE = "Read with care"


def render(debate: Debate, record: str) -> str:
    """As Markdown. `record` is the record's path from the root of the project."""
    rules = formats.named(debate.format)
    ended = rules.outcome(debate)
    conclusion = debate.newest("conclusion") if ended else None
    told = _parts(conclusion.content, [*rules.CONCLUSION.values(), _CARE]) if conclusion else {}
    parts = {key: told[heading] for key, heading in rules.CONCLUSION.items() if told.get(heading)}
    care = told.get(_CARE) or "\n".join(f"- {label}" for label in rules.labels(debate))

    undecided = (
        "No decision was reached."
        if ended
        else f"None yet: the debate is not concluded, {rules.state(debate)}."
    )
    sections = {
        "Context": "\n\n".join(_context(debate)),
        "Decision": parts.get("agreed") or undecided,
        "Consequences": parts.get("insights"),
        "Alternatives": "\n\n".join(_alternatives(debate, parts, rules.CONCLUSION)),
        "Open points": parts.get("open"),
        "Crux": parts.get("crux"),
        "What would settle it": parts.get("settle"),
        _CARE: care,
    }
    ending = f"the debate ended in {ended.word}" if ended else "the debate is not concluded"
    commit = f", argued on commit {debate.commit}" if debate.commit else ""
    facts = (
        f"Status: {STATUS.get(ended.word, 'proposed') if ended else 'proposed'} ({ending})",
        f"Date: {debate.date[:10] or 'unknown'}",
        f"Participants: {'; '.join(participants(debate)) or 'nobody has spoken yet'}",
        f"Record: [{debate.id}](<{record}>){commit}",
    )
    head = [f"# {' '.join(debate.topic.split())}", "\n".join(f"- {fact}" for fact in facts)]
    return "\n\n".join([*head, *(f"## {name}\n\n{text.strip()}" for name, text in sections.items() if text)])


def _context(debate: Debate) -> Iterator[str]:
    yield debate.topic.strip()
    answers = [turn for turn in debate.turns if turn.role == "user" and turn.kind in ("answer", "message")]
    for turn in answers:
        if focus := _focus(turn):
            yield f"Focus, chosen by the user: {focus}."
    for turn in answers:
        where = f"in round {turn.round}" if turn.round else "at the start"
        yield f"The user, {where}:\n\n{turn.content.strip()}"


def _focus(turn: Turn) -> str:
    chosen, typed = turn.fields.get("focus"), turn.fields.get("focus_text")
    keys = list(map(str, chosen)) if isinstance(chosen, list) else []
    return ", ".join([*keys, str(typed)] if typed else keys)


def _alternatives(debate: Debate, parts: dict[str, str], headings: dict[str, str]) -> Iterator[str]:
    """Both positions and the dissent as they were concluded; else what each side said last, or the partner at first."""
    concluded = [key for key in ("main_position", "partner_position", "dissent") if key in parts]
    for key in concluded:
        yield f"### {headings[key]}\n\n{parts[key]}"
    if concluded:
        return
    if "agreed" in parts:
        first = next((turn for turn in debate.turns if turn.kind == "challenge"), None)
        yield from _position(first, "The partner at first")
    else:
        yield from _position(debate.newest("view"), "Main")
        yield from _position(debate.newest("challenge"), "The partner")


def _position(turn: Turn | None, who: str) -> Iterator[str]:
    if turn:
        stance, because = turn.fields.get("stance") or "no stance", turn.fields.get("because")
        yield f"{who} (turn {turn.seq}): {stance}" + (
            f", because:\n\n{str(because).strip()}" if because else "."
        )


def _parts(text: str, headings: list[str]) -> dict[str, str]:
    """What stands under each of these headings. Others, and those in a fence, belong to the text above them."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = line.removeprefix("### ").strip()
        if line.startswith("### ") and heading in headings and not fenced:
            lines = found.setdefault(heading, [])
        else:
            lines.append(line)
    return {heading: "\n".join(under).strip() for heading, under in found.items()}
