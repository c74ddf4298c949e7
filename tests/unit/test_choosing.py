"""Who becomes the partner when a debate begins, and what is on record about it."""

import json
from pathlib import Path
from typing import Any

import pytest
from sessions import Session

from debate.cli import words
from debate.guard import plain
from debate.model import BadInput, NotAllowed
from debate.record import files

INDEX = "Does the orders table need another PostgreSQL index?"
VENDOR = "我们可以换掉这个供应商吗？"
AGENTS = {
    "general-purpose": "For anything.",
    "Explore": "Searches files.",
    "shop:database-expert": "Tunes PostgreSQL: indexes, query plans, schemas",
    "licence-counsel": "Reads contracts and licences",
}


@pytest.fixture
def session(home: Path, tmp_path: Path) -> Session:
    (tmp_path / "project/.git").mkdir(parents=True)
    return Session(home, tmp_path / "project")


def lists(session: Session, **agents: str) -> None:
    """The client tells the session which agents it has."""
    attachment = {
        "type": "agent_listing_delta",
        "addedTypes": list(agents),
        "addedLines": [f"- {name}: {text} (Tools: *)" for name, text in agents.items()],
        "isInitial": True,
    }
    line = {"type": "attachment", "isSidechain": False, "attachment": attachment}
    session.transcript.write_text(json.dumps(line) + "\n")


def begin(session: Session, topic: str, agent: str | None = None, why: str = "") -> dict[str, Any]:
    session.types_command("debate:debate", f'"{topic}"')
    return again(session, agent, why)


def again(session: Session, agent: str | None, why: str = "") -> dict[str, Any]:
    session.before("Bash", command="debate start")
    data: dict[str, Any] = session.host.start(None, "dialectic", agent, why)
    session.debate = data["id"]
    return data


def on_record(session: Session) -> tuple[str, str, list[str]]:
    record = files.read(session.project / ".debates" / f"{session.debate}.md")
    return record.debate.agent, record.debate.why, record.header["participants"]


def test_the_topic_decides_where_its_words_do_and_nothing_is_left_to_pick(session: Session) -> None:
    lists(session, **AGENTS)
    data = begin(session, INDEX)
    agent, why, participants = on_record(session)
    assert (agent, why) == (data["agent"], data["why"]) and "roster" not in data
    assert agent == "shop:database-expert" and "The topic speaks of" in why and agent in participants[1]
    assert f"the partner is {agent}. {why}" in words.started(data)


def test_where_the_session_lists_nothing_the_folders_tell(session: Session) -> None:
    folder = session.project / ".claude/agents"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\nname: pg\ndescription: Tunes PostgreSQL indexes and tables\n---\n")
    assert begin(session, INDEX)["agent"] == "pg"


def test_a_setting_of_the_user_goes_before_the_topic(home: Path, session: Session) -> None:
    session.environ["DEBATE_AGENT"] = "licence-counsel"
    lists(session, **AGENTS)
    begin(session, INDEX)
    assert on_record(session)[:2] == ("licence-counsel", "DEBATE_AGENT names it.")


def test_where_words_do_not_decide_it_the_specialists_are_listed_with_a_call_that_passes_as_plain(
    session: Session,
) -> None:
    lists(session, **AGENTS)
    data = begin(session, VENDOR)
    assert data["agent"] == "general-purpose" and data["requests"]
    assert {agent["name"] for agent in data["roster"]} == {"shop:database-expert", "licence-counsel"}
    told = words.started(data)
    call = next(line for line in told.splitlines() if "debate start" in line).partition("run: ")[2]
    assert plain.helper_command(call) == ["start", "--agent", "NAME", "--why", "REASON"]
    assert told.index("- licence-counsel: Reads contracts") < told.index("Next, the user is asked")


def test_the_pick_changes_the_debate_that_is_there_with_its_reason(session: Session) -> None:
    lists(session, **AGENTS)
    first = begin(session, VENDOR)
    second = again(session, "licence-counsel", "it is about\na contract")
    assert second["id"] == first["id"] and second["requests"] == first["requests"] and "roster" not in second
    assert on_record(session) == (
        "licence-counsel",
        "it is about a contract",
        ["main", "partner (licence-counsel)", "user"],
    )
    session.passes_start()
    again(session, "shop:database-expert", "on second thoughts")  # nobody has spoken yet
    session.speaks("My view.")
    assert session.next()["call"]["input"]["subagent_type"] == "shop:database-expert"
    assert session.host.place.session and session.host.place.session.debate == first["id"]


