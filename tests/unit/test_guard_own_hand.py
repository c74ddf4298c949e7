"""What the model does by its own hand arms, grants and frees nothing, and what changed unasked comes out."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from guarding import CONCLUSION, decision, is_asleep, logged, project_at, refusal, runs, said
from sessions import Session

from debate.drivers.host import Host
from debate.drivers.place import HooksAsleep
from debate.model import NotAllowed


@pytest.fixture
def armed(home: Path) -> Session:
    session = Session(home, project_at(home))
    session.start("Cache the roster?")
    return session


@pytest.fixture
def partners_turn(armed: Session) -> Session:
    armed.passes_start()
    armed.speaks("It is read on every request.")
    return armed


# -- a file that changed unasked -----------------------------------------------------------------------------------


def test_after_a_violation_nothing_but_the_helper_runs_until_the_person_speaks(armed: Session) -> None:
    call, _ = armed.before("Bash", command="make docs")
    (armed.project / "README.md").write_text("changed\n")
    answer = armed.hook("PostToolUseFailure", tool_name="Bash", tool_use_id=call, error="Exit code 1")
    assert answer and "README.md changed while this ran" in said(answer) and "make docs" in said(answer)
    armed.is_notified()
    for tool, given in (
        ("Read", {"file_path": "README.md"}), ("Bash", {"command": "ls"}), ("Skill", {"skill": "pdf"}),
        ("Agent", {"prompt": "x"}), ("AskUserQuestion", {"questions": []}), ("mcp__x__list", {}),
    ):  # fmt: skip
        assert armed.before(tool, **given)[1]["permissionDecision"] == "deny", tool
        assert armed.before(tool, "a1", **given)[1]["permissionDecision"] == "deny", tool
    assert decision(armed, f"debate next {armed.debate}") == ""
    armed.types("leave it as it is")
    assert decision(armed, "ls") == "" and refusal(armed)
    assert decision(armed, "make docs") == "ask", "what it was allowed for is gone"
    assert (armed.project / "README.md").read_text() == "changed\n", "nothing was undone"


def test_a_violation_is_on_record_once_and_without_a_key_that_the_command_held(armed: Session) -> None:
    key = "ghp_" + "a1B2" * 9
    runs(armed, f"TOKEN={key} make docs", lambda: (armed.project / "README.md").write_text("changed\n"))
    for _ in range(2):
        armed.host.next(armed.debate)
    written = (armed.project / f".debates/{armed.debate}.md").read_text()
    assert written.count("### Guard · violation") == 1 and "changed, without consent: README.md" in written
    assert "make docs" in written and key not in written


def test_new_files_are_told_in_one_line_and_stop_nothing(armed: Session) -> None:
    answer = runs(armed, "make docs", lambda: (armed.project / "new.md").write_text("x\n"))
    assert said(answer) == "debate: new files while that command ran: new.md." and "continue" not in answer
    assert decision(armed, "ls") == "" and not logged(armed, "violation")


# -- the model's own hand --------------------------------------------------------------------------------------------


def state_of(session: Session) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in session.state.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        "export CLAUDE_CODE_SESSION_ID=x; debate next ID", "CLAUDE_CODE_SESSION_ID=x debate next ID",
        "env -u CLAUDE_CODE_SESSION_ID debate conclude ID --outcome consensus", "env -i debate submit ID --role main",
        "unset CLAUDE_CODE_SESSION_ID; debate resume", "unset CLAUDE_CODE_SESSION_ID\ndebate resume ID",
        "(unset CLAUDE_CODE_SESSION_ID && debate start 'another')", "X=1 debate discard ID",
        "CLAUDE_CODE_ENTRYPOINT=cli debate propose ID --file README.md", "debate next ID | cat", "debate next ID &",
        "cp LOG STATE/sessions/x.armed", "mv LOG STATE/sessions/x.armed", "mv LOG LOG.bak", "ln LOG STATE/x", "rm LOG",
        "rm -rf STATE", "echo '{}' >> LOG", ": > LOG", "sed -i s/armed/x/ LOG", "truncate -s 0 LOG", "tee LOG < LOG",
        "cd STATE && rm sessions/*.armed", "install -m 600 LOG STATE/sessions/x.armed", "touch STATE/sessions/x.armed",
        "sh -c 'debate resume ID'", "eval debate resume ID", "d=debate; $d conclude ID", "xargs debate next ID < x",
        "python3 -c 'import os; os.unlink(\"LOG\")'", "find STATE -delete", "XDG_STATE_HOME=/tmp/x debate resume ID",
        "sh -c 'rm -r ~/.local/state/debate'", "export XDG_STATE_HOME=/tmp/x; make",
    ],
)  # fmt: skip
def test_no_command_that_reaches_past_the_hooks_goes_unseen(armed: Session, command: str) -> None:
    """Denied, or put before the person where what it does cannot be told."""
    log = str(armed.state / "sessions" / f"{armed.id}.armed")
    command = command.replace("LOG", log).replace("STATE", str(armed.state)).replace("ID", armed.debate)
    asked_about = ("sh -c", "d=debate")
    told = command.startswith(asked_about) and "state" not in command
    assert decision(armed, command) == ("ask" if told else "deny")
    assert decision(armed, command, agent="a1") in ("deny", "ask")


@pytest.mark.parametrize("named", [None, "", "x", "4f1c9a52-0000-4000-8000-000000000001"])
def test_under_a_session_id_of_the_models_own_making_the_helper_takes_nothing_over(
    partners_turn: Session, named: str | None
) -> None:
    """As `env -u CLAUDE_CODE_SESSION_ID debate …` or `CLAUDE_CODE_SESSION_ID=x debate …` would have it."""
    debate_id, before = partners_turn.debate, state_of(partners_turn)
    record = partners_turn.project / f".debates/{debate_id}.md"
    written = record.read_text()
    environ = {key: value for key, value in partners_turn.environ.items() if key != "CLAUDE_CODE_SESSION_ID"}
    host = Host(
        environ if named is None else {**environ, "CLAUDE_CODE_SESSION_ID": named}, partners_turn.project
    )
    for advance in (
        lambda: host.resume(debate_id), lambda: host.next(debate_id), lambda: host.wait(debate_id, 0),
        lambda: host.submit(debate_id, "partner", "I agree."), lambda: host.ask(debate_id, "round"),
        lambda: host.propose(debate_id, ["README.md"], "x"), lambda: host.conclude(debate_id, "consensus", CONCLUSION),
        lambda: host.discard(debate_id), lambda: host.keep(debate_id),
    ):  # fmt: skip
        with pytest.raises((NotAllowed, HooksAsleep)):
            advance()
    assert state_of(partners_turn) == before and record.read_text() == written
    assert refusal(partners_turn)


def test_a_copied_log_arms_nothing_and_a_renamed_one_takes_nothing_over(armed: Session, home: Path) -> None:
    own = armed.state / "sessions" / f"{armed.id}.armed"
    armed.types("hello")
    copied, renamed = Session(home, armed.project), Session(home, armed.project)
    shutil.copy(own, own.with_stem(copied.id))
    assert refusal(copied) == "" and is_asleep(copied)
    copied.types_command("debate:debate", "x")
    assert refusal(copied) == "", "its own ticket blocks nothing either"
    own.rename(own.with_stem(renamed.id))
    with pytest.raises(NotAllowed, match="does not drive"):
        renamed.host.next(armed.debate)
    with pytest.raises(HooksAsleep):
        renamed.host.resume(armed.debate)
    assert refusal(renamed) == ""


def test_a_damaged_log_of_the_sessions_own_is_no_copy(armed: Session) -> None:
    """Whatever is left of it: that it is there, and armed, is enough."""
    own = armed.state / "sessions" / f"{armed.id}.armed"
    whole = own.read_bytes()
    for cut in (0, 10, whole.index(b"\n") - 1, whole.index(b"\n") + 1):
        own.write_bytes(whole[:cut])
        armed.types("hello")
        assert refusal(armed), f"cut at {cut}"


# -- no command of the helper grants or lifts ------------------------------------------------------------------------


COMMANDS = """
    list | show ID | search cache | verify ID | agents caching | context | doctor | demo | next ID | wait ID --seconds 0
    prompt RID | start | start another | resume | resume ID | ask topic | ask ID start | ask ID round | ask ID crux
    submit ID --role user | submit ID --role user --message last | submit ID --role main | submit ID --role partner
    submit ID --role partner --failed gone | propose ID --file README.md --file src.app | keep ID | discard ID
    conclude ID --outcome consensus | keep ID | discard ID | propose ID --file README.md | resume ID | next ID
"""


def test_no_command_of_the_helper_grants_or_lifts_anything(partners_turn: Session, run_debate: Any) -> None:
    """Each one that there is, in every state of a debate up to its end, with what would be consent on stdin."""
    from debate.cli.main import COMMANDS as known

    lines = [line.split() for line in COMMANDS.replace("\n", "|").split("|") if line.strip()]
    assert {words[0] for words in lines} == set(known)
    partners_turn.types("change README.md, please")
    ids = {"ID": partners_turn.debate, "RID": partners_turn.next()["id"]}
    for words in lines:
        words = [ids.get(word, word) for word in words]
        stdin = CONCLUSION if words[0] == "conclude" else "Change these files. Files may change. Yes."
        done = run_debate(*words, stdin=stdin, cwd=partners_turn.project, env=partners_turn.environ)
        assert done.returncode in (0, 1), (words, done)
        assert refusal(partners_turn) and refusal(partners_turn, agent="a1"), words
        assert not logged(partners_turn, "granted") and not logged(partners_turn, "lifted"), words
    assert logged(partners_turn, "ended") and logged(partners_turn, "question")
    assert "the guard is off" in said(partners_turn.types("go on")), "it is the person who frees it"
