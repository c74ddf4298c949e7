"""How a debate ends: the record is kept or discarded by the person's word alone, and then the guard lifts."""

import threading
from typing import Any

from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, bash, hold, say
from client.playing import Player, conclusion
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, answer_start, close, in_background
from helpers import wait_until


def test_the_record_is_kept_or_discarded_as_the_person_answers(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Three debates in one session: kept, discarded at once, and discarded by the command that comes next."""
    scene = Scene(assistant, model)
    first, second, third = (scene.argue_outside(topic, rounds=1) for topic in ("first", "second", "third"))

    def conclude(debate_id: str, record: str, files: str, *then: Any) -> None:
        player = Player([], conclusion(), start="debate resume")
        model.forget()
        model.main(*player.until_over(), *then)
        terminal.submit(f"/debate:resume {debate_id}")
        close(terminal, record, files)

    terminal = assistant.terminal()
    asked = bash(f"debate discard {first}"), bash(f"debate keep {first}"), say("First is done.")
    conclude(first, "Keep it", "Not yet", *asked)
    terminal.wait_for("First is done.")
    assert any("the person has not said that it should go" in seen.text for seen in model.main_saw)
    assert scene.kinds(first)[-2:] == ["conclusion", "kept"]
    assert scene.turns(first, kind="kept")[0]["text"].endswith("Not yet")
    assert not scene.lines("lifted"), "the files may not change yet"

    conclude(
        second, "Discard it", "Files may change", bash(f"debate discard {second}"), say("Second is done.")
    )
    terminal.wait_for("Second is done.")
    assert terminal.shows("the guard is off") == 2, (
        "after the first at the person's command, now at their yes"
    )
    assert scene.ids() == [first, third] and scene.trash() == [second]
    assert not list((scene.state / "sessions").iterdir()), "the hooks sleep"

    conclude(third, "Discard it", "Not yet", say("Third is done."))
    terminal.wait_for("Third is done.")
    assert scene.ids() == [first, third], "nobody acted on it"
    model.main(*Player([]).steps())
    terminal.submit('/debate "fourth"')
    answer_start(terminal)
    terminal.wait_for("I stop here.")
    assert len(scene.ids()) == 2 and third not in scene.ids() and scene.trash() == [second, third]


def test_a_terminals_session_is_lifted_by_the_person_there_and_not_by_print_mode(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """What they answered there and nobody acted on is carried out by the next command, wherever it is typed."""
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=1)
    model.main(*Player([], conclusion(), start="debate resume").until_over(), say("Done."), say("Printed."))
    terminal = assistant.terminal()
    terminal.submit("/debate:resume")
    close(terminal, "Discard it", "Not yet")
    terminal.wait_for("Done.")
    session = assistant.events()[-1]["session_id"]
    terminal.close()
    assert assistant.print_mode("go on", "--resume", session).text == "Printed."
    assert scene.lines("ended") and not scene.lines("typed") and not scene.lines("lifted", "lifted")
    assert scene.ids() == [debate_id]
    scene.told("start", "another one")
    assert scene.trash() == [debate_id] and debate_id not in scene.ids()

    terminal = assistant.terminal("--resume", session)
    terminal.submit("go on")
    terminal.wait_for("the guard is off")
    assert scene.lines("lifted", "lifted") and not scene.lines("ended")


def test_a_session_that_print_mode_began_is_lifted_by_its_next_prompt(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene = Scene(assistant, model)
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    model.main(*Player(VIEWS[:1], conclusion()).steps())
    printed = assistant.print_mode('/debate "split it?"')
    assert printed.text == "Concluded." and scene.lines("ended")
    assistant.print_mode("thanks", "--resume", printed.session)
    assert scene.lines("lifted", "lifted") and not scene.lines("ended")


def test_a_second_debate_sets_the_first_aside_and_each_answer_reaches_its_own_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The first one's partner answers while the second is on; it is filed when the first is taken up again."""
    released = threading.Event()
    model.agent(hold(released, say(CHALLENGES[0])), mark="<topic>\nfirst\n")
    model.agent(say(CHALLENGES[1]), mark="<topic>\nsecond\n")
    players = {
        "Run `debate resume`": Player(VIEWS[:1], start="debate resume", on={"partner": in_background}),
        "Topic:": Player(VIEWS[1:]),
    }
    on = [players["Run `debate resume`"]]

    def play(seen: Seen) -> Block:
        for command, player in players.items():
            if command in seen.text:
                on[0] = player
                return bash(f"{player.first} --json")
        return on[0].go_on(seen)

    scene = Scene(assistant, model)
    first = scene.argue_outside("first", rounds=0)
    model.main(*[play] * 40)
    terminal = assistant.terminal()
    terminal.submit("/debate:resume")
    terminal.wait_for("Bash(debate wait")
    terminal.submit('/debate "second"')
    terminal.wait_for("Is this the topic, as worded?")
    released.set()
    wait_until(lambda: scene.lines("stopped"), "the first partner's answer")
    answer_start(terminal)
    terminal.wait_for("I stop here.")
    assert scene.kinds(first) == ["passed", "view"]
    assert [turn["text"] for turn in scene.turns("second", kind="challenge")] == [CHALLENGES[1]]

    terminal.submit(f"/debate:resume {first}")
    terminal.wait_for("I stop here.", times=2)
    assert [turn["text"] for turn in scene.turns(first, kind="challenge")] == [CHALLENGES[0]]
    assert scene.kinds("second") == ["answer", "view", "challenge"]
    assert len(scene.prompts()) == 2
