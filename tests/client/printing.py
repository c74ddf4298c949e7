"""A debate in print mode, and a main agent that leaves the way for a few steps.

ask_and_wait = lambda ID, request: [call(request), bash(f"debate wait {ID}")]
scene = play(assistant, model, Detour(VIEWS, conclusion(), ways={"partner": [ask_and_wait]}))
"""

from collections.abc import Callable
from typing import Any

import pytest
from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, Step, use
from client.playing import Player
from client.scene import Scene

Request = dict[str, Any]
Way = Callable[[str, Request], list[Step]]

NEW_ONLY = pytest.mark.parametrize("client", ["new"], indirect=True)
OLD_ONLY = pytest.mark.parametrize("client", ["old"], indirect=True)


def play(assistant: Assistant, model: ScriptedModel, player: Player, *options: str) -> Scene:
    """To its end, and nothing the helper asked for was refused."""
    model.main(*player.steps())
    printed = assistant.print_mode('/debate "split it?"', *options)
    assert printed.exit_code == 0, printed
    return Scene(assistant, model, player)


def call(request: Request, **changed: Any) -> Block:
    """The call that the helper gave, as it stands or with other values."""
    return use(request["call"]["tool"], **{**request["call"]["input"], **changed})


class Detour(Player):
    """`ways`: what to do for a kind of request, the first time and the next ones. Several steps, then it goes on."""

    def __init__(self, *arguments: Any, ways: dict[str, list[Way]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.ways = ways
        self.ahead: list[Step] = []

    def go_on(self, seen: Seen) -> Any:
        if not self.ahead:
            return super().go_on(seen)
        step = self.ahead.pop(0)
        return step(seen) if callable(step) else step

    def answer(self, request: Request) -> Any:
        kind = request["role"] if request["kind"] == "speak" else request["kind"]
        if not self.ways.get(kind) or request.get("speaking"):
            return super().answer(request)
        step, *self.ahead = self.ways[kind].pop(0)(self.id, request)
        return step


def heard(model: ScriptedModel) -> str:
    """All that tools told the main agent."""
    return "\n".join(result for seen in model.main_saw for result in seen.results)
