"""The guard is armed for one session in one project; whatever else there is arms nothing and frees nothing."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from guarding import (
    CONCLUSION,
    decision,
    is_asleep,
    logged,
    pauses,
    plain_terminal,
    project_at,
    proposes,
    refusal,
    runs,
    said,
)
from helpers import ROOT, clean_environment
from repositories import Repository
from sessions import Session

from debate.guard import hook
from debate.model import NotAllowed

PAUSE = "debate:pause"
DAY = 24 * 3600


@pytest.fixture
def project(home: Path) -> Path:
    return project_at(home)


@pytest.fixture(params=[True, False], ids=["old", "new"])
def session(request: pytest.FixtureRequest, home: Path, project: Path) -> Session:
    return Session(home, project, old=request.param)


@pytest.fixture
def armed(session: Session) -> Session:
    session.start("Cache the roster?")
    return session


@pytest.fixture
def partners_turn(armed: Session) -> Session:
    armed.passes_start()
    armed.speaks("It is read on every request.")
    return armed


# -- armed, and not ----------------------------------------------------------------------------------------------


def test_a_ticket_alone_blocks_nothing(session: Session) -> None:
    session.types_command("debate:debate", "x")
    assert refusal(session) == "" and decision(session, "rm README.md") == ""
    session.before("Bash", command="debate start")
    assert refusal(session) == "", "called, but not started"


def test_a_debate_arms_its_own_session_and_no_other_in_the_project(armed: Session, home: Path) -> None:
    other = Session(home, armed.project)
    assert "may not change before the user has agreed" in refusal(armed)
    assert refusal(other) == "" and decision(other, "rm README.md") == ""
    with pytest.raises(NotAllowed, match="does not drive"):
        other.host.next(armed.debate)
    assert is_asleep(other)


@pytest.mark.parametrize("start", ["sub", "."])
def test_a_debate_that_began_in_a_subfolder_guards_the_whole_project(
    session: Session, home: Path, start: str
) -> None:
    project = session.project
    session.cwd = project / start
    session.environ["CLAUDE_PROJECT_DIR"] = str(session.cwd)
    session.start("Cache the roster?")
    assert (project / ".debates" / f"{session.debate}.md").exists()
    for folder in (project, project / "sub", home / "elsewhere", Path("/tmp")):
        folder.mkdir(exist_ok=True)
        session.cwd = folder  # as by `cd`
        for file in (project / "README.md", project / "sub/new.md", home / "code/beside.md"):
            assert refusal(session, file)
        assert decision(session, f"echo x > {project}/README.md") == "deny"
        assert decision(session, "git commit -am x") == "ask"


def test_a_debate_in_a_worktree_guards_it_and_the_repository_that_it_belongs_to(
    home: Path, project: Path
) -> None:
    Repository(project)("worktree", "add", "-q", str(home / "code/tree"))
    session = Session(home, home / "code/tree")
    session.start("Cache the roster?")
    assert (home / "code/tree/.debates").is_dir() and not (project / ".debates").exists()
    for file in ("README.md", project / "README.md", project / ".git/hooks/pre-commit"):
        assert refusal(session, file)


def test_what_a_command_changes_in_the_worktree_where_it_runs_is_noticed(armed: Session) -> None:
    tree = armed.project / ".claude/worktrees/tree"
    Repository(armed.project)("worktree", "add", "-q", str(tree))
    armed.cwd = tree  # as by the client's own EnterWorktree
    assert refusal(armed, tree / "README.md") and decision(armed, "echo x > README.md") == "deny"
    answer = runs(armed, "make docs", lambda: (tree / "README.md").write_text("changed\n"))
    assert answer["continue"] is False and ".claude/worktrees/tree/README.md changed" in answer["stopReason"]


# -- two debates, two sessions -----------------------------------------------------------------------------------


def test_a_second_debate_sets_the_first_aside_and_ends_its_grants_and_its_question(armed: Session) -> None:
    first = armed.debate
    armed.answers(*proposes(armed, "README.md"))
    assert refusal(armed, "README.md") == ""
    call, accepting = proposes(armed, "src.app")
    second = armed.start("Shard it?")
    armed.answers(call, accepting)
    assert refusal(armed, "README.md") and refusal(armed, "src.app")
    with pytest.raises(NotAllowed, match="does not drive"):
        armed.host.next(first)
    armed.resume(first)
    assert refusal(armed, "README.md"), "what was granted then is not granted now"
    with pytest.raises(NotAllowed, match="does not drive"):
        armed.host.next(second)


def test_the_session_that_lost_its_debate_is_told_and_stays_armed_until_its_person_has_spoken(
    armed: Session, home: Path
) -> None:
    other = Session(home, armed.project)
    other.resume(armed.debate)
    assert refusal(other)
    with pytest.raises(NotAllowed, match="does not drive"):
        armed.host.next(armed.debate)
    armed.is_notified()
    assert refusal(armed)
    assert "another session has taken the debate over" in said(armed.types("go on"))
    assert refusal(armed) == "" and is_asleep(armed)
    armed.resume(armed.debate)
    assert refusal(armed) and refusal(other), "until the other one's person has spoken"
    assert "another session has taken the debate over" in said(pauses(other))


def test_in_a_session_with_two_debates_the_second_is_driven_there_and_nowhere_else(
    home: Path, project: Path
) -> None:
    """Through the shell entry, which stands between client and guard while a debate is on."""
    session = Through(home, project)
    session.start("Cache the roster?")
    second = session.start("Shard it?")
    with pytest.raises(NotAllowed, match="is being argued in an assistant session"):
        plain_terminal(session).next(second)


def test_a_new_session_in_a_subfolder_is_told_what_is_open(partners_turn: Session, home: Path) -> None:
    partners_turn.hook("SessionEnd", reason="exit")
    for folder in ("sub", "."):
        answer = Through(home, partners_turn.project / folder).hook("SessionStart", source="startup")
        assert partners_turn.debate in str(answer)
    (home / "code/beside/.git").mkdir(parents=True)
    assert Through(home, home / "code/beside").hook("SessionStart", source="startup") is None


class Through(Session):
    """A session whose hooks run as the client runs them."""

    def hook(self, event: str, **payload: Any) -> dict[str, Any] | None:
        env = clean_environment(Path(self.environ["HOME"]), **self.environ)
        base = {"session_id": self.id, "transcript_path": str(self.transcript), "cwd": str(self.cwd)}
        done = subprocess.run(
            ["sh", ROOT / "hooks/entry", event], env=env, input=json.dumps({**base, **payload}).encode(),
            capture_output=True, check=True,
        )  # fmt: skip
        answer: dict[str, Any] | None = json.loads(done.stdout) if done.stdout.strip() else None
        return answer


# -- gone, lapsed, left ------------------------------------------------------------------------------------------


def test_a_session_whose_client_died_gives_its_debate_up_but_is_armed_when_it_is_taken_up_again(
    armed: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotAllowed, match="is being argued in an assistant session"):
        plain_terminal(armed).next(armed.debate)
    client = subprocess.Popen(["true"])
    client.wait()
    monkeypatch.setattr(os, "getppid", lambda: client.pid)
    armed.hook("SessionStart", source="resume")
    assert plain_terminal(armed).next(armed.debate)["requests"]
    assert refusal(armed)


@pytest.mark.parametrize("hours", [23, 25])
@pytest.mark.parametrize("begins", ["start", "prompt"])
def test_a_session_that_lay_still_for_a_day_is_not_armed_any_more_and_says_so(
    armed: Session, monkeypatch: pytest.MonkeyPatch, hours: int, begins: str
) -> None:
    later = time.time() + hours * 3600
    monkeypatch.setattr(hook.time, "time", lambda: later)
    answer = armed.hook("SessionStart", source="resume") if begins == "start" else armed.types("good morning")
    if hours < 24:
        assert "lay still" not in said(answer) and refusal(armed)
        return
    assert "lay still for a day, the guard is off" in said(answer) and armed.debate in said(answer)
    assert refusal(armed) == "" and is_asleep(armed)
    with pytest.raises(NotAllowed, match="does not drive"):
        armed.host.next(armed.debate)
    armed.resume(armed.debate)
    assert refusal(armed)


def test_a_notification_after_a_day_frees_nothing(armed: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    later = time.time() + 2 * DAY
    monkeypatch.setattr(hook.time, "time", lambda: later)
    armed.is_notified()
    assert refusal(armed)


def test_a_cleared_session_is_not_armed_but_an_agent_of_its_debate_stays_under_the_guard(
    partners_turn: Session, home: Path
) -> None:
    """The client lets it work on, under the id of the session that comes after."""
    call, agent = partners_turn.calls_partner()
    partners_turn.old = False  # so that it runs in the background
    partners_turn.launched(call, agent)
    partners_turn.hook("SessionEnd", reason="clear")
    cleared = Session(home, partners_turn.project)
    cleared.hook("SessionStart", source="clear")
    assert refusal(cleared) == "" and decision(cleared, "rm README.md") == ""
    assert refusal(cleared, agent=agent) and decision(cleared, "rm README.md", agent) == "deny"
    assert refusal(cleared, agent="another") == ""
    with pytest.raises(NotAllowed, match="does not drive"):
        cleared.host.next(partners_turn.debate)
    cleared.hook("SessionEnd", reason="clear")
    again = Session(home, partners_turn.project)
    again.hook("SessionStart", source="clear")
    assert refusal(again, agent=agent)
    again.stopped(agent, "No.")
    assert is_asleep(again)
    again.hook("SessionEnd", reason="clear")
    last = Session(home, partners_turn.project)
    last.hook("SessionStart", source="clear")
    assert is_asleep(last)


# -- set aside by the person -------------------------------------------------------------------------------------


def test_paused_the_main_agent_is_free_and_the_debate_set_aside(armed: Session) -> None:
    assert f"{armed.debate} is set aside" in said(pauses(armed))
    assert refusal(armed) == "" and is_asleep(armed)
    with pytest.raises(NotAllowed, match="does not drive"):
        armed.host.next(armed.debate)
    assert plain_terminal(armed).next(armed.debate)["requests"], "it is open, for whoever takes it up"
    armed.resume(armed.debate)
    assert refusal(armed)


@pytest.fixture
def paused(partners_turn: Session) -> tuple[Session, str]:
    """Set aside while its partner works in the background; the partner's id."""
    call, agent = partners_turn.calls_partner()
    partners_turn.old = False
    partners_turn.launched(call, agent)
    pauses(partners_turn)
    return partners_turn, agent


