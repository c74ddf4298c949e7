"""A person at a terminal: asked at the prompt, and what they type there goes on record as theirs.

In an assistant the person's words enter through the hooks, since whoever calls the helper there is a model. Here the
process that asks reads the keyboard itself. Where no terminal is, nobody is there: the question is filed as passed,
because a default is not a person's word. Only `debate demo` asks this way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from debate import formats, questions
from debate.drivers import filing, intake
from debate.drivers.place import Place
from debate.model import Ask, Turn
from debate.questions import Question
from debate.record import files

# Puts one question, of which one option is the default; the answer is a label, labels, or their own words. None: they
# let it pass.
Prompt = Callable[[Question, str], str | None]

DECIDES_NOTHING = "agents"  # the option's key in every question that has one


class Person:
    def __init__(self, place: Place, debate_id: str, language: str, prompt: Prompt | None) -> None:
        self.place = place
        self.debate_id = debate_id
        self.language = language
        self.prompt = prompt

    def answer(self, about: str, asked: list[Question]) -> Turn:
        """Ask, and file the answer; or that there was none, and why."""
        answers = self._asked(about, asked)

        def turn(request: Ask) -> Turn:
            if answers is None:
                passed = filing.passed(request, "dismissed" if self.prompt else "no_person", self.language)
                captured = "terminal" if self.prompt else "default"
                return replace(passed, fields={**passed.fields, "captured": captured})
            meaning = questions.read(about, self.language, asked, answers)
            return self._said("answer", filing.verbatim(answers), request, **meaning)

        return self._file(about, turn)

    def say(self, words: str) -> Turn:
        """What they wanted to say, after they chose to add a view or to steer."""
        return self._file("", lambda request: replace(self._said("message", words, request), request=None))

    def closes(self, asked: list[Question]) -> bool:
        """Whether the record goes: by their word only. That they keep it goes on record, silence does not."""
        answers = self._asked("closing", asked)
        if answers is None:
            return False
        if questions.read("closing", self.language, asked, answers)["record"] == "discard":
            return True
        words = filing.verbatim(answers)
        self._file("closing", lambda request: self._said("kept", words, request))
        return False

    def _asked(self, about: str, asked: list[Question]) -> dict[str, str] | None:
        answers: dict[str, str] = {}
        for question in asked if self.prompt else []:
            assert self.prompt
            said = self.prompt(question, self._default(about, asked, question))
            if said is None:
                return None
            answers[question["question"]] = said
        return answers or None

    def _default(self, about: str, asked: list[Question], question: Question) -> str:
        """What Enter means: that the agents decide, where that is offered, so that no view is put in anyone's mouth."""
        labels = [option["label"] for option in question["options"]]
        for label in labels:
            meaning = questions.read(about, self.language, asked, {question["question"]: label})
            if any(value in (DECIDES_NOTHING, [DECIDES_NOTHING]) for value in meaning.values()):
                return str(label)
        return str(labels[0])

    def _said(self, kind: str, words: str, request: Ask, **meaning: object) -> Turn:
        return Turn(
            "user", kind, words, round=request.round, phase=request.about or None, request=request.id,
            fields={**meaning, "captured": "terminal"}, time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        )  # fmt: skip

    def _file(self, about: str, turn: Callable[[Ask], Turn]) -> Turn:
        """Through the rules and under the lock, as every other turn."""
        with intake.opened(self.place, self.debate_id) as record:
            debate = record.debate
            number = max((turn.round for turn in debate.turns), default=0)
            request = Ask(debate.request_id("user"), "user", number, about=about)
            taken = formats.named(debate.format).receive(debate, turn(request))
            return files.append(record, taken.turns[-1]).debate.turns[-1]
