"""The host driver: the assistant itself argues, through `start`, `next`, `wait` and `submit`.

Every command that advances a debate first takes over what the hooks have seen, so that an answer is filed from its
receipt whichever command comes next. The record has one writer: whoever holds its lock, here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debate import formats, questions
from debate.drivers import calls, filing, grounds, intake, prompts, proposals, takeover, topic, transcript
from debate.drivers.place import Place
from debate.formats import dialectic
from debate.guard.session import Session
from debate.model import Ask, BadInput, Debate, DebateError, NotAllowed, Request, Speak, Turn, Unknown
from debate.record import files
from debate.record.files import Record
from debate.record.names import FOLDER, find, stems

if TYPE_CHECKING:
    from debate.drivers.partner import Partner

WAIT_SECONDS = 100  # inside the 120 s that the assistant's shell allows; each return costs a model call
POLL_SECONDS = 0.05


class Host:
    def __init__(self, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self.place = Place(os.environ if environ is None else environ, cwd or Path.cwd())

    # -- commands ----------------------------------------------------------------------------------------------

    def start(self, given: str | None, format_name: str, agent: str | None, why: str) -> dict[str, Any]:
        from debate.drivers import partner

        if agent and (changed := partner.appoint_instead(self.place, agent, why)):
            return self._started(*changed)
        note = self.place.claim("start")
        words = topic.of(self.place, given)
        language = questions.language_for(words, self.place.environ)
        chosen = partner.choose(self.place, words, agent, why)
        debate = Debate(
            id="",
            format=format_name,
            topic=words,
            date=time.strftime("%Y-%m-%d"),
            language=language,
            commit=grounds.commit(self.place.root),
            agent=chosen.agent,
            why=chosen.why,
        )
        formats.named(format_name).open(debate)
        intake.sweep(self.place)
        record = files.create(self.place.root, debate)
        self.place.bind(note, record.debate.id)
        return self._started(record.debate, chosen)

    def resume(self, given: str | None) -> dict[str, Any]:
        note = self.place.claim("resume")
        session = self.place.session
        words = session.log.text(session.ticket.get("words")) if session and session.ticket else ""
        debate_id = self._find(given or words.strip().strip("\"'") or None)
        record = files.read(intake.path_of(self.place, debate_id))
        self._refuse_if_over(record)
        intake.sweep(self.place)
        if note is None:
            self.place.check_driving(debate_id)
        self.place.bind(note, debate_id)
        requests = calls.requests(self.place, debate_id)
        debate = files.read(intake.path_of(self.place, debate_id)).debate
        return {
            "id": debate_id,
            "record": self._path(record),
            "topic": debate.topic,
            "changed": grounds.changed(self.place.root, debate),
            "brief": prompts.brief(debate, prompts.BRIEF_CHARACTERS),
            "requests": requests,
        }

    def next(self, given: str) -> dict[str, Any]:
        debate_id = self._driven(given)
        data: dict[str, Any] = {"id": debate_id, "requests": calls.requests(self.place, debate_id)}
        if not data["requests"] and self.place.session:
            debate = files.read(intake.path_of(self.place, debate_id)).debate
            if payload := self._closing(debate):  # another question took its place before it was answered
                data |= {"questions": payload, "call": calls.ask_call(payload)}
        return self._with_typed(data)

    def prompt(self, rid: str) -> dict[str, Any]:
        """The issued prompt; where no hook issued one, the same text made from the record."""
        session = self.place.session
        if session and rid in session.issued:
            return {"text": session.log.text(session.issued[rid]["text"])}
        for debate in (record.debate for record in self._open_records()):
            for request in formats.named(debate.format).pending(debate):
                if request.id == rid and isinstance(request, Speak) and request.role != "main":
                    return {"text": prompts.for_agent(debate, request, self.place.root, is_new=True)}
        raise Unknown(f"No request {rid} is open here.", suggestion="See what is: debate next ID")

    def wait(self, given: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """Until every agent that was asked has answered, the person has typed, or the time is up."""
        debate_id = self._driven(given)
        began = time.time()
        before = files.read(intake.path_of(self.place, debate_id)).debate.last_seq
        queued = None
        while True:
            session = self._listening()
            if session is None or session.debate != debate_id or not self._speaking(session, debate_id):
                break
            takeover.give_up_on_silent(session, time.time(), intake.speak_seconds(self.place))
            queued = transcript.queued_command(session)
            if queued or len(session.typed) > session.told or time.time() - began >= seconds:
                break
            _sleep_until_changed(session, min(seconds, 2.0))
        self.place.check_driving(debate_id)  # another session may have taken it over meanwhile
        requests = calls.requests(self.place, debate_id)
        debate = files.read(intake.path_of(self.place, debate_id)).debate
        session = self.place.session
        data = {
            "id": debate_id,
            "answers": [_shown(turn) for turn in debate.since(before)],
            "speaking": self._speaking(session, debate_id) if session else [],
            "queued": queued,
            "late": intake.late(self.place, debate_id),
            "requests": requests,
        }
        return self._with_typed(data)

    def submit(
        self, given: str, role: str, text: str, *, request: str | None = None, failed: str | None = None,
        message: str | None = None, secrets: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        debate_id = self._driven(given)
        decided = {request: secrets} if request and secrets else {}
        with intake.opened(self.place, debate_id, decided) as record:
            debate = record.debate
            rules = formats.named(debate.format)
            if role not in rules.ROLES:
                raise BadInput(
                    f"{role!r} is no role here.", suggestion=f"Use one of: {', '.join(rules.ROLES)}."
                )
            released = debate.answer_to(request) if decided and not text else None
            turn = released or self._turn(debate, rules.pending(debate), role, text, request, failed, message)
            turn = turn if released else replace(turn, content=filing.kept_out(turn.content, secrets))
            taken = debate if released else rules.receive(debate, turn)
            if taken is not debate:
                record = files.append(record, filing.checked(taken.turns[-1], self.place.root))
            turn = record.debate.answer_to(turn.request) or record.debate.newest(turn.kind, role=role) or turn
        return {
            "id": debate_id,
            "turn": _shown(turn),
            "repeated": taken is debate and not released,
            "citations": [dict(entry) for entry in turn.citations],
            "requests": calls.requests(self.place, debate_id),
        }

    def ask(self, given: str | None, about: str, text: str = "") -> dict[str, Any]:
        if about == "topic":
            return self._ask_topic()
        if given is None:
            raise BadInput(
                f"`debate ask … {about}` needs the debate's ID.", suggestion=f"debate ask ID {about}"
            )
        debate_id = self._driven(given)
        with intake.opened(self.place, debate_id) as record:
            debate = record.debate
            rules = formats.named(debate.format)
            waiting = rules.pending(debate)
            if about == "start" and not (waiting and isinstance(waiting[0], Ask)):
                raise NotAllowed("The start was already asked.", suggestion=f"Go on: debate next {debate_id}")
            if about != "start" and "answer" not in rules.allowed(debate, "user"):
                raise NotAllowed(
                    f"The user cannot be asked that now: {rules.state(debate)}.",
                    suggestion=f"Go on: debate next {debate_id}",
                )
            number = max((turn.round for turn in debate.turns), default=0)
            slots = {**rules.ask_slots(debate, about), "crux": text.strip()}
            if about == "round" and not slots["round"]:
                raise NotAllowed("No round is done yet.", suggestion=f"Go on: debate next {debate_id}")
            rid = waiting[0].id if about == "start" else debate.request_id("user")
            asked = Ask(rid, "user", number, about=about, slots=slots)
            if not self.place.has_person:
                files.append(record, filing.passed(asked, "no_person", debate.language))
                return {"id": debate_id, "questions": [], "requests": []}
            payload = calls.register(self.place, debate, asked)
        return self._asks(payload, id=debate_id)

    def propose(self, given: str, paths: Sequence[str], summary: str) -> dict[str, Any]:
        """Register a change, and the question whose answer alone lets it happen."""
        debate_id = self._driven(given)
        files, whole = proposals.named(self.place, paths)
        if not summary.strip():
            raise BadInput(
                "A proposal needs its summary.", suggestion="Say on stdin what would change, and why."
            )
        if not self.place.has_person:
            raise NotAllowed(
                "Nobody can be asked here, so nothing is granted.",
                suggestion="Put the proposal into your conclusion; the user decides later.",
            )
        with intake.opened(self.place, debate_id) as record:
            debate = record.debate
            number = max((turn.round for turn in debate.turns), default=0)
            slots = {"files": files, "grants": whole, "summary": filing.kept_out(summary, None)}
            asked = Ask(debate.request_id("consent"), "user", number, about="proposal", slots=slots)
            payload = calls.register(self.place, debate, asked)
        return self._asks(payload, id=debate_id, files=files)

    def conclude(self, given: str, word: str, text: str) -> dict[str, Any]:
        debate_id = self._driven(given)
        with intake.opened(self.place, debate_id) as record:
            debate = record.debate
            turn = replace(filing.conclusion(debate, word, text), time=_now(), model=self._main_model())
            taken = formats.named(debate.format).receive(debate, turn)
            if taken is not debate:
                changes = {
                    "status": "completed",
                    "outcome": word,
                    "participants": filing.participants(debate),
                }
                record = files.conclude(record, taken.turns[-1], changes)
            if self.place.log:
                self.place.log.add("ended", d=debate_id)
            payload = self._closing(record.debate)
        labels = dialectic.labels(record.debate)
        return {
            "id": debate_id,
            "record": self._path(record),
            "outcome": word,
            "labels": labels,
            "questions": payload,
            "call": calls.ask_call(payload) if payload else None,
        }

    def keep(self, given: str) -> dict[str, Any]:
        """Keeping is what happens anyway; the person's captured answer, if there is one, goes on record here."""
        debate_id = self._find(given)
        with intake.opened(self.place, debate_id) as record:
            if not formats.named(record.debate.format).outcome(record.debate):
                raise NotAllowed(
                    f"{debate_id} has not ended yet; it is kept all the while.",
                    suggestion=f"Go on: debate next {debate_id}",
                )
        return {"id": debate_id, "record": self._path(record)}

    def discard(self, given: str, typed_yes: bool = False) -> dict[str, Any]:
        """Only by the person's own word: their captured answer, or a y typed in a terminal."""
        debate_id = self._find(given)
        record = intake.take_over(self.place, debate_id)
        if record is not None:
            if not typed_yes:
                raise NotAllowed(
                    f"{debate_id} stays: the person has not said that it should go.",
                    suggestion="Ask them with the closing question of `debate conclude`, or have them run "
                    f"`debate discard {debate_id}` in a terminal and type y.",
                )
            intake.throw_away(self.place, record)
        return {"id": debate_id, "record": f"{FOLDER}/{debate_id}.md", "discarded": True}

    # -- small things ----------------------------------------------------------------------------------------------

    def _started(self, debate: Debate, chosen: Partner) -> dict[str, Any]:
        data: dict[str, Any] = {"id": debate.id, "record": f"{FOLDER}/{debate.id}.md"}
        data |= {"agent": chosen.agent, "why": chosen.why}
        if chosen.roster:
            data["roster"] = [
                {"name": agent.name, "description": agent.description} for agent in chosen.roster
            ]
        return data | {"requests": calls.requests(self.place, debate.id)}

    def _ask_topic(self) -> dict[str, Any]:
        if not self.place.has_person:
            raise BadInput(
                "No topic was given, and nobody is there to be asked.",
                suggestion="Tell the user to name one: claude -p '/debate \"topic\"'",
            )
        if self.place.session and not self.place.session.ticket:
            raise self.place.asleep("start")  # it would refuse whatever the user answers
        language = questions.language_for("", self.place.environ)
        nobody = Debate("", "dialectic", "", language=language)
        payload = calls.register(self.place, nobody, Ask("topic", "user", about="topic"))
        return self._asks(payload)

    def _closing(self, debate: Debate) -> list[dict[str, Any]]:
        """Keep the record? May files change now? Nothing where nobody can be asked, or once they have answered."""
        if not self.place.has_person or debate.newest("kept"):
            return []
        return calls.register(self.place, debate, Ask(debate.request_id("user"), "user", about="closing"))

    def _asks(self, payload: list[dict[str, Any]], **data: Any) -> dict[str, Any]:
        data |= {"questions": payload, "call": calls.ask_call(payload)}
        return data if self.place.session else data | {"by_hand": True}  # no hooks hear the answer

    def _turn(
        self, debate: Debate, waiting: list[Request], role: str, text: str, request: str | None,
        failed: str | None, message: str | None,
    ) -> Turn:  # fmt: skip
        asked = next((r for r in waiting if r.role == role), None)
        rid = request or (asked.id if asked else None)
        number = (
            asked.round
            if asked
            else max((turn.round for turn in debate.since(debate.last_seq - 1)), default=0)
        )
        base = Turn(role, "", request=rid, round=number, time=_now())
        session = self._listening() if message else self.place.session
        if role == "user" and message is None and failed is None:
            raise NotAllowed(
                "The user's words enter through the hooks, not through a submit.",
                suggestion=f"`debate next {debate.id}` says whether they are to be asked. What they typed: "
                f"debate submit {debate.id} --role user --message last",
            )
        if message is not None:
            return filing.typed_message(replace(base, kind="message", request=None), session, message)
        if failed is not None:
            reason = failed.strip()
            if not reason:
                raise BadInput("A failure needs its reason.", suggestion='--failed "why"')
            if role == "user":
                about = asked.about if isinstance(asked, Ask) else None
                fields = {"reason": "main", "said": reason}
                told = f"(No answer, as the main agent tells it: {reason})"
                return replace(base, kind="passed", phase=about, content=told, fields=fields)
            agent = asked.agent if isinstance(asked, Speak) else None
            return replace(base, kind="failure", content=reason, agent=agent, fields={"reason": reason})
        if not text.strip():
            raise BadInput("The text is empty.", suggestion="Send it on stdin, as a quoted here-document.")
        fields = filing.speech_fields(text)
        if role == "main":
            return replace(base, kind="view", content=text, fields=fields, model=self._main_model())
        if session and rid and session.speaking(rid):
            raise NotAllowed(
                f"The {role}'s agent is still speaking.",
                suggestion=f"Wait for its own words: debate wait {debate.id}",
            )
        agent = asked.agent if isinstance(asked, Speak) else None
        receipt = filing.receipt_for(session, text)
        return replace(base, kind="challenge", content=text, fields=fields, agent=agent, receipt=receipt)

    def _find(self, given: str | None) -> str:
        root = self.place.root
        if given is not None:
            return find(root, given)
        still_open = [record.debate.id for record in self._open_records()]
        if len(still_open) == 1:
            return still_open[0]
        raise Unknown(
            f"{len(still_open)} debates are open here." if still_open else "No debate is open here.",
            suggestion=("Name one: " + ", ".join(still_open[:5]))
            if still_open
            else 'Start one: debate start "topic"',
        )

    def _open_records(self) -> Iterator[Record]:
        """Every debate that can go on; what cannot be read is in nobody's way."""
        for stem in stems(self.place.root):
            with suppress(DebateError):
                record = files.read(intake.path_of(self.place, stem))
                formats.named(record.debate.format)
                if record.header.get("status") == "in-progress":
                    yield record

    def _driven(self, given: str) -> str:
        debate_id = self._find(given)
        try:
            self.place.check_driving(debate_id)
        except NotAllowed:
            self._refuse_if_over(files.read(intake.path_of(self.place, debate_id)))  # nobody can take that up
            raise
        return debate_id

    def _refuse_if_over(self, record: Record) -> None:
        ended = formats.named(record.debate.format).outcome(record.debate)
        if ended:
            raise NotAllowed(
                f"{record.debate.id} has ended in {ended.word}.",
                suggestion=f"Read it: debate show {record.debate.id}. Or start a new one on what is open.",
            )

    def _path(self, record: Record) -> str:
        return str(record.path.relative_to(self.place.root))

    def _main_model(self) -> str | None:
        session = self.place.session
        return transcript.main_model(session) if session else None

    def _speaking(self, session: Session, debate_id: str) -> list[dict[str, Any]]:
        return [
            {"request": call["rid"], "agent": call.get("agent"), "seconds": round(time.time() - call["t"])}
            for call_id, call in session.calls.items()
            if call.get("d") == debate_id and call_id not in session.finished
        ]

    def _listening(self) -> Session | None:
        """The session, with what the person typed in mid-turn."""
        session = self.place.session
        return transcript.note_queued(session) if session else None

    def _with_typed(self, data: dict[str, Any]) -> dict[str, Any]:
        """What the person typed meanwhile, told once; and whether a violation waits for their word."""
        session = self._listening()
        fresh = [line for line in session.typed if line["number"] > session.told] if session else []
        if session and fresh:
            session.log.add("told", upto=fresh[-1]["number"])
        typed = (
            [{"number": line["number"], "text": session.log.text(line["text"])} for line in fresh]
            if session
            else []
        )
        return data | {"typed": typed, "stopped": bool(session and session.stopped)}


def _sleep_until_changed(session: Session, seconds: float) -> None:
    """Until a hook has noted something, or the client's transcript has grown."""
    deadline = time.time() + seconds
    watched = (session.log.path, transcript.path(session))
    sizes = [_size(path) for path in watched]
    while time.time() < deadline and [_size(path) for path in watched] == sizes:
        time.sleep(POLL_SECONDS)


def _size(path: str | None) -> int:
    try:
        return os.path.getsize(path or "")
    except OSError:
        return -1


def _shown(turn: Turn) -> dict[str, Any]:
    data = {
        "seq": turn.seq,
        "round": turn.round,
        "role": turn.role,
        "kind": turn.kind,
        "agent": turn.agent,
        "text": turn.content,
        "false_citations": turn.false_citations or None,
        "receipt": dict(turn.receipt) if turn.receipt else None,
    }
    return {key: value for key, value in data.items() if value is not None}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
