"""From the session logs into the record: join request, call, agent and answer, and file what is complete, once.

Hooks only append what they saw, in whatever order the client raises it. A call is joined with its agent by the call's
result (or, for a continued agent, by the call itself), the agent with its answer by the first stop after the call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from debate.drivers.transcript import usage
from debate.guard.log import Line
from debate.guard.session import Session

SPEAK_SECONDS = 900


@dataclass(frozen=True)
class Arrival:
    """Something complete that belongs into the record, and the line that completed it."""

    rid: str
    kind: str  # spoke, failed, answered, dismissed, violation; late: spoke after it was given up
    session: Session
    line: Line
    text: str = ""
    call: Line = field(default_factory=dict)
    launch: Line = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    question: Line = field(default_factory=dict)
    masked: bool = False  # what looked like a key was taken out

    @property
    def receipt(self) -> dict[str, Any]:
        """The proof that an agent ran: who, how long, how much, and that the words are the ones it returned."""
        used = usage(str(self.line.get("transcript") or ""), self.call.get("t", 0))
        seconds = round(self.line["t"] - self.call["t"], 1) if self.call else None
        found = {
            "agent_id": self.line.get("agent_id"),
            "agent": self.line.get("agent"),
            "model": self.launch.get("model") or used.get("model"),
            "seconds": seconds,
            "tokens": used.get("tokens"),
            "tools": used.get("tools"),
            "text": "as returned, but for what was masked" if self.masked else "as returned",
            "prompt": "as issued",
        }
        return {key: value for key, value in found.items() if value is not None}


def arrivals(sessions: list[Session], debate_id: str) -> tuple[list[Arrival], list[Arrival]]:
    """What is complete, in the order it became so; and what came too late: after another session took over, or
    after its agent was given up.

    Within a session the log's own order counts; the clock, which may be set back, only between sessions."""
    everything: list[tuple[float, bool, Arrival]] = []
    for session in sessions:
        taken_over = [
            line["t"]
            for other in sessions
            for line in _bindings(other, debate_id)
            if other.log.session != session.log.session
        ]
        moment = 0.0
        for arrival in _complete(session, debate_id):
            moment = max(moment, arrival.line["t"])
            own = [b["t"] for b in _bindings(session, debate_id) if b["n"] < arrival.line["n"]]
            late = arrival.kind == "late" or any(max(own, default=0) < s <= moment for s in taken_over)
            everything.append((moment, late, arrival))
    everything.sort(key=lambda entry: entry[0])
    return [a for _, late, a in everything if not late], [a for _, late, a in everything if late]


def _bindings(session: Session, debate_id: str) -> list[Line]:
    return [line for line in session.lines if line["e"] == "bound" and line["d"] == debate_id]


def _complete(session: Session, debate_id: str) -> Iterator[Arrival]:
    calls: dict[str, Line] = {}
    given_up: dict[str, Line] = {}
    launches: dict[str, Line] = {}
    agents: dict[str, str] = {}  # agent -> the open call that it works on
    stops: dict[str, Line] = {}  # agents that stopped before their call's result was seen
    questions: dict[int, Line] = {}
    registered: Line | None = None
    shown = False

    def spoke(call_id: str, stop: Line, at: Line) -> Arrival:
        call = calls.pop(call_id)
        line = {**stop, "n": at["n"], "t": at["t"]}
        return Arrival(
            call["rid"],
            "spoke",
            session,
            line,
            session.log.text(stop.get("text")),
            call,
            launches.get(call_id, {}),
        )

    for line in session.lines:
        event = line["e"]
        if event == "call" and line.get("d") == debate_id:
            calls[line["id"]] = line
            if line.get("to"):
                agents[line["to"]] = line["id"]
        elif event == "launched" and line["id"] in calls:
            launches[line["id"]] = line
            agent = line.get("agent_id")
            if agent:
                agents[agent] = line["id"]
                early = stops.pop(agent, None)
                if early and early["n"] > calls[line["id"]]["n"]:
                    yield spoke(line["id"], early, line)
        elif event == "failed" and line["id"] in calls:
            call = calls.pop(line["id"])
            yield Arrival(call["rid"], "failed", session, line, session.log.text(line.get("error")), call)
        elif event == "givenup":
            if line["id"] in calls:
                given_up[line["id"]] = calls.pop(line["id"])
            if line.get("why") and line.get("d") == debate_id:
                yield Arrival(
                    line["rid"], "failed", session, line, str(line["why"]), {"agent": line.get("agent")}
                )
        elif event == "stopped":
            call_id = agents.get(line["agent_id"])
            if call_id in calls:
                yield spoke(str(call_id), line, line)
            elif call_id in given_up:
                call = given_up.pop(str(call_id))
                yield Arrival(call["rid"], "late", session, line, session.log.text(line.get("text")), call)
            else:
                stops[line["agent_id"]] = line
        elif event == "question":
            registered, shown = (line if line.get("d") == debate_id else None), False
            questions[line["n"]] = line
        elif event == "shown":
            shown = True
        elif event == "answered":
            if line.get("d") == debate_id and line.get("rid"):
                answers = _answers(session.log.text(line["answers"]))
                question = questions.get(line.get("question", 0), {})
                kind = "answered" if answers else "dismissed"
                yield Arrival(line["rid"], kind, session, line, answers=answers, question=question)
            registered = None
        elif event == "violation" and line.get("d") == debate_id:
            yield Arrival("", "violation", session, line, session.log.text(line.get("command")))
        elif event in ("typed", "slash") and "queued" not in line and registered and shown:
            if registered.get("rid"):
                yield Arrival(registered["rid"], "dismissed", session, line, question=registered)
            registered = None


def _answers(text: str) -> dict[str, str]:
    """The person's answers, by question; none in a text that was lost or that nobody of ours wrote."""
    try:
        given = json.loads(text)
    except ValueError:
        return {}
    return {str(asked): str(said) for asked, said in given.items()} if isinstance(given, dict) else {}


def give_up_on_silent(session: Session, now: float, seconds: float) -> None:
    """An agent is no longer waited for when its time is up, when its client has ended, or when the main agent is back
    after a person's prompt although its call never returned (Esc ends a foreground agent without any event)."""
    for call_id, call in session.calls.items():
        if call_id in session.finished:
            continue
        interrupted = call_id not in session.returned and session.prompted > call["n"]
        if interrupted or session.left_at > call["n"]:
            session.log.add("givenup", id=call_id, rid=call["rid"], d=call.get("d"))
        elif now - call["t"] > seconds:
            why = f"no answer within {seconds:.0f} s"
            session.log.add(
                "givenup", id=call_id, rid=call["rid"], d=call.get("d"), why=why, agent=call.get("agent")
            )