def test_once_somebody_has_spoken_the_partner_stays(session: Session) -> None:
    lists(session, **AGENTS)
    begin(session, VENDOR)
    session.passes_start()
    session.speaks("My view.")
    with pytest.raises(NotAllowed, match="has its debate"):
        again(session, "licence-counsel", "too late")
    assert on_record(session)[0] == "general-purpose"


def test_another_debate_that_the_person_asks_for_is_another_one(session: Session) -> None:
    lists(session, **AGENTS)
    first = begin(session, VENDOR)
    assert begin(session, INDEX, "licence-counsel", "they named it")["id"] != first["id"]


@pytest.mark.parametrize("given", ["database-expert", "SHOP:Database-Expert", " shop:database-expert "])
def test_an_agent_is_found_as_people_call_it(session: Session, given: str) -> None:
    lists(session, **AGENTS)
    begin(session, VENDOR, given, "they named it")
    assert on_record(session)[:2] == ("shop:database-expert", "they named it")


def test_a_name_that_two_plugins_share_is_nobodys(session: Session) -> None:
    lists(session, **AGENTS, **{"bank:database-expert": "Tunes Oracle"})
    begin(session, VENDOR, "database-expert", "they named it")
    assert on_record(session)[0] == "general-purpose"


@pytest.mark.parametrize("topic", [INDEX, VENDOR])
def test_a_name_that_no_agent_of_the_session_bears_is_on_record_and_another_can_be_picked(
    session: Session, topic: str
) -> None:
    lists(session, **AGENTS)
    data = begin(session, topic, "licence-cousel", "they named it")
    agent, why, _ = on_record(session)
    assert agent == data["agent"] == "general-purpose"
    assert why == (
        "licence-cousel was named (they named it), but there is no such agent here; the nearest: licence-counsel."
    )
    assert "shop:database-expert" in [agent["name"] for agent in data["roster"]]
    again(session, "licence-counsel", "a slip of the pen")
    assert on_record(session)[:2] == ("licence-counsel", "a slip of the pen")


def test_where_the_list_is_a_guess_an_unknown_name_is_tried(session: Session) -> None:
    begin(session, VENDOR, "from-somewhere", "they named it")
    assert on_record(session)[:2] == ("from-somewhere", "they named it")


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("said", ["API Error: 529 Overloaded", "Prompt is too long", "  \n"])
def test_a_specialist_that_answers_with_an_error_or_nothing_is_replaced_with_the_reason_on_record(
    said: str, old: bool, session: Session
) -> None:
    session.old = old
    lists(session, **AGENTS)
    begin(session, INDEX)
    session.passes_start()
    session.speaks("One more index costs every write.\n\n### Stance\ndisagree\n")
    session.partner_answers(said)
    given = session.next()["call"]
    assert given["tool"] == "Agent" and given["input"]["subagent_type"] == "general-purpose"
    debate = files.read(session.project / ".debates" / f"{session.debate}.md").debate
    (failure,) = [turn for turn in debate.turns if turn.kind == "failure"]
    assert failure.agent == "shop:database-expert"
    assert (said.strip() or "answered nothing") in failure.content


def test_without_a_specialist_there_is_nothing_to_pick(session: Session) -> None:
    lists(session, **{"general-purpose": "For anything", "Explore": "Searches files"})
    data = begin(session, INDEX)
    assert (data["agent"], data["why"]) == ("general-purpose", "There is no specialist here.")
    assert "roster" not in data


def test_a_reason_without_an_agent_is_refused_and_a_key_in_it_is_masked(session: Session) -> None:
    lists(session, **AGENTS)
    with pytest.raises(BadInput, match="--why"):
        begin(session, VENDOR, None, "just so")
    key = "ghp_" + "a1B2c3D4" * 5
    begin(session, VENDOR, "licence-counsel", f"it knows {key}")
    assert key not in on_record(session)[1]
