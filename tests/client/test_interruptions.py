"""The person interrupts, by Esc, a message or a command: nothing is lost, nothing comes twice."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from client.assistant import Assistant
from client.model import Block, ScriptedModel, bash, hold, say, use
from client.playing import Player, conclusion
from client.printing import OLD_ONLY
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, answer_start, dismiss, in_background
from helpers import wait_until


@pytest.mark.parametrize(
    ("client", "foreground"), [("old", True), ("old", False), ("new", False)], indirect=["client"]
)
def test_esc_while_the_partner_speaks_loses_nothing_and_repeats_nothing(
    assistant: Assistant, model: ScriptedModel, foreground: bool
) -> None:
    """A foreground agent dies, and its call is given again; a background one goes on and is waited for."""
    released = threading.Event()
    model.agent(hold(released, say(CHALLENGES[0])), mark=PARTNER)
    model.agent(say(CHALLENGES[1]), mark=PARTNER)
    way = {} if foreground else {"partner": in_background}
    scene = Scene(assistant, model, Player(VIEWS[:1], start="debate resume", on=way))
    scene.argue_outside("split it?", rounds=0)
    terminal = scene.begin("/debate:resume")
    scene.until_partner_speaks()
    terminal.wait_for("Agent(dialectic partner)" if foreground else "Bash(debate wait")
    terminal.press("esc")
    terminal.wait_for("Interrupted")
    model.forget()
    model.main(*[scene.player.go_on] * 9)
    terminal.submit("go on")
    if not foreground:
        terminal.wait_for("Bash(debate wait", times=2)
    released.set()
    terminal.wait_for("I stop here.")
    assert scene.kinds() == ["passed", "view", "challenge"]
    (challenge,) = scene.turns(kind="challenge")
    if foreground:
        assert challenge["text"] == CHALLENGES[1] and len(scene.prompts()) == 2
    else:
        assert challenge["text"] == CHALLENGES[0] and len(scene.prompts()) == 1
    assert challenge["receipt"]["text"] == "as returned" and challenge["receipt"]["prompt"] == "as issued"
    assert not scene.holding("go on")


def test_what_is_typed_during_a_wait_ends_it_at_once_and_a_command_is_given_way_to(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The partner is still speaking all the while; what it says in the end is filed once."""
    released = threading.Event()
    model.agent(hold(released, say(CHALLENGES[0])), say(CHALLENGES[1]), mark=PARTNER)
    told: list[dict[str, Any]] = []

    def take_it_on_record(debate_id: str, message: dict[str, Any]) -> Block:
        told.append(message)
        return bash(f"debate submit {debate_id} --role user --message {message['number']} --json")

    player = Player(VIEWS, start="debate resume", on={"partner": in_background, "typed": take_it_on_record})
    scene = Scene(assistant, model, player)
    scene.argue_outside("split it?", rounds=0)
    terminal = scene.begin("/debate:resume")
    terminal.wait_for("Bash(debate wait")
    terminal.submit("how much would it cost?")
    terminal.wait_for("Bash(debate wait", times=2)
    assert told == [{"number": 1, "text": "how much would it cost?"}]
    assert scene.kinds() == ["passed", "view", "message"]

    terminal.submit("/debate:history zebra")
    terminal.wait_for("I end my turn.")
    ended = next(seen.json()["data"] for seen in model.main_saw if '"queued": "' in seen.text)
    assert ended["queued"] == "/debate:history zebra" and ended["speaking"] and not ended["typed"]
    wait_until(lambda: assistant.events("UserPromptExpansion", command_name="debate:history"), "its own turn")
    terminal.wait_for("Bash(debate wait", times=3)
    released.set()
    terminal.wait_for("I stop here.")
    assert scene.kinds() == ["passed", "view", "message", "challenge", "view", "challenge"]
    first, second = scene.prompts()
    said = "<user>\nhow much would it cost?\n</user>"
    assert said not in first and said in second, (
        "typed while the partner spoke, so it is told in the next round"
    )
    assert not scene.holding("zebra")


