"""What arrived, as turns: agents' answers with their receipts, the person's answers in their own words, failures."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from debate import evidence, formats, questions, secrets
from debate.drivers.takeover import Arrival
from debate.drivers.transcript import CUT_OFF, usage
from debate.formats import dialectic
from debate.guard.session import Session
from debate.model import Ask, BadInput, Debate, NotAllowed, Speak, Turn, Unknown
from debate.sections import front_matter_or_sections, items, sections

_ERROR_TEXTS = ("API Error", "Prompt is too long", "[Request interrupted", "Execution error")


def turn_for(debate: Debate, arrival: Arrival) -> Turn | None:
    """The turn that an arrival makes, or None where it was filed before or no longer fits."""
    if arrival.rid and debate.answer_to(arrival.rid):
        return None
    rules = formats.named(debate.format)
    asked = next((request for request in rules.pending(debate) if request.id == arrival.rid), None)
    base = Turn(
        "partner",
        "",
        request=arrival.rid,
        log=[arrival.session.log.session, arrival.line["n"]],
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(arrival.line["t"])),
    )
    if arrival.kind == "violation":
        files = [str(path) for path in arrival.line["files"]]
        words = f"While this ran: `{arrival.text}`\n\nchanged, without consent: {', '.join(files)}"
        turn = replace(
            base, role="guard", kind="violation", request=None, content=words, fields={"files": files}
        )
    elif arrival.kind in ("spoke", "failed"):
        if not isinstance(asked, Speak):
            return None
        turn = _spoken(replace(base, role=asked.role, round=asked.round), arrival)
        told = arrival.session.issued.get(arrival.rid, {}).get("upto")
        if turn.kind == "challenge" and told is not None and told < debate.last_seq:
            turn = replace(turn, fields={**turn.fields, "heard": told})  # more was said while it spoke
    else:
        turn = _said_by_person(replace(base, role="user"), debate, arrival)
    try:
        taken: Debate = rules.receive(debate, turn)
        return taken.turns[-1] if taken is not debate else None
    except NotAllowed:
        return None


def checked(turn: Turn, root: Path) -> Turn:
    """The turn with its citations looked up in the files as they are now."""
    if turn.kind not in ("view", "challenge"):
        return turn
    return replace(turn, citations=tuple(evidence.check(evidence.citations(turn.content, root), root)))


def _spoken(base: Turn, arrival: Arrival) -> Turn:
    agent = str(arrival.call.get("agent") or arrival.line.get("agent") or "")
    reason = arrival.text if arrival.kind == "failed" else _abnormal(arrival)
    if reason:
        brief = " ".join(reason.split())[:500]
        return replace(base, kind="failure", agent=agent, content=brief, fields={"reason": brief})
    receipt = arrival.receipt
    return replace(
        base,
        kind="challenge",
        agent=agent,
        model=receipt.get("model"),
        content=arrival.text,
        fields=speech_fields(arrival.text),
        receipt=receipt,
    )


def _abnormal(arrival: Arrival) -> str | None:
    """Why an answer is none: empty, an error's text, or cut off."""
    text = arrival.text.strip()
    if not text:
        return "the agent answered nothing"
    if arrival.line.get("error") == "max_output_tokens":
        return f"the agent's answer was cut off: {text}"
    if arrival.line.get("error") or text.startswith(_ERROR_TEXTS):
        return f"the agent answered with an error: {text}"
    if usage(str(arrival.line.get("transcript") or ""), arrival.call.get("t", 0)).get("stop") == CUT_OFF:
        return "the agent's answer was cut off"
    return None


def _said_by_person(base: Turn, debate: Debate, arrival: Arrival) -> Turn:
    about = str(arrival.question.get("about") or "")
    number = int(arrival.question.get("round") or 0)
    if about == "closing":  # nothing decided is kept, too
        return replace(base, kind="kept", phase=about, content=verbatim(arrival.answers))
    if about == "proposal":
        return _consent(replace(base, phase=about, round=number), debate, arrival)
    if arrival.kind == "dismissed":
        return replace(
            passed(Ask(arrival.rid, "user", number, about=about), "dismissed", debate.language), log=base.log
        )
    meaning = questions.read(about, debate.language, asked_questions(arrival), arrival.answers)
    return replace(
        base, kind="answer", phase=about, round=number, content=verbatim(arrival.answers), fields=meaning
    )


def _consent(base: Turn, debate: Debate, arrival: Arrival) -> Turn:
    """Whether the person agreed to a change, in their own words: only the option that says so is a yes."""
    accepts = arrival.question.get("accepts") or ["", ""]
    granted = arrival.answers.get(accepts[0]) == accepts[1]
    said = questions.says(debate.language, "user_agreed" if granted else "user_refused")
    words = verbatim(arrival.answers) or questions.says(debate.language, "dismissed")
    files = [str(path) for path in arrival.question.get("files") or ()]
    fields = {"granted": granted, "files": files}
    return replace(base, kind="consent", content=f"**{said}**: {', '.join(files)}\n\n{words}", fields=fields)


def asked_questions(arrival: Arrival) -> list[dict[str, Any]]:
    try:
        asked = json.loads(arrival.session.log.text(arrival.question.get("questions")))
    except ValueError:
        return []  # its text was lost: what the person said is kept, what it means cannot be told
    return asked if isinstance(asked, list) else []


