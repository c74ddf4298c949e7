"""Plays one dialectic through the host driver: rules, questions, record and conclusion are those of any debate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from debate.demo import rehearsal, sample
from debate.demo.screen import Screen
from debate.drivers import filing
from debate.drivers.host import Host
from debate.drivers.terminal import Person
from debate.formats import dialectic
from debate.model import Ask, Debate, Speak
from debate.record import files

OUTCOME = "partial"


class Demo:
    def __init__(self, screen: Screen, into: Path | None, environ: Mapping[str, str]) -> None:
        # Whatever started us, this is no debate of an assistant: neither its session nor its hooks take part.
        alone = {name: value for name, value in environ.items() if not name.startswith("CLAUDE")}
        self.screen = screen
        self.project = sample.make(into, alone)
        self.host = Host(alone, self.project)
        begun = self.host.start(sample.TOPIC, "dialectic", rehearsal.AGENT, rehearsal.SENTENCE)
        self.id: str = begun["id"]
        self.record = self.project / begun["record"]
        asks = screen.ask if screen.has_person else None
        self.person = Person(self.host.place, self.id, self.debate.language, asks)

    def play(self) -> dict[str, Any]:
        self._open()
        while True:
            match dialectic.pending(self.debate)[0]:
                case Ask(about=about) as request:
                    self._ask(about, filing.question(self.debate.language, request))
                case Speak(template=template, round=number) as request:
                    if template == "conclude" or number > rehearsal.ROUNDS:
                        return self._conclude()
                    self._speak(request)

    @property
    def debate(self) -> Debate:
        return files.read(self.record).debate

    def _open(self) -> None:
        screen, debate = self.screen, self.debate
        screen.heading("debate demo")
        screen.note(
            f"{rehearsal.SENTENCE} The rules, the questions, your answers and the record are those of any debate. "
            "In an assistant, the main agent is the assistant itself and the partner one of its subagents.\n"
        )
        history = f"git {debate.commit[:9]}" if debate.commit else "without git"
        screen.note(f"{debate.topic}\n", style="bold")
        screen.facts(Sample=f"{self.project} ({history})", Record=str(self.record))
        if not screen.has_person:
            screen.note("\nNo terminal is here to ask you: every question is passed, and the record says so.")
        screen.console.print()

    def _ask(self, about: str, asked: list[dict[str, Any]]) -> None:
        turn = self.person.answer(about, asked)
        if turn.kind == "passed":
            self.screen.note(f"{turn.content}\n")
        match dialectic.pending(self.debate):
            case [Speak(slots={"user_wants_to": str()})]:
                if words := self.screen.words("Say it in your own words:"):
                    self.person.say(words)

    def _speak(self, request: Speak) -> None:
        number = request.round
        if request.role == "main":
            self.screen.heading(f"Round {number}")
        else:
            call = self.host.next(self.id)["requests"][0]["call"]
            self.screen.issued(call["input"]["prompt"], self.host.prompt(request.id)["text"])
        words = rehearsal.speech(self.debate, request.role, number)
        self.host.submit(self.id, request.role, words, request=request.id)
        self.screen.turn(self.debate.turns[-1])
        if request.role == "partner" and number < rehearsal.ROUNDS:
            self._ask("round", self.host.ask(self.id, "round")["questions"])
        elif request.role == "partner":
            self.screen.note("The rehearsal ends here; a real debate goes on for as long as it helps.\n")
            self._ask("crux", self.host.ask(self.id, "crux", rehearsal.crux())["questions"])

    def _conclude(self) -> dict[str, Any]:
        rounds = max(turn.round for turn in self.debate.turns)
        ended = self.host.conclude(self.id, OUTCOME, rehearsal.conclusion(self.debate, rounds))
        self.screen.turn(self.debate.turns[-1])
        # In an assistant a second question asks whether files may change; here nothing held them back.
        discarded = self.person.closes(ended["questions"][:1])
        if discarded:
            self.host.discard(self.id, typed_yes=True)
        return {
            "id": self.id,
            "project": str(self.project),
            "record": ended["record"],
            "outcome": ended["outcome"],
            "rounds": rounds,
            "labels": ended["labels"],
            "discarded": discarded,
            "trash": str(Path(self.host.place.state, "trash")) if discarded else None,
        }
