"""In default permission mode a debate raises no dialog, and the pack allows its own commands and nothing else.

The terminal draws the dialog of a call at once and takes it away when a hook allows it: "no dialog" means none that
stays. So the tests press no key but for the questions, and the debate comes to its end.
"""

import re
from collections.abc import Callable
from pathlib import Path

from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, Step, bash, say
from client.playing import Player, conclusion, heredoc
from client.printing import NEW_ONLY, Detour, Request, call, play
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, answer_start, hand_in
from client.terminal import Terminal
from helpers import wait_until

DIALOG = "Do you want to proceed?"
LONG = "A long view. " * 1_000  # the client's own rules match no command of more than 10,000 characters
ASKING = f"{CHALLENGES[0]}\n\n### Questions for the user\n- How many machines will there be?"
INTRUDERS = (
    "debate list; touch intruder",
    "debate list & touch intruder",
    "debate list\ntouch intruder",
    "debate list > intruder",
    "X=1 debate list",
    "env debate list",
    "debate show $(touch intruder)",
    "debate submit split --role main <<EOF\n$(touch intruder)\nEOF",
    "debate submit split --role main <<'EOF'\nA view.\nEOF\ntouch intruder",
    "debate run dialectic",
)


def test_a_debate_in_the_terminal_raises_no_dialog_while_the_model_waits_in_its_turn(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Not even for a very long view. The partner's question stands in the next one to the person."""
    model.agent(say(ASKING), mark=PARTNER)
    ask = lambda debate_id: bash(f"debate ask {debate_id} round --json")  # noqa: E731
    scene = Scene(assistant, model, Player([LONG, ask], conclusion()))
    terminal = scene.begin('/debate "split it?"')
    answer_start(terminal)
    terminal.choose("Conclude")
    terminal.wait_for("How many machines will there be?")
    terminal.answer_in_words("Two, at most.")
    hand_in(terminal)
    answer_closing(terminal)
    terminal.wait_for("The debate is over.")
    assert [turn["text"].strip() for turn in scene.turns(kind="view")] == [LONG.strip()]
    assert "How many machines will there be?\n\nTwo, at most." in scene.record()
    assert "outcome: partial" in scene.record()
    raised = [event["tool_input"].get("command") for event in assistant.events("PermissionRequest")]
    assert [LONG in command for command in raised if command] == [True], (
        "the rest is the command's own permission"
    )


def test_a_debate_in_the_terminal_raises_no_dialog_when_the_model_ends_its_turn(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The partner may read after that turn, but not act for the main agent; and nothing rides along."""
    told: list[str] = []
    model.agent(*_reads_then_acts(assistant, model, told), mark=PARTNER)
    scene = Scene(assistant, model, Detour(VIEWS, conclusion(), ways={"partner": [_leaves, _leaves]}))
    terminal = scene.begin('/debate "split it?"')
    answer_start(terminal)
    answer_closing(terminal)
    terminal.wait_for("The debate is over.")
    _check(scene, told)

    model.forget()
    model.main(bash(INTRUDERS[0]), say("It ran."))
    terminal.submit("and now?")
    wait_until(lambda: _raised(assistant, INTRUDERS[0]), "the client to ask for a permission")
    terminal.wait_for(DIALOG)
    terminal.choose("No")
    terminal.wait_gone(DIALOG)
    assert not (assistant.project / "intruder").exists() and "It ran." not in terminal.screen()


@NEW_ONLY
def test_a_debate_in_print_mode_gets_on_when_the_model_ends_its_turn(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The old client raises no PermissionRequest there, so nothing could allow the helper's next call."""
    told: list[str] = []
    model.agent(*_reads_then_acts(assistant, model, told), mark=PARTNER)
    scene = play(assistant, model, Detour(VIEWS, conclusion(), ways={"partner": [_leaves, _leaves]}))
    _check(scene, told)


def test_without_the_hook_the_dialog_comes_when_the_model_ends_its_turn(
    install_without: Callable[[str], Assistant], model: ScriptedModel
) -> None:
    assistant = install_without("PermissionRequest")
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    scene = Scene(assistant, model, Detour(VIEWS[:1], ways={"partner": [_leaves]}))
    terminal = scene.begin('/debate "split it?"')
    answer_start(terminal)
    terminal.wait_for(DIALOG)
    wait_until(lambda: _raised(assistant, "debate next"), "the client to ask for a permission")
    assert not scene.turns(kind="challenge")
    terminal.confirm()
    terminal.wait_for("I stop here.")
    assert scene.turns(kind="challenge")


def test_a_debate_in_print_mode_is_refused_nothing_where_the_model_waits(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """But for a very long view on the old client, which asks no hook: the model has to be brief."""
    model.main(*Player([LONG, VIEWS[0]], conclusion()).steps())
    model.agent(say(CHALLENGES[0]), say(CHALLENGES[1]), mark=PARTNER)
    printed = assistant.print_mode('/debate "split it?"')
    denied = [refusal["tool_input"]["command"] for refusal in printed.messages[-1]["permission_denials"]]
    scene = Scene(assistant, model)
    views = [turn["text"].strip() for turn in scene.turns(kind="view")]
    if assistant.client.name == "old":
        assert [LONG in command for command in denied] == [True]
        assert views == [VIEWS[0]]
    else:
        assert denied == []
        assert views == [LONG.strip(), VIEWS[0]]
    assert "outcome: partial" in scene.record()


def test_without_the_commands_own_permission_print_mode_is_refused(
    install_without: Callable[[str], Assistant], model: ScriptedModel, tmp_path: Path
) -> None:
    assistant = install_without("PermissionRequest")
    _take_permission_from_the_command(tmp_path / "pack")
    model.main(bash("debate start"), say("Refused."))
    printed = assistant.print_mode('/debate "split it?"')
    assert [refusal["tool_name"] for refusal in printed.messages[-1]["permission_denials"]] == ["Bash"]
    assert not (assistant.project / ".debates").exists()


@NEW_ONLY
def test_the_hook_allows_one_plain_helper_command_and_nothing_that_rides_along(
    install_without: Callable[[str], Assistant], model: ScriptedModel, tmp_path: Path
) -> None:
    assistant = install_without("SessionEnd")
    _take_permission_from_the_command(tmp_path / "pack")
    plain = ("debate start", "debate list 2>&1")
    model.main(bash(plain[0]), *map(bash, INTRUDERS), bash(plain[1]), say("Over."))
    printed = assistant.print_mode('/debate "split it?"')
    refused = [refusal["tool_input"]["command"] for refusal in printed.messages[-1]["permission_denials"]]
    assert refused == list(INTRUDERS)
    ran = [event["tool_input"]["command"] for event in assistant.events("PostToolUse", tool_name="Bash")]
    assert ran == list(plain)
    assert not (assistant.project / "intruder").exists()


def answer_closing(terminal: Terminal) -> None:
    terminal.choose("Keep it")
    terminal.choose("Not yet")
    hand_in(terminal)


def _leaves(_: str, request: Request) -> list[Step]:
    background = {"run_in_background": True} if request["call"]["tool"] == "Agent" else {}
    return [call(request, **background), say("I shall be told.")]


def _reads_then_acts(assistant: Assistant, model: ScriptedModel, told: list[str]) -> list[Step]:
    """A partner's script for two rounds: its first begins when the main agent's turn is over."""

    def after_the_turn(_: Seen) -> Block:
        wait_until(lambda: assistant.events("Stop"), "the end of the main agent's turn")
        return bash("debate list")

    def note(step: Callable[[], Block]) -> Step:
        def note_and_go_on(seen: Seen) -> Block:
            told.append(seen.result)
            return step()

        return note_and_go_on

    def read_prompt() -> Block:
        found = re.search(r"[0-9a-f]{8}-\d+-partner", str(model.main_saw[-1].request["messages"]))
        assert found
        return bash(f"debate prompt {found[0]}")

    def rest(answer: str) -> list[Step]:
        return [
            note(lambda: bash("debate show split")),
            note(read_prompt),
            note(lambda: heredoc("debate conclude split --outcome partial", conclusion()[1])),
            note(lambda: heredoc("debate submit split --role main", "I give in.")),
            note(lambda: bash("debate list && debate next split")),
            note(lambda: say(answer)),
        ]

    return [after_the_turn, *rest(CHALLENGES[0]), bash("debate list"), *rest(CHALLENGES[1])]


def _check(scene: Scene, told: list[str]) -> None:
    """It read in both rounds, and was refused whatever it did for the main agent."""
    assert len(told) == 12
    for listed, shown, prompt, *acts in (told[:6], told[6:]):
        assert "split it?" in listed and VIEWS[0] in shown and PARTNER in prompt
        assert all("Only the main agent advances the debate" in refusal for refusal in acts), acts
    raised = [
        event
        for event in scene.assistant.events("PermissionRequest", tool_name="Bash")
        if event.get("agent_id")
    ]
    assert [event["tool_input"]["command"].split()[1] for event in raised] == ["list", "show", "prompt"]
    assert _raised(scene.assistant, "debate next"), "the main agent's permission ended with its turn"
    assert [turn["text"] for turn in scene.turns(kind="challenge")] == CHALLENGES
    assert [turn["text"].strip() for turn in scene.turns(kind="view")] == VIEWS
    assert "outcome: partial" in scene.record()


def _raised(assistant: Assistant, command: str) -> bool:
    events = assistant.events("PermissionRequest", tool_name="Bash")
    return any(event["tool_input"]["command"].startswith(command) for event in events)


def _take_permission_from_the_command(pack: Path) -> None:
    file = pack / "commands/debate.md"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith("allowed-tools:")))