def kept_out(text: str, decided: str | None) -> str:
    """The text as it may be written: nothing that looks like a key enters a record before someone says so."""
    masked, kinds = secrets.mask(text)
    if not kinds or decided == "keep":
        return text
    if decided == "mask":
        return masked
    raise NotAllowed(
        f"The text holds what looks like a secret ({', '.join(dict.fromkeys(kinds))}); it was not written.",
        suggestion="Add --secrets mask to write it without that, or --secrets keep if it is none.",
    )


def refuse_secret_topic(topic: str) -> None:
    if secrets.find(topic):
        raise BadInput(
            "The topic holds what looks like a secret; it would stand in the record and in its name.",
            suggestion="Word it without that.",
        )


def verbatim(answers: Mapping[str, str]) -> str:
    """The person's words; a key among them would be theirs to keep out, and is masked."""
    answers = {asked: secrets.mask(answer)[0] for asked, answer in answers.items()}
    return "\n\n".join(f"> {' '.join(asked.split())}\n\n{answer}" for asked, answer in answers.items())


def question(language: str, request: Ask) -> list[dict[str, Any]]:
    """The payload for AskUserQuestion."""
    slots = request.slots
    match request.about:
        case "topic":
            return questions.topic(language)
        case "start":
            return questions.start(language, str(slots["topic"]))
        case "round":
            return questions.between(
                language, int(slots["round"]), list(slots["partner_questions"]), bool(slots["soft_limit"])
            )
        case "crux":
            return questions.crux(language, str(slots["crux"]), list(slots["partner_questions"]))
        case "proposal":
            return questions.proposal(language, list(slots["files"]), str(slots["summary"]))
        case "closing":
            return questions.closing(language)
    raise BadInput(
        f"There is no question {request.about!r}.", suggestion="Ask one of: topic, start, round, crux."
    )


def passed(request: Ask, reason: str, language: str) -> Turn:
    """A question without an answer is a turn too: replay has no clock."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return Turn(
        "user", "passed", questions.says(language, reason), round=request.round, phase=request.about,
        request=request.id, fields={"reason": reason}, time=now,
    )  # fmt: skip


def speech_fields(text: str) -> dict[str, Any]:
    """The position that a speech closes with, as the rules read it."""
    parts = sections(text, dialectic.SPEECH)
    found: dict[str, Any] = {}
    # The first word or none: in "I do not agree" a later one would say the contrary.
    words = "".join(c if c.isalpha() else " " for c in parts.get("stance", "").lower()).split()
    if words and words[0] in dialectic.STANCES:
        found["stance"] = words[0]
    for key in ("because", "would_change"):
        if parts.get(key) and items(parts[key]):
            found[key] = parts[key]
    if asked := items(parts.get("questions", "")):
        found["questions"] = asked
    return found


def conclusion(debate: Debate, word: str, text: str) -> Turn:
    parts = front_matter_or_sections(text, dialectic.CONCLUSION)
    dialectic.check_conclusion(debate, word, parts)
    told = [f"### {heading}\n\n{parts[key]}" for key, heading in dialectic.CONCLUSION.items() if key in parts]
    if labels := dialectic.labels(debate):
        told.append("### Read with care\n\n" + "\n".join(f"- {label}" for label in labels))
    fields = {"outcome": word, "plain_vote": dialectic.plain_vote(debate)}
    last = debate.newest("challenge", "failure", "view")
    number = last.round if last else 0
    return Turn(
        "main", "conclusion", f"Outcome: **{word}**\n\n" + "\n\n".join(told), round=number, fields=fields
    )


def participants(debate: Debate) -> list[str]:
    """Who spoke, with the models that spoke for them."""
    found: list[str] = []
    for turn in debate.turns:
        if turn.kind in ("view", "challenge", "answer", "message"):
            details = ", ".join(part for part in (turn.agent, turn.model) if part)
            name = f"{turn.role} ({details})" if details else turn.role
            if name not in found:
                found.append(name)
    return found


def typed_message(base: Turn, session: Session | None, which: str) -> Turn:
    """A message that the person typed, from the hook's own line, which makes a retry harmless."""
    typed = session.typed if session else []
    line = (
        typed[-1]
        if which == "last" and typed
        else next((x for x in typed if str(x["number"]) == which), None)
    )
    if session is None or line is None:
        raise Unknown(
            f"No typed message {which} is known here.",
            suggestion=f"Known: {', '.join(str(x['number']) for x in typed) or 'none'}; `debate wait` names each.",
        )
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(line["t"]))
    words = session.log.text(line["text"])
    return replace(base, content=words, time=moment, log=[session.log.session, line["n"]])


def receipt_for(session: Session | None, text: str) -> dict[str, Any] | None:
    """For words handed in by main: whether an agent of this session really returned them."""
    for line in reversed(session.lines if session else []):
        if line["e"] == "stopped" and session and session.log.text(line.get("text")).strip() == text.strip():
            return {
                "agent_id": line.get("agent_id"), "agent": line.get("agent"), "text": "as returned",
                "prompt": "not the issued one",
            }  # fmt: skip
    return None
