"""What the debate needs next, as the literal calls that the assistant makes."""

from __future__ import annotations

import json
from typing import Any

from debate import formats
from debate.drivers import filing, intake, prompts
from debate.drivers.place import Place
from debate.guard.replies import call_for
from debate.guard.session import Session
from debate.model import Ask, Debate, Request, Speak
from debate.record import files

Data = dict[str, Any]


def requests(place: Place, debate_id: str) -> list[Data]:
    """Every open request with its call. Where nobody can be asked, a question is filed as passed."""
    with intake.opened(place, debate_id) as record:
        rules = formats.named(record.debate.format)
        while True:
            waiting: list[Request] = rules.pending(record.debate)
            asks = [request for request in waiting if isinstance(request, Ask)]
            if not asks or place.has_person:
                break
            record = files.append(record, filing.passed(asks[0], "no_person", record.debate.language))
        session = place.session
        if not waiting and session and session.debate == debate_id and not session.ended:
            session.log.add("ended", d=debate_id)  # whoever concluded it died before saying so
        return [_request(place, record.debate, request) for request in waiting]


def _request(place: Place, debate: Debate, request: Request) -> Data:
    data: Data = {"id": request.id, "kind": request.kind, "role": request.role, "round": request.round}
    if isinstance(request, Ask):
        data |= {"about": request.about, "call": ask_call(register(place, debate, request))}
        return data | ({} if place.session else {"by_hand": True})
    assert isinstance(request, Speak)
    if request.role == "main":
        command = _own_words(debate, request)
        return data | {"text": prompts.for_main(debate, request, command), "call": _bash(command)}
    data["agent"] = request.agent
    # A user's deny rule or another plugin may refuse the call, which raises no event: only the main agent knows.
    own = f"debate submit {debate.id} --role {request.role} --request {request.id}"
    data["refused"] = f"{own} --failed 'why it was refused'"
    if "conclusion" in formats.named(debate.format).allowed(debate, "main"):  # even the last agent has failed
        data["alone"] = prompts.conclude_call(debate)
    session = place.session
    if session is None:  # no hooks here: the line itself works, and the answer is handed in
        return data | {
            "call": call_for({"rid": request.id, "agent": request.agent}),
            "then": f"{own} --file ANSWER",
            "by_hand": True,
        }
    wait = f"debate wait {debate.id}"
    if session.speaking(request.id):
        return data | {"speaking": True, "call": _bash(wait)}
    if kinds := intake.held(place, debate.id).get(request.id):
        return data | {"held": kinds, "call": _bash(f"{own} --secrets mask")}
    call = call_for(_issued(place, session, debate, request))
    if call["tool"] == "SendMessage":
        call["load"] = "ToolSearch with the query select:SendMessage, if SendMessage is not among your tools"
    return data | {"call": call, "then": wait}


def _own_words(debate: Debate, request: Speak) -> str:
    if request.template == "conclude":
        head = f"debate conclude {debate.id} --outcome OUTCOME"
    else:
        head = f"debate submit {debate.id} --role {request.role} --request {request.id}"
    return f"{head} <<'END_OF_TEXT'\n…\nEND_OF_TEXT"


def _issued(place: Place, session: Session, debate: Debate, request: Speak) -> Data:
    """The prompt issued for a request stays as it is for the whole session."""
    known = session.issued.get(request.id)
    if known:
        return known
    running = running_agent(debate, session)
    text = prompts.for_agent(debate, request, place.root, running is None)
    session.log.add(
        "issued", rid=request.id, d=debate.id, agent=request.agent, to=running, text=text, upto=debate.last_seq
    )  # fmt: skip
    return {"rid": request.id, "agent": request.agent, "to": running}


def running_agent(debate: Debate, session: Session | None) -> str | None:
    """The agent that spoke last, if it runs in this session: agents do not outlive theirs."""
    last = debate.newest("challenge", "failure", role="partner")
    if (
        session
        and last
        and last.kind == "challenge"
        and last.receipt
        and last.log
        and last.log[0] == session.log.session
    ):
        return str(last.receipt.get("agent_id") or "") or None
    return None


def register(place: Place, debate: Debate, request: Ask) -> list[Data]:
    """Build the question and put it on the session log, so that the hook knows it word for word."""
    payload = filing.question(debate.language, request)
    session = place.session
    if session is None:
        return payload
    asked = session.question
    text = json.dumps(payload, ensure_ascii=False)
    if not (asked and asked.get("rid") == request.id and session.log.text(asked["questions"]) == text):
        frees = accepts = None
        if request.about == "proposal":  # the one answer that the hook takes for consent
            accepts = [payload[0]["question"], payload[0]["options"][0]["label"]]
        if request.about == "closing":  # "yes, files may change now" is what the hook lifts the guard on
            frees = [payload[1]["question"], payload[1]["options"][0]["label"]]
        session.log.add(
            "question",
            rid=request.id,
            d=debate.id or None,
            about=request.about,
            round=request.round,
            questions=text,
            frees=frees,
            accepts=accepts,
            files=request.slots.get("files"),
            grants=request.slots.get("grants"),
        )
    return payload


def ask_call(payload: list[Data]) -> Data:
    return {"tool": "AskUserQuestion", "input": {"questions": payload}}


def _bash(command: str) -> Data:
    return {"tool": "Bash", "input": {"command": command}}
