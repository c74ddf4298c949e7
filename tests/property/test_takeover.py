"""What the hooks saw is filed once and in order, whatever the client's order of events and whatever dies in between."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from helpers import ROOT
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sessions import Session

from debate.drivers.host import Host
from debate.formats import replay
from debate.guard.log import every_log
from debate.model import Debate, NotAllowed, Unknown
from debate.record import files, verify

TOPIC = "Cache the roster?"
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)  # on disk it takes longer than it is worth
CONCLUSION = "## Agreed\n- measure\n\n## Insights\n- it is read on every request\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture(params=[True, False], ids=["old", "new"])
def session(request: pytest.FixtureRequest, home: Path, project: Path) -> Session:
    return Session(home, project, old=request.param)


def record_of(session: Session, debate_id: str = "") -> Path:
    return session.project / ".debates" / f"{debate_id or session.debate}.md"


def read(session: Session, debate_id: str = "") -> Debate:
    return files.read(record_of(session, debate_id)).debate


def said(session: Session, debate_id: str = "") -> list[tuple[str, str]]:
    return [(turn.kind, turn.content) for turn in read(session, debate_id).turns]


def must_be_sound(session: Session, debate_id: str = "") -> None:
    record = files.read(record_of(session, debate_id))
    assert verify.problems(record)[0] == [] and replay(record.debate)[1] == []


def ready_for_partner(session: Session, topic: str = TOPIC) -> str:
    debate_id = session.start(topic)
    session.passes_start()
    session.speaks(f"view on {topic}")
    return debate_id


# -- dying -----------------------------------------------------------------------------------------------------


class Died(BaseException):
    """Nobody catches this: the process is gone."""


def _raise() -> None:
    raise Died


@contextmanager
def dying_at(operation: int, die: Callable[[], None] = _raise) -> Iterator[Callable[[], int]]:
    """Die just before so many operations on files; yields how many there were so far."""
    done = 0

    def counted(real: Callable[..., Any], *given: Any, **named: Any) -> Any:
        nonlocal done
        done += 1
        if done == operation:
            die()
        return real(*given, **named)

    names = ("open", "write", "fsync", "ftruncate", "rename", "replace", "unlink", "mkdir")
    patches = [mock.patch(f"os.{name}", partial(counted, getattr(os, name))) for name in names]
    for patch in patches:
        patch.start()
    try:
        yield lambda: done
    finally:
        for patch in patches:
            patch.stop()


def advance(session: Session, data: st.DataObject) -> None:
    """Some command that takes over, which may die anywhere in it."""
    command = data.draw(st.sampled_from(["next", "wait"]), label="command")
    operation = data.draw(st.integers(0, 30), label="dies at")
    with dying_at(operation):
        try:
            if command == "next":
                session.host.next(session.debate)
            else:
                session.host.wait(session.debate, seconds=0)
        except Died:
            pass


# -- any order ---------------------------------------------------------------------------------------------------


def noise(session: Session, data: st.DataObject) -> None:
    """What happens beside the debate."""
    match data.draw(st.sampled_from(["nothing", "agent", "notification", "compaction", "call", "command"])):
        case "agent":
            session.stopped("somebody-elses", "What the main agent asked on its own.", kind="Explore")
        case "notification":
            session.is_notified()
        case "compaction":
            session.stopped("compaction", "A summary.", kind="")
        case "call":
            call, _ = session.before(
                "Agent", prompt="Find the cache.", subagent_type="Explore", description="x"
            )
            session.launched(call, "somebody-elses")
        case "command":
            advance(session, data)


def ask_partner(session: Session, data: st.DataObject, words: str) -> tuple[str, str]:
    """One call to the partner and what becomes of it; the turn that should be on record."""
    tool = session.next()["call"]["tool"]
    call, agent = session.calls_partner()
    ends = ["answer", "answer", "nothing", "fails", "time is up"] + (
        ["Esc"] if session.old and tool == "Agent" else []
    )
    end = data.draw(st.sampled_from(ends), label="end")
    noise(session, data)
    if end == "fails":
        session.failed(call, "Agent type 'x' not found.")
        return "failure", "Agent type 'x' not found."
    if end == "time is up":
        if not session.old:
            session.launched(call, agent, continued=tool == "SendMessage")
        session.environ["DEBATE_SPEAK_SECONDS"] = "-1"
        session.host.next(session.debate)
        del session.environ["DEBATE_SPEAK_SECONDS"]
        session.stopped(agent, "too late")
        return "failure", "no answer within -1 s"
    if end == "Esc":
        session.types("stop that")
        advance(session, data)
        return ask_partner(session, data, words)
    words = words if end == "answer" else " \n"
    stopped = partial(session.stopped, agent, words)
    launched = partial(session.launched, call, agent, continued=tool == "SendMessage")
    order = [stopped, launched] if session.old and tool == "Agent" else [launched, stopped]
    for event in order:
        event()
        noise(session, data)
    return ("challenge", words) if end == "answer" else ("failure", "the agent answered nothing")


@settings(deadline=None, max_examples=40, phases=NO_SHRINKING)
@given(st.data())
def test_whatever_comes_in_whatever_order_stands_on_record_once_and_in_order(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        session = Session(home, project, old=data.draw(st.booleans(), label="old"))
        session.start(TOPIC)
        noise(session, data)
        session.passes_start()
        noise(session, data)
        expected = [("passed", said_when_dismissed(session))]
        for number in range(1, data.draw(st.integers(1, 3), label="rounds") + 1):
            session.speaks(f"view {number}")
            expected.append(("view", f"view {number}"))
            while expected[-1][0] != "challenge":
                noise(session, data)
                expected.append(ask_partner(session, data, f"challenge {len(expected)}"))
                if expected[-1][0] == "failure" and len(expected) > 12:
                    return  # everybody failed: no more to see
            noise(session, data)
        session.host.next(session.debate)
        assert said(session) == expected
        must_be_sound(session)


def said_when_dismissed(session: Session) -> str:
    session.host.next(session.debate)
    ((_, words),) = said(session)
    return words


# -- dying at every point ------------------------------------------------------------------------------------------


def test_a_takeover_that_dies_at_any_operation_is_finished_by_the_next(
    session: Session, tmp_path: Path
) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    user_takes_a_side(session)
    session.launched(call, agent)
    session.stopped(agent, "My own position: no. " * 50)
    before = tmp_path / "before"
    folders = [session.project, session.state]
    for folder in folders:
        shutil.copytree(folder, before / folder.name)

    for operation in count(1):
        died = in_a_child(lambda: session.host.next(session.debate), operation)
        kinds = [kind for kind, _ in said(session)]
        assert kinds in (FILED[:2], FILED[:3], FILED), f"died before operation {operation}"
        session.host.next(session.debate)
        assert [kind for kind, _ in said(session)] == FILED, f"died before operation {operation}"
        must_be_sound(session)
        if not died:
            break
        for folder in folders:
            shutil.rmtree(folder)
            shutil.copytree(before / folder.name, folder)
    assert operation > 10


FILED = ["passed", "view", "answer", "challenge"]


def in_a_child(command: Callable[[], object], operation: int) -> bool:
    """Whether a process that runs the command died just before that operation."""
    child = os.fork()
    if not child:
        with dying_at(operation, die=lambda: os._exit(77)):
            command()
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 77), status
    return status == 77


def test_a_conclusion_whose_command_died_is_known_to_the_session_by_the_next(
    session: Session, tmp_path: Path
) -> None:
    ready_for_partner(session)
    session.partner_answers("No.")
    before = tmp_path / "before"
    folders = [session.project, session.state]
    session.host.next(session.debate)
    for folder in folders:
        shutil.copytree(folder, before / folder.name)
    for operation in count(1):
        died = in_a_child(lambda: session.host.conclude(session.debate, "consensus", CONCLUSION), operation)
        if not session.host.next(session.debate)["requests"]:
            assert said(session)[-1][0] == "conclusion"
            session.types("thanks")
            assert not (session.state / "sessions" / f"{session.id}.armed").exists(), "the guard is off"
        else:
            assert said(session)[-1][0] == "challenge" and died
        if not died:
            break
        for folder in folders:
            shutil.rmtree(folder)
            shutil.copytree(before / folder.name, folder)


TAKE_OVER = """
import json, sys
from pathlib import Path
from debate.drivers.host import Host
environ, project, debate = json.loads(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
Host(environ, project).next(debate)
"""


def test_processes_that_take_over_at_once_file_an_answer_once(session: Session) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    session.launched(call, agent)
    session.stopped(agent, "No.")
    command = [sys.executable, "-c", TAKE_OVER, json.dumps(session.environ), session.project, session.debate]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for process in [subprocess.Popen(command, env=env) for _ in range(4)]:
        assert process.wait(60) == 0
    assert [kind for kind, _ in said(session)] == ["passed", "view", "challenge"]
    must_be_sound(session)


# -- several sessions, several debates -------------------------------------------------------------------------------


def test_what_a_dead_session_left_is_filed_by_the_one_that_takes_up_the_debate(
    session: Session, home: Path, project: Path
) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    session.launched(call, agent)
    session.stopped(agent, "My last words.")
    second = Session(home, project, old=not session.old)
    second.resume(session.debate)
    assert said(second)[-1] == ("challenge", "My last words.")
    second.speaks("view 2")
    given = second.next()["call"]
    assert given["tool"] == "Agent", "an agent does not outlive its session"
    second.partner_answers("I take over.")
    second.host.next(second.debate)
    assert [kind for kind, _ in said(second)][-3:] == ["challenge", "view", "challenge"]
    must_be_sound(second)


def test_what_is_said_in_a_session_that_lost_the_debate_is_told_and_not_filed(
    session: Session, home: Path, project: Path
) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    session.launched(call, agent)
    second = Session(home, project)
    second.resume(session.debate)
    session.stopped(agent, "Too late.")
    waited = second.host.wait(second.debate, seconds=0)
    assert "too late" in waited["late"][0] and [kind for kind, _ in said(second)] == ["passed", "view"]
    assert second.host.wait(second.debate, seconds=0)["late"] == [], "told once"
    with pytest.raises(NotAllowed, match="does not drive"):
        session.host.next(session.debate)


def test_what_a_given_up_agent_still_says_is_told_once_and_not_filed(session: Session) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    session.launched(call, agent)
    session.environ["DEBATE_SPEAK_SECONDS"] = "-1"
    session.host.next(session.debate)
    del session.environ["DEBATE_SPEAK_SECONDS"]
    session.stopped(agent, "Here I am.")
    assert "too late" in session.host.wait(session.debate, seconds=0)["late"][0]
    assert session.host.wait(session.debate, seconds=0)["late"] == []
    assert [kind for kind, _ in said(session)] == ["passed", "view", "failure"]
    session.partner_answers("I stand in.")
    session.host.next(session.debate)
    assert said(session)[-1] == ("challenge", "I stand in.")


def test_an_agent_whose_client_ended_is_asked_again_when_the_session_is_resumed(session: Session) -> None:
    ready_for_partner(session)
    session.launched(*session.calls_partner())
    assert session.next()["speaking"]
    session.hook("SessionEnd", reason="prompt_input_exit")
    session.hook("SessionStart", source="resume")
    assert session.next()["call"]["tool"] == "Agent"
    session.partner_answers("Once more, then.")
    session.host.next(session.debate)
    assert said(session)[-1] == ("challenge", "Once more, then.")


def test_answers_are_filed_in_order_though_the_clock_was_set_back(session: Session) -> None:
    ready_for_partner(session)
    call, agent = session.calls_partner()
    user_takes_a_side(session)
    with mock.patch("debate.guard.log.time.time", lambda: 1_000_000_000.0):
        session.stopped(agent, "No.")
        session.launched(call, agent)
    session.host.next(session.debate)
    assert [kind for kind, _ in said(session)] == ["passed", "view", "answer", "challenge"]


def user_takes_a_side(session: Session) -> None:
    """Asked while the partner speaks, the user answers."""
    asked = session.host.ask(session.debate, "crux", "how often it changes")["questions"]
    session.answers(session.asks(asked), {asked[0]["question"]: asked[0]["options"][0]["label"]})


@settings(deadline=None, max_examples=20, phases=NO_SHRINKING)
@given(st.data())
def test_with_two_debates_in_one_session_every_answer_reaches_its_own_record(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (project / ".git").mkdir(parents=True)
        session = Session(home, project, old=data.draw(st.booleans(), label="old"))
        ids, agents = [], []
        for topic in ("one", "two"):
            ids.append(ready_for_partner(session, topic))
            call, agent = session.calls_partner()
            session.launched(call, agent)  # in the background: else nobody could start the second meanwhile
            agents.append((agent, f"on {topic}"))
        for agent, words in data.draw(st.permutations(agents)):
            session.stopped(agent, words)
            if data.draw(st.booleans()):
                advance(session, data)
        session.host.next(ids[1])
        assert said(session, ids[1])[-1] == ("challenge", "on two")
        with pytest.raises(NotAllowed):
            session.host.next(ids[0])
        session.resume(ids[0])
        assert said(session, ids[0])[-1] == ("challenge", "on one")
        for debate_id in ids:
            assert [kind for kind, _ in said(session, debate_id)] == ["passed", "view", "challenge"]
            must_be_sound(session, debate_id)


# -- after the end -----------------------------------------------------------------------------------------------


def closed(session: Session, record: int, files_may_change: int) -> None:
    """The debate ends, and the person answers the closing question by these options."""
    ready_for_partner(session)
    session.partner_answers("No.")
    questions = session.host.conclude(session.debate, "consensus", CONCLUSION)["questions"]
    options = zip(questions, (record, files_may_change), strict=True)
    answers = {question["question"]: question["options"][place]["label"] for question, place in options}
    session.answers(session.asks(questions), answers)


def test_an_answer_in_a_log_moved_aside_is_still_filed_and_the_log_goes(
    session: Session, home: Path, project: Path
) -> None:
    closed(session, record=0, files_may_change=0)
    assert said(session)[-1][0] == "conclusion" and not list((session.state / "sessions").iterdir())
    first = session.debate
    other = Session(home, project)
    other.start("something else")
    assert said(session, first)[-1][0] == "kept"
    assert [log.session for log in every_log(str(session.state))] == [other.id]
    must_be_sound(session, first)


def test_a_record_goes_by_the_persons_captured_answer_whoever_carries_it_out(
    session: Session, home: Path, project: Path
) -> None:
    closed(session, record=1, files_may_change=0)
    path = record_of(session)
    text = path.read_bytes()
    terminal = Host({"HOME": str(home), "LANG": "C.UTF-8"}, project)
    terminal.discard(session.debate)
    (kept,) = (session.state / "trash").iterdir()
    assert not path.exists() and kept.read_bytes() == text
    with pytest.raises(Unknown):
        terminal.discard(session.debate)


def test_nobody_else_discards_it(session: Session) -> None:
    closed(session, record=0, files_may_change=1)
    with pytest.raises(NotAllowed, match="the person has not said"):
        session.host.discard(session.debate)
    session.host.keep(session.debate)
    assert said(session)[-1][0] == "kept"
    session.host.keep(session.debate)
    assert [kind for kind, _ in said(session)].count("kept") == 1