def test_an_agent_that_still_runs_when_the_guard_lifts_stays_under_it_until_it_stops(
    paused: tuple[Session, str],
) -> None:
    session, agent = paused
    assert refusal(session) == "" and decision(session, "rm README.md") == ""
    assert refusal(session, agent=agent) and decision(session, "rm README.md", agent) == "deny"
    assert refusal(session, agent="another") == "", "none of the debate's"
    assert session.before("Agent", agent, prompt="Edit it.")[1]["permissionDecision"] == "deny"
    assert session.before("Agent", prompt="Edit it.")[1] == {}
    assert decision(session, "make docs", agent) == "deny"
    with pytest.raises(NotAllowed, match="does not drive"):
        session.host.next(session.debate)
    session.stopped(agent, "No.")
    assert is_asleep(session)


def test_a_yes_to_a_command_is_remembered_until_the_guard_lifts(paused: tuple[Session, str]) -> None:
    """Although the log is the same one, since an agent of the debate was running all the while."""
    session, agent = paused
    session.resume(session.debate)
    assert decision(session, "make docs") == "ask"
    runs(session, "make docs", lambda: None)
    assert decision(session, "make docs") == ""
    pauses(session)
    assert decision(session, "make docs") == "", "the guard is off"
    session.resume(session.debate)
    assert decision(session, "make docs") == "ask"
    session.stopped(agent, "No.")
    assert refusal(session)


