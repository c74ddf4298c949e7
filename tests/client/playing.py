"""The main agent of a debate, scripted: it makes each call that the helper gives, as the command file asks it to.

player = Player(views=["We should.", "Still."], end=conclusion("partial"))
model.main(*player.steps())
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from client.model import Block, Seen, Step, bash, say, use

View = (
    str | Callable[[str], Block]
)  # what it says when its turn comes, or what it does instead, given the debate's id

DISSENT = "nobody here runs more than one machine"


def conclusion(outcome: str = "partial") -> tuple[str, str]:
    sections = {
        "Agreed": "- measure first",
        "Insights": "- the queue is the bottleneck",
        "Main's position": "split it",
        "Partner's position": "keep it whole",
        "Open points": "- cost",
        "Crux": "how many machines there will be",
        "Strongest dissent": f"> {DISSENT}",
        "What would settle it": "a load test",
    }
    return outcome, "\n\n".join(f"## {heading}\n{text}" for heading, text in sections.items())


def heredoc(command: str, text: str) -> Block:
    return bash(f"{command} <<'END_OF_TEXT'\n{text}\nEND_OF_TEXT")


class Player:
    """Plays by the helper's answers alone. `on` replaces what it does for one kind of request, when the user typed, or,
    once, when it may pick a partner."""

    def __init__(
        self,
        views: Sequence[View],
        end: tuple[str, str] | None = None,
        start: str = "debate start",
        on: dict[str, Callable[[str, dict[str, Any]], Block]] | None = None,
        after: Block | None = None,
    ) -> None:
        self.views = list(views)
        self.end = end
        self.first = start
        self.on = on or {}
        self.after = after
        self.id = ""
        self.over = False

    def steps(self, most: int = 40) -> Iterator[Step]:
        yield bash(f"{self.first} --json")
        yield from [self.go_on] * most

    def until_over(self) -> Iterator[Step]:
        """Resume and conclude: the closing question is the last step."""
        yield bash(f"{self.first} --json")
        yield from [self.go_on] * 2

    def go_on(self, seen: Seen) -> Block:
        if self.over:
            return say("The debate is over.")
        if "does not drive" in seen.text:
            return say("I have lost it.")
        data = self._data(seen)
        if data is None:
            return bash(f"debate next {self.id} --json" if self.id else "debate start --json")
        self.id = data.get("id", self.id)
        if data.get("queued"):
            return say("I end my turn.")
        if data.get("typed") and "typed" in self.on:
            return self.on["typed"](self.id, data["typed"][0])
        if data.get("roster") and "roster" in self.on:
            return self.on.pop("roster")(self.id, data)
        if data.get("questions"):  # `conclude` and `ask` give the call themselves
            self.over = "outcome" in data
            return use("AskUserQuestion", questions=data["questions"])
        if "outcome" in data:
            self.over = True
            return say("Concluded.")
        if not data.get("requests"):
            return say("Nothing is left to do.")
        return self.answer(data["requests"][0])

    def answer(self, request: dict[str, Any]) -> Block:
        call = request["call"]
        kind = request["role"] if request["kind"] == "speak" else request["kind"]
        if kind in self.on:
            return self.on[kind](self.id, request)
        if kind == "main":
            if self.views:
                view = self.views.pop(0)
                if callable(view):
                    return view(self.id)
                return heredoc(f"debate submit {self.id} --role main --request {request['id']} --json", view)
            if self.end is None:
                return say("I stop here.")
            return heredoc(f"debate conclude {self.id} --outcome {self.end[0]} --json", self.end[1])
        if request.get("speaking"):
            return bash(call["input"]["command"] + " --json")
        return use(call["tool"], **call["input"])

    def _data(self, seen: Seen) -> dict[str, Any] | None:
        """What the helper answered; None after a tool that is not the helper."""
        try:
            told = json.JSONDecoder().raw_decode(seen.result.lstrip())[0]
        except (ValueError, IndexError):
            return None
        if not isinstance(told, dict) or not told.keys() & {"data", "error"}:
            return None
        assert told["success"], told
        data: dict[str, Any] = told["data"]
        return data