@OLD_ONLY
def test_what_is_typed_while_a_foreground_partner_speaks_is_heard_before_the_next_round(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Nobody waits there: the agent's own call holds the turn. Newer clients have no foreground."""
    released = threading.Event()
    told: list[dict[str, Any]] = []

    def take_it_on_record(debate_id: str, message: dict[str, Any]) -> Block:
        told.append(message)
        assert scene.kinds() == ["passed", "view", "challenge"], "the round is paused"
        return bash(f"debate submit {debate_id} --role user --message {message['number']} --json")

    player = Player(VIEWS[:1], start="debate resume", on={"typed": take_it_on_record})
    scene = Scene(assistant, model, player)
    scene.argue_outside("split it?", rounds=0)
    model.agent(hold(released, say(CHALLENGES[0])), mark=PARTNER)
    terminal = scene.begin("/debate:resume")
    scene.until_partner_speaks()
    terminal.submit("two machines, no more")
    wait_until(
        lambda: any(line.get("operation") == "enqueue" for line in assistant.transcript()), "the queue"
    )
    released.set()
    terminal.wait_for("I stop here.")
    assert told == [{"number": 1, "text": "two machines, no more"}]
    assert scene.kinds() == ["passed", "view", "challenge", "message"]


def test_a_background_notification_is_no_person(assistant: Assistant, model: ScriptedModel) -> None:
    """It neither ends an open question nor lifts the guard after the end; the person's own message does."""
    held = {name: threading.Event() for name in ("RED", "BLUE")}
    call = {"description": "think", "subagent_type": "general-purpose", "run_in_background": True}

    def notified(name: str) -> bool:
        return any(f"{name} is done." in event["prompt"] for event in assistant.events("UserPromptSubmit"))

    for name, event in held.items():
        model.agent(hold(event, say(f"{name} is done.")), mark=f"You are {name}.")
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    scene = Scene(assistant, model, Player(VIEWS[:1], conclusion()))
    model.main([use("Agent", prompt=f"You are {name}.", **call) for name in held])
    terminal = scene.begin('/debate "split it?"')
    terminal.wait_for("Is this the topic, as worded?")
    dismiss(terminal)
    held["RED"].set()
    answer_start(terminal)  # it stands there again
    terminal.wait_for("Should the record of this debate be kept?")
    assert scene.kinds() == ["answer", "view", "challenge", "conclusion"]
    assert notified("RED")

    dismiss(terminal)
    held["BLUE"].set()
    terminal.wait_for("The debate is over.")
    assert notified("BLUE")
    assert not scene.lines("typed") and not scene.lines("lifted") and scene.lines("ended")

    terminal.submit("thank you both")
    terminal.wait_for("the guard is off")
    assert scene.lines("lifted", "lifted") and not scene.lines("bound")
    assert "status: completed" in scene.record() and not scene.holding("thank you both")


def test_without_its_hook_an_answer_is_not_heard(
    install_without: Callable[..., Assistant], model: ScriptedModel
) -> None:
    """The control: the partner has answered, and seems to be speaking still."""
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    speaking: list[str] = []

    def look_twice(debate_id: str, request: dict[str, Any]) -> Block:
        if not request.get("speaking"):
            return use(request["call"]["tool"], **request["call"]["input"])
        speaking.append(debate_id)
        return bash(f"debate wait {debate_id} --seconds 1 --json") if not speaking[1:] else say("Still.")

    scene = Scene(install_without("SubagentStop"), model)
    model.main(*Player(VIEWS[:1], on={"partner": look_twice}).steps())
    scene.assistant.print_mode('/debate "split it?"')
    assert len(speaking) == 2 and scene.kinds() == ["passed", "view"]
    assert scene.assistant.events("SubagentStop", last_assistant_message=CHALLENGES[0])
