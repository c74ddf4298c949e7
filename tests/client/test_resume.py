"""An open debate goes on: in another session, after a crash, after a compaction, in the session taken up again."""

import os
import threading
import time
from collections.abc import Callable

from client.assistant import Assistant
from client.model import ScriptedModel, Seen, bash, hold, say
from client.playing import Player
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, by_session, in_background
from helpers import wait_until

OPEN = "Open debates here: "


def first_request(model: ScriptedModel, session: str) -> Seen:
    return next(seen for seen in model.main_saw if seen.session == session)


def test_a_second_session_takes_the_debate_over_with_a_partner_of_its_own(
    assistant: Assistant, model: ScriptedModel
) -> None:
    released = threading.Event()
    model.agent(say(CHALLENGES[0]), hold(released, say("Was I not fast enough?")), mark=PARTNER)
    model.agent(say(CHALLENGES[1]), mark=PARTNER)
    one, two = Player(VIEWS, start="debate resume"), Player([], start="debate resume")
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=0)
    model.main(*[by_session(one, two)] * 60)
    first = assistant.terminal()
    first.submit("/debate:resume")
    scene.until_partner_speaks(times=2)

    for topic in ("a", "b", "c", "d", "aged"):
        scene.argue_outside(topic, rounds=0)
    scene.told("start", "unbegun")
    (aged,) = (assistant.project / ".debates").glob("*aged.md")
    os.utime(aged, (time.time() - 15 * 86400,) * 2)
    second = assistant.terminal()
    second.submit(f"/debate:resume {debate_id}")
    second.wait_for("I stop here.")
    first.wait_for("I have lost it.")

    begun = first_request(model, model.main_saw[-1].session).text
    (line,) = (line for line in begun.splitlines() if OPEN in line)
    names = line.partition(OPEN)[2].partition(" and 1 more")[0].split(", ")
    assert [name.rpartition("-")[2] for name in names] == ["d", "c", "b"]
    assert scene.kinds(debate_id) == ["passed", "view", "challenge", "view", "challenge"]
    joined = scene.prompts()[2]
    assert "from a partner who is no longer there" in joined
    assert all(words in joined for words in (*VIEWS, CHALLENGES[0]))
    messages = assistant.events("PreToolUse", tool_name="SendMessage")
    assert {event["session_id"] for event in messages} == {model.main_saw[0].session}

    released.set()
    wait_until(lambda: scene.lines("stopped")[2:], "the late answer")
    two.views.append(lambda i: bash(f"debate wait {i} --json"))
    second.submit("go on")
    second.wait_for("I stop here.", times=2)
    assert any("too late; it was not filed" in seen.text for seen in model.main_saw)
    assert not scene.holding("Was I not fast enough?")
    first.submit("go on")
    first.wait_for("another session has taken the debate over")
    assert scene.kinds(debate_id) == ["passed", "view", "challenge", "view", "challenge"]


def test_what_a_killed_client_left_unfiled_is_filed_once_by_the_next_session(
    assistant: Assistant, model: ScriptedModel
) -> None:
    never = threading.Event()
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    one = Player(VIEWS[:1], start="debate resume", on={"partner": in_background})
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=0)
    start, speak, ask, *_ = one.steps()
    model.main(start, speak, ask, hold(never, say("Nobody is there.")))
    terminal = assistant.terminal()
    terminal.submit("/debate:resume")
    wait_until(lambda: scene.lines("stopped"), "the partner's answer")
    terminal.kill()
    never.set()
    assert scene.kinds() == ["passed", "view"]

    model.forget()
    scene.player = Player([], start="debate resume")
    terminal = scene.begin("/debate:resume")
    terminal.wait_for("I stop here.")
    assert f"{OPEN}{debate_id}." in first_request(model, model.main_saw[-1].session).text
    assert scene.kinds() == ["passed", "view", "challenge"] and len(scene.prompts()) == 1
    assert scene.turns(kind="challenge")[0]["text"] == CHALLENGES[0]


def test_a_compaction_and_a_restart_of_the_client_leave_a_session_its_debate(
    assistant: Assistant, model: ScriptedModel
) -> None:
    third = CHALLENGES[1].replace("Measured", "Proved")
    model.agent(*map(say, (*CHALLENGES, third)), mark=PARTNER)
    scene = Scene(assistant, model, Player(VIEWS[:1], start="debate resume"))
    debate_id = scene.argue_outside("split it?", rounds=0)
    terminal = scene.begin("/debate:resume")
    terminal.wait_for("I stop here.")
    session = model.main_saw[0].session

    def told() -> bool:
        line = f"The debate {debate_id} is on in this session. Go on with: debate next {debate_id}"
        return line in str(model.main_saw[-1].request["messages"])

    model.forget()
    model.main(say("<summary>They argue about splitting it.</summary>"))
    terminal.submit("/compact")
    wait_until(lambda: assistant.events("PostCompact"), "the compaction", 60)
    scene.player.views.append(VIEWS[1])
    model.main(*[scene.player.go_on] * 9)
    terminal.submit("go on")
    terminal.wait_until(lambda: CHALLENGES[1] in scene.record(), "the second answer")
    assert told()

    terminal.close()
    model.forget()
    scene.player.views.append("It was measured.")
    model.main(*[scene.player.go_on] * 9)
    terminal = assistant.terminal("--resume", session)
    terminal.submit("go on once more")
    terminal.wait_until(lambda: third in scene.record(), "the third answer")
    assert told() and model.main_saw[-1].session == session
    answers = scene.turns(kind="challenge")
    assert [answer["text"] for answer in answers] == [*CHALLENGES, third]
    assert len({answer["receipt"]["agent_id"] for answer in answers}) == 1


def test_without_its_hook_a_new_session_is_told_nothing(
    install_without: Callable[..., Assistant], model: ScriptedModel
) -> None:
    """The control."""
    scene = Scene(install_without("SessionStart"), model)
    scene.argue_outside("split it?", rounds=0)
    scene.assistant.print_mode("hello")
    assert OPEN not in model.main_saw[-1].text