# -- who is a person ---------------------------------------------------------------------------------------------


@pytest.fixture
def ended(partners_turn: Session) -> Session:
    partners_turn.partner_answers("My own position: no.")
    partners_turn.host.conclude(partners_turn.debate, "consensus", CONCLUSION)
    return partners_turn


def test_print_mode_frees_nothing_in_a_terminals_session_not_even_by_a_debate_of_its_own(
    ended: Session,
) -> None:
    ended.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    ended.types("go on")
    ended.types_command("debate:history", "x")
    ended.types_command(PAUSE)
    assert refusal(ended)
    ended.before("Skill", skill="debate:debate", args="another")
    ended.before("Bash", command="debate start")
    second = ended.host.start(None, "dialectic", None, "")["id"]
    assert second != ended.debate
    pauses(ended)
    ended.types("go on")
    assert refusal(ended)
    ended.environ["CLAUDE_CODE_ENTRYPOINT"] = "cli"
    pauses(ended)
    assert refusal(ended) == ""


def test_what_the_model_scheduled_before_the_debate_is_no_person(ended: Session) -> None:
    """It comes due as if it were typed: the same event, in the same terminal."""
    scheduled = {
        "name": "CronCreate",
        "type": "tool_use",
        "input": {"cron": "* * * * *", "prompt": "go on then"},
    }
    line = {"type": "assistant", "message": {"content": [scheduled]}}
    ended.transcript.write_text('{"type": "user"}\nbroken "CronCreate"\n' + json.dumps(line) + "\n")
    tasks = {"tasks": [{"prompt": "/debate:pause"}]}
    (ended.project / ".claude").mkdir()
    (ended.project / ".claude/scheduled_tasks.json").write_text(json.dumps(tasks))
    ended.types("go on then")
    ended.types_command(PAUSE)
    assert refusal(ended) and not logged(ended, "lifted")
    assert "the guard is off" in said(ended.types("go on"))


def test_the_model_cannot_pause(armed: Session) -> None:
    for skill in ("debate:pause", "pause"):
        _, decided = armed.before("Skill", skill=skill)
        assert (
            decided["permissionDecision"] == "deny" and "/debate:pause" in decided["permissionDecisionReason"]
        )
    assert refusal(armed)
