"""Who becomes the partner: by the topic, by the main agent's pick, and who takes over where that one fails."""

import re
from typing import Any

import pytest
from client.assistant import Assistant
from client.model import Block, ScriptedModel, bash, cut, say
from client.playing import Player, conclusion
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene

DATABASE = "Tunes PostgreSQL: indexes, query plans, schemas, migrations"
LEGAL = "Reads contracts and licences, and says what they oblige us to"
INDEX = '/debate "Does the orders table need another PostgreSQL index?"'
VENDOR = '/debate "我们可以换掉这个供应商吗？"'  # in another language than the agents' descriptions


@pytest.fixture(autouse=True)
def specialists(project: Any) -> None:
    """Agents of the project, each with a mark to be known by."""
    folder = project / ".claude/agents"
    folder.mkdir(parents=True)
    for name, description in (("database-expert", DATABASE), ("licence-counsel", LEGAL)):
        front = f"---\nname: {name}\ndescription: {description}\n---\n"
        (folder / f"{name}.md").write_text(f"{front}You are {name.upper()}.\n")


def argue(assistant: Assistant, model: ScriptedModel, command: str, **played: Any) -> Scene:
    """One round and the conclusion, in print mode."""
    player = Player(VIEWS[:1], conclusion(), **played)
    model.main(*player.steps())
    assert assistant.print_mode(command).exit_code == 0
    return Scene(assistant, model, player)


def spoken(scene: Scene) -> list[tuple[str, str, str]]:
    return [(turn["kind"], turn["agent"], turn["text"]) for turn in scene.turns(role="partner")]


def test_a_topic_that_speaks_of_a_specialists_work_is_argued_by_it_and_the_record_says_why(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark="You are DATABASE-EXPERT.")
    scene = argue(assistant, model, INDEX)
    assert spoken(scene) == [("challenge", "database-expert", CHALLENGES[0])]
    assert re.search(r"^agent: database-expert\nwhy: The topic speaks of .*index", scene.record(), re.M)


def test_where_words_do_not_decide_it_the_main_agent_picks_from_the_list_and_gives_its_reason(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The pick changes the debate that is there; it opens no second one."""
    why = "It asks what the vendor's contract binds us to."
    offered: list[Any] = []

    def pick(_: str, data: dict[str, Any]) -> Block:
        offered.append(data)
        return bash(f'debate start --agent licence-counsel --why "{why}" --json')

    model.agent(say(CHALLENGES[0]), mark="You are LICENCE-COUNSEL.")
    scene = argue(assistant, model, VENDOR, on={"roster": pick})

    (data,) = offered
    assert data["agent"] == "general-purpose"
    # Nobody needs to be told of those that suit everything.
    assert {agent["name"]: agent["description"] for agent in data["roster"]} == {
        "database-expert": DATABASE,
        "licence-counsel": LEGAL,
    }
    assert spoken(scene) == [("challenge", "licence-counsel", CHALLENGES[0])]
    assert f"\nagent: licence-counsel\nwhy: {why}\n" in scene.record()
    assert scene.ids() == [data["id"]]


def test_a_main_agent_that_picks_nobody_argues_with_general_purpose(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    scene = argue(assistant, model, VENDOR)
    assert spoken(scene) == [("challenge", "general-purpose", CHALLENGES[0])]
    assert "\nagent: general-purpose\nwhy: No word of the topic points to an agent.\n" in scene.record()


def test_a_name_that_no_agent_bears_leaves_the_debate_to_general_purpose_with_the_reason_on_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    start = "debate start --agent database-exprt --why 'the user named it'"
    scene = argue(assistant, model, VENDOR, start=start)
    assert spoken(scene) == [("challenge", "general-purpose", CHALLENGES[0])]
    why = (
        r"why: .*database-exprt was named \(the user named it\), but there is no such agent.* database-expert"
    )
    assert re.search(f"^agent: general-purpose\n{why}", scene.record(), re.M)


def test_a_specialist_that_answers_nothing_is_replaced_with_the_reason_on_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(""), say(""), mark="You are DATABASE-EXPERT.")  # the client asks once more by itself
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    assert spoken(argue(assistant, model, INDEX)) == [
        ("failure", "database-expert", "the agent answered nothing"),
        ("challenge", "general-purpose", CHALLENGES[0]),
    ]


def test_a_specialist_whose_answer_is_cut_off_again_and_again_is_replaced_with_the_reason_on_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The client lets it go on three times."""
    model.agent(*[cut("And so forth, ") for _ in range(4)], mark="You are DATABASE-EXPERT.")
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    failure, challenge = spoken(argue(assistant, model, INDEX))
    assert failure[:2] == ("failure", "database-expert")
    assert failure[2].startswith("the agent's answer was cut off") and "output token maximum" in failure[2]
    assert challenge == ("challenge", "general-purpose", CHALLENGES[0])


def test_the_last_piece_of_an_answer_is_not_taken_for_the_whole(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """A cut-off agent is told to go on where it stopped, and only what it says then is returned. The newer client first
    asks, twice, for the whole answer again: that one counts."""
    old = assistant.client.name == "old"
    pieces = [
        cut("We should not, "),
        *([] if old else [cut("No, "), cut("No: ")]),
        say("because it is slow."),
    ]
    model.agent(*pieces, mark="You are DATABASE-EXPERT.")
    model.agent(*([] if old else [cut("We should ")]), say(CHALLENGES[0]), mark=PARTNER)
    assert spoken(argue(assistant, model, INDEX)) == [
        ("failure", "database-expert", "the agent's answer was cut off"),
        ("challenge", "general-purpose", CHALLENGES[0]),
    ]
