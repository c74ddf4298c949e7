"""What the other tests here stand on: both clients run, and the scripted model, the screen and the keys are real."""

import threading

from client.assistant import Assistant
from client.model import ScriptedModel, bash, hold, say, use
from helpers import wait_until


def question(text: str, *labels: str, several: bool = False) -> dict[str, object]:
    options = [{"label": label, "description": f"the choice of {label}"} for label in labels]
    return {"question": text, "header": "Choice", "options": options, "multiSelect": several}


SIDE = question("Which side?", "Left", "Right")
GOALS = question("Which goals?", "Speed", "Care", several=True)


def test_print_mode_plays_the_script_and_shows_its_events(
    bare_assistant: Assistant, model: ScriptedModel
) -> None:
    model.main(bash("echo one"), lambda seen: say(f"It printed {seen.result}."))
    printed = bare_assistant.print_mode("go")
    assert (printed.exit_code, printed.text) == (0, "It printed one.")
    names = [event["hook_event_name"] for event in bare_assistant.events(session_id=printed.session)]
    assert names == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    spoken = [line for line in bare_assistant.transcript() if line["type"] == "assistant"]
    assert {line["version"] for line in spoken} == {bare_assistant.client.version}


def test_the_client_reaches_its_own_loopback_and_nothing_else(
    bare_assistant: Assistant, model: ScriptedModel
) -> None:
    model.main(bash("cat /proc/net/dev"), say("done"))
    bare_assistant.print_mode("go", "--permission-mode", "bypassPermissions")
    interfaces = [
        line.split(":")[0].strip() for line in model.main_saw[-1].result.splitlines() if ":" in line
    ]
    assert interfaces == ["lo"]


def test_questions_on_the_screen_are_answered_with_keys(
    bare_assistant: Assistant, model: ScriptedModel
) -> None:
    model.main(use("AskUserQuestion", questions=[SIDE, GOALS]), say("Heard."))
    terminal = bare_assistant.terminal()
    terminal.submit("ask me")
    terminal.choose("Right")
    terminal.wait_for("Which goals?")
    terminal.choose("Speed")
    terminal.choose("Care")
    terminal.press("tab")
    terminal.choose("Submit answers")
    terminal.wait_for("Heard.")
    (answered,) = bare_assistant.events("PostToolUse", tool_name="AskUserQuestion")
    assert answered["tool_response"]["answers"] == {"Which side?": "Right", "Which goals?": "Speed, Care"}


def test_a_question_is_answered_in_free_words(bare_assistant: Assistant, model: ScriptedModel) -> None:
    model.main(use("AskUserQuestion", questions=[SIDE]), say("Heard."))
    terminal = bare_assistant.terminal()
    terminal.submit("ask me")
    terminal.answer_in_words("neither, 谢谢")
    terminal.wait_for("Heard.")
    (answered,) = bare_assistant.events("PostToolUse", tool_name="AskUserQuestion")
    assert answered["tool_response"]["answers"] == {"Which side?": "neither, 谢谢"}


def test_a_question_dismissed_with_esc_has_no_answer(bare_assistant: Assistant, model: ScriptedModel) -> None:
    model.main(use("AskUserQuestion", questions=[SIDE]))
    terminal = bare_assistant.terminal()
    terminal.submit("ask me")
    terminal.wait_for("2. Right")
    terminal.press("esc")
    terminal.wait_gone("2. Right")
    assert bare_assistant.events("PreToolUse") and not bare_assistant.events("PostToolUse")


def test_two_subagents_are_told_apart_from_each_other_and_from_the_main_agent(
    bare_assistant: Assistant, model: ScriptedModel
) -> None:
    released = threading.Event()
    call = {"description": "think", "subagent_type": "general-purpose"}
    model.main(
        [use("Agent", prompt="You are RED.", **call), use("Agent", prompt="You are BLUE.", **call)],
        say("over"),
    )
    model.agent(hold(released, say("blue it is")), mark="You are BLUE.")
    model.agent(bash("echo seen by red"), lambda seen: say(f"red: {seen.result}"), mark="You are RED.")

    terminal = bare_assistant.terminal("--permission-mode", "bypassPermissions")
    terminal.submit("ask both")
    terminal.wait_until(lambda: bare_assistant.events("SubagentStop"), "the end of the first agent")
    assert [stop["last_assistant_message"] for stop in bare_assistant.events("SubagentStop")] == [
        "red: seen by red"
    ]
    released.set()
    stops = wait_until(lambda: bare_assistant.events("SubagentStop")[1:], "the end of the second agent")
    assert stops[0]["last_assistant_message"] == "blue it is"
    assert len({seen.agent for seen in model.agents_saw}) == 2
