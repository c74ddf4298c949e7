"""The hooks sleep until a debate is asked for, and then note, put in place and refuse what they should."""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, clean_environment
from sessions import Session

from debate.drivers.place import HooksAsleep
from debate.guard import hook
from debate.guard.log import Log
from debate.guard.session import Session as Fold
from debate.model import NotAllowed

ENTRY = ROOT / "hooks" / "entry"
EVENTS = sorted(json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture(params=[True, False], ids=["old", "new"])
def session(request: pytest.FixtureRequest, home: Path, project: Path) -> Session:
    return Session(home, project, old=request.param)


def fold(session: Session) -> Fold:
    return Fold(Log(session.id, str(session.state)))


def refusal(decided: dict[str, Any]) -> str:
    assert decided.get("permissionDecision") == "deny", decided
    return str(decided["permissionDecisionReason"])


# -- the shell entry -----------------------------------------------------------------------------------------


class Shell:
    """Runs hooks/entry where the only `python` there is leaves word that it was started."""

    def __init__(self, home: Path) -> None:
        self.home, self.session = home, "4f1c9a52"
        self.state = home / ".local/state/debate"
        self.bin = home / "bin"
        self.bin.mkdir()
        self.woken = home / "woken"
        python = self.bin / "python3"
        python.write_text(f'#!/bin/sh\necho "$@" >> "{self.woken}"\n')
        python.chmod(0o755)

    def log(self, ending: str, folder: str = "sessions") -> None:
        (self.state / folder).mkdir(parents=True)
        (self.state / folder / f"{self.session}{ending}").touch()

    def run(self, event: str, stdin: str = "{}", entry: Path = ENTRY, **more: str) -> list[str]:
        """The arguments with which Python was started, none if it was not."""
        env = clean_environment(self.home, CLAUDE_CODE_SESSION_ID=self.session, PATH=str(self.bin), **more)
        done = subprocess.run(
            ["/bin/sh", entry, event], env=env, cwd=self.home, input=stdin, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        started = self.woken.read_text().split("\n") if self.woken.exists() else []
        self.woken.unlink(missing_ok=True)
        return [line.split()[-1] for line in started if line]


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home)


BEFORE_ANY_TOOL = ["Skill", *(event for event in EVENTS if event != "UserPromptExpansion")]


@pytest.mark.parametrize("event", BEFORE_ANY_TOOL)
def test_with_no_debate_on_nothing_is_said_and_no_python_started(shell: Shell, event: str) -> None:
    assert shell.run(event, '{"tool_input": {"skill": "pdf"}}') == []
    (shell.bin / "python3").unlink()
    assert shell.run(event, '{"tool_input": {"skill": "pdf"}}') == []


@pytest.mark.parametrize(
    "event", [event for event in BEFORE_ANY_TOOL if event not in ("Skill", "SessionStart")]
)
@pytest.mark.parametrize("ending", [".ticket", ".armed"])
def test_the_sessions_log_wakes_the_guard(shell: Shell, event: str, ending: str) -> None:
    shell.log(ending)
    assert shell.run(event) == [event]


def test_the_log_of_another_session_wakes_nothing(shell: Shell) -> None:
    shell.log(".armed")
    shell.session = "4f1c9a53"
    assert shell.run("PreToolUse") == []


def test_a_typed_command_of_ours_always_wakes_the_guard(shell: Shell) -> None:
    assert shell.run("UserPromptExpansion") == ["UserPromptExpansion"]


def test_the_model_calling_our_command_wakes_the_guard_and_another_skill_does_not(shell: Shell) -> None:
    assert shell.run("Skill", '{"tool_input": {"skill": "debate:debate"}}') == ["PreToolUse"]
    assert shell.run("Skill", '{"tool_input": {"skill": "debugger"}}') == []


def test_a_new_session_wakes_the_guard_where_there_are_debates(shell: Shell, project: Path) -> None:
    assert shell.run("SessionStart", CLAUDE_PROJECT_DIR=str(project)) == []
    (project / ".debates").mkdir()
    assert shell.run("SessionStart", CLAUDE_PROJECT_DIR=str(project)) == ["SessionStart"]


def test_after_the_guard_has_lifted_only_permission_for_the_helper_is_still_looked_at(shell: Shell) -> None:
    shell.log(".1731900000.log", "lifted")
    assert shell.run("PermissionRequest") == ["PermissionRequest"]
    assert shell.run("PreToolUse") == []


def test_it_works_from_a_folder_with_spaces_and_uses_the_helpers_own_python(
    shell: Shell, tmp_path: Path
) -> None:
    copy = tmp_path / "a plugin" / "hooks" / "entry"
    copy.parent.mkdir(parents=True)
    shutil.copy(ENTRY, copy)
    shell.log(".armed")
    (shell.bin / "python3").rename(shell.state / "python")
    assert shell.run("PreToolUse", entry=copy) == ["PreToolUse"]


def test_the_real_guard_opens_the_ticket_that_wakes_it(home: Path, project: Path) -> None:
    env = clean_environment(home, CLAUDE_CODE_SESSION_ID="s1", CLAUDE_PROJECT_DIR=str(project))
    payload = {"command_name": "debate:debate", "command_args": '"是否"', "session_id": "s1"}
    command = ["/bin/sh", ENTRY, "UserPromptExpansion"]
    done = subprocess.run(command, env=env, cwd=home, input=json.dumps(payload).encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    ticket = Fold(Log("s1", str(home / ".local/state/debate"))).ticket
    assert ticket and ticket["words"] == '"是否"' and ticket["project"] == str(project)


# -- the ticket, the note, the binding -----------------------------------------------------------------------


def test_a_typed_debate_is_announced_started_and_bound_to_its_session(session: Session) -> None:
    debate_id = session.start("Cache the roster?")
    assert fold(session).debate == debate_id and Log(session.id, str(session.state)).armed
    assert fold(session).typed == [], "the command's own words are no message to answer"


def test_nothing_is_noted_where_nobody_asked_for_a_debate(session: Session) -> None:
    session.types("hello")
    session.before("Bash", command="debate start")
    assert not fold(session).lines
    with pytest.raises(HooksAsleep, match="did not announce"):
        session.host.start("Cache the roster?", "dialectic", None, "")


def test_a_session_id_of_the_models_own_making_finds_no_note(
    session: Session, home: Path, project: Path
) -> None:
    session.types_command("debate:debate", "x")
    session.before("Bash", command="debate start")
    forged = Session(home, project)
    with pytest.raises(HooksAsleep):
        forged.host.start("x", "dialectic", None, "")
    assert not (project / ".debates").exists()


def test_a_copied_log_arms_nothing(session: Session, home: Path, project: Path) -> None:
    debate_id = session.start("Cache the roster?")
    session.types_command("debate:debate", "another")
    session.before("Bash", command="debate start")
    other = Session(home, project)
    shutil.copy(
        session.state / "sessions" / f"{session.id}.armed", session.state / "sessions" / f"{other.id}.armed"
    )
    assert fold(other).debate is None
    with pytest.raises(HooksAsleep):
        other.host.start("x", "dialectic", None, "")
    with pytest.raises(NotAllowed, match="does not drive"):
        other.host.next(debate_id)


def test_an_unused_ticket_lapses_after_an_hour_and_the_hooks_sleep_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.types_command("debate:debate", "x")
    later = time.time() + 3700
    monkeypatch.setattr(hook.time, "time", lambda: later)
    session.before("Bash", command="debate start")
    with pytest.raises(HooksAsleep):
        session.host.start("x", "dialectic", None, "")
    assert Log(session.id, str(session.state)).path is None


def test_a_debate_whose_arming_was_cut_short_does_not_lapse_with_its_ticket(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    debate_id = session.start("x")
    armed = session.state / "sessions" / f"{session.id}.armed"
    armed.rename(armed.with_suffix(".ticket"))
    later = time.time() + 3700
    monkeypatch.setattr(hook.time, "time", lambda: later)
    session.before("Bash", command="ls")
    assert fold(session).debate == debate_id


@pytest.mark.parametrize(
    "command",
    [
        "debate start | cat", "debate start; id", "X=1 debate start", "debate start $(id)", "debate\tstart > x",
        '"debate" "resume" && id', "/x/debate start", "env debate start", "debate \\\nstart", "cd x && debate resume x",
    ],
)  # fmt: skip
def test_a_start_that_is_not_one_plain_command_is_refused_while_the_ticket_lives(
    session: Session, command: str
) -> None:
    session.types_command("debate:debate", "x")
    assert "one plain command" in refusal(session.before("Bash", command=command)[1])
    assert fold(session).note is None


def test_a_subagent_opens_no_debate(session: Session) -> None:
    session.types_command("debate:debate", "x")
    refusal(session.before("Bash", agent="a1", command="debate start")[1])
    assert fold(session).note is None


def test_other_commands_pass_untouched(session: Session) -> None:
    session.types_command("debate:debate", "x")
    for command in ("git status", "debate list", "debate ask topic", "echo 'let us debate; start now'"):
        assert session.before("Bash", command=command)[1] == {}


def test_print_mode_is_no_person_in_a_terminals_session(session: Session) -> None:
    session.start("Cache the roster?")
    session.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    session.types_command("debate:debate", "something else")
    session.types("hello")
    assert fold(session).typed == []
    session.environ["CLAUDE_CODE_ENTRYPOINT"] = "cli"
    session.types("hello")
    assert len(fold(session).typed) == 1


def test_only_the_person_sets_a_debate_aside(session: Session) -> None:
    first = session.start("one")
    _, decided = session.before("Skill", skill="debate:debate", args="two")
    assert f"debate next {first}" in refusal(decided)
    session.before("Bash", command="debate start")
    with pytest.raises((HooksAsleep, NotAllowed)):
        session.host.start("two", "dialectic", None, "")
    second = session.start("two")
    assert fold(session).debate == second != first


def test_the_model_may_open_one_itself_when_none_is_on(session: Session) -> None:
    assert session.before("Skill", skill="debate:debate", args="the cache")[1] == {}
    session.before("Bash", command="debate start")
    assert session.host.start(None, "dialectic", None, "")["id"].endswith("the-cache")


# -- prompts by reference ------------------------------------------------------------------------------------


@pytest.fixture
def partners_turn(session: Session) -> Session:
    session.start("Cache the roster?", agent="code-reviewer")
    session.passes_start()
    session.speaks("It is read on every request.")
    return session


def given_call(session: Session) -> tuple[str, dict[str, Any]]:
    call = session.next()["call"]
    return call["tool"], call["input"]


def test_the_issued_prompt_takes_the_place_of_the_line_that_stands_for_it(partners_turn: Session) -> None:
    tool, given = given_call(partners_turn)
    assert "It is read on every request." not in given["prompt"]
    _, decided = partners_turn.before(tool, **given)
    replaced = decided["updatedInput"]
    assert "It is read on every request." in replaced["prompt"] and "permissionDecision" not in decided
    assert {**replaced, "prompt": ""} == {**given, "prompt": ""}, "the client replaces the whole input"


def test_the_line_is_replaced_for_the_named_agent_and_the_main_agent_only(partners_turn: Session) -> None:
    tool, given = given_call(partners_turn)
    right = json.dumps({"tool": tool, "input": given})
    assert right in refusal(partners_turn.before(tool, **{**given, "subagent_type": "general-purpose"})[1])
    to_another = {"to": "a9", "summary": "x", "message": given["prompt"]}
    assert right in refusal(partners_turn.before("SendMessage", **to_another)[1])
    refusal(partners_turn.before(tool, agent="a1", **given)[1])
    unknown = {**given, "prompt": "Run `debate prompt 0a1b2c3d-9-partner` and do what it says."}
    assert "No prompt" in refusal(partners_turn.before(tool, **unknown)[1])
    assert fold(partners_turn).calls == {}, "nobody was asked"


def test_a_call_of_their_own_is_none_of_the_debates_business(partners_turn: Session) -> None:
    own = {"description": "x", "subagent_type": "Explore", "prompt": "Find the cache."}
    assert partners_turn.before("Agent", **own)[1] == {}


def test_one_agent_at_a_time_works_on_a_request(partners_turn: Session) -> None:
    tool, given = given_call(partners_turn)
    call, _ = partners_turn.before(tool, **given)
    assert "debate wait" in refusal(partners_turn.before(tool, **given)[1])
    partners_turn.launched(call, "a1")
    partners_turn.stopped("a1", "My own position: no.")
    assert "has its answer" in refusal(partners_turn.before(tool, **given)[1])


def test_the_same_agent_is_continued_in_the_next_round(partners_turn: Session) -> None:
    partners_turn.partner_answers("My own position: no.")
    partners_turn.speaks("Then measure it.")
    tool, given = given_call(partners_turn)
    assert tool == "SendMessage"
    copies = {"type": "message", "recipient": given["to"], "content": given["message"]}  # the client's own
    _, decided = partners_turn.before(tool, **given, **copies)
    replaced = decided["updatedInput"]
    assert replaced["message"] == replaced["content"] and "Then measure it." in replaced["message"]


def test_a_subagent_runs_nothing_in_the_background_while_a_debate_is_on(partners_turn: Session) -> None:
    background = {"command": "tail -f notes.log", "run_in_background": True}
    refusal(partners_turn.before("Bash", agent="a1", **background)[1])
    assert partners_turn.before("Bash", **background)[1] == {}, "the main agent may, where it only reads"


# -- questions -----------------------------------------------------------------------------------------------


def test_a_reworded_question_is_refused_with_the_right_one(session: Session) -> None:
    session.start("Cache the roster?")
    questions = session.next()["call"]["input"]["questions"]
    reworded = [{**questions[0], "question": "Shall we?"}, *questions[1:]]
    assert json.dumps(questions[0]["question"], ensure_ascii=False) in refusal(
        session.before("AskUserQuestion", questions=reworded)[1]
    )
    normalised = [dict(reversed(question.items())) for question in questions]
    assert session.before("AskUserQuestion", questions=normalised)[1] == {}


def test_with_no_question_open_the_main_agent_asks_what_it_likes(session: Session) -> None:
    session.types_command("debate:debate", "x")
    assert session.before("AskUserQuestion", questions=[{"question": "Lunch?"}])[1] == {}


def test_only_the_answer_to_that_very_call_counts(session: Session) -> None:
    session.start("Cache the roster?")
    questions = session.next()["call"]["input"]["questions"]
    call = session.asks(questions)
    answers = {question["question"]: question["options"][0]["label"] for question in questions}
    session.answers("toolu_other", answers)
    assert fold(session).question
    session.answers(call, answers)
    assert fold(session).question is None
    assert session.next()["role"] == "main"


def test_a_notification_dismisses_no_question_and_is_no_message(session: Session) -> None:
    session.start("Cache the roster?")
    session.asks(session.next()["call"]["input"]["questions"])
    session.is_notified()
    assert fold(session).question and not fold(session).typed
    session.types("never mind")
    assert fold(session).question is None and len(fold(session).typed) == 1


# -- permission, lifting, other sessions ---------------------------------------------------------------------


def may(session: Session, command: str, **inside: str) -> bool:
    answer = session.hook("PermissionRequest", tool_name="Bash", tool_input={"command": command}, **inside)
    return bool(answer) and answer["hookSpecificOutput"]["decision"] == {"behavior": "allow"}


def test_permission_is_given_for_the_helpers_commands_by_caller_and_for_nothing_else(
    session: Session,
) -> None:
    session.start("Cache the roster?")
    agent = {"agent_id": "a1", "agent_type": "general-purpose"}
    assert may(session, "debate wait x") and not may(session, "debate wait x", **agent)
    assert may(session, "debate prompt x") and may(session, "debate prompt x", **agent)
    for command in ("ls", "debate list; ls", "debate run x", "debate list > x"):
        assert not may(session, command)
    assert session.hook("PermissionRequest", tool_name="AskUserQuestion", tool_input={}) is None


CONCLUSION = "## Agreed\n- measure\n\n## Insights\n- it is read on every request\n"


@pytest.fixture
def ended(partners_turn: Session) -> Session:
    partners_turn.partner_answers("My own position: no.")
    partners_turn.closing = partners_turn.host.conclude(  # type: ignore[attr-defined]
        partners_turn.debate, "consensus", CONCLUSION
    )["questions"]
    return partners_turn


def is_lifted(session: Session) -> bool:
    return Log(session.id, str(session.state)).path is None


def test_a_prompt_before_the_end_lifts_nothing(partners_turn: Session) -> None:
    partners_turn.types("how is it going?")
    assert not is_lifted(partners_turn)


@pytest.mark.parametrize("spoken", ["prompt", "command"])
def test_after_the_end_the_persons_next_word_lifts_the_guard_and_says_so(ended: Session, spoken: str) -> None:
    ended.is_notified()
    assert not is_lifted(ended)
    if spoken == "prompt":
        answer = ended.types("thanks")
        assert answer and "guard is off" in answer["systemMessage"]
        assert is_lifted(ended)
    else:
        ended.types_command("debate:debate", "what follows?")
        assert fold(ended).debate is None and fold(ended).ticket


@pytest.mark.parametrize("files", ["yes", "no"])
def test_the_closing_answer_lifts_the_guard_only_if_files_may_change_now(ended: Session, files: str) -> None:
    questions = ended.closing  # type: ignore[attr-defined]
    call = ended.asks(questions)
    keep, change = (question["options"] for question in questions)
    answers = {
        questions[0]["question"]: keep[0]["label"],
        questions[1]["question"]: change[0 if files == "yes" else 1]["label"],
    }
    ended.answers(call, answers)
    assert is_lifted(ended) == (files == "yes")


def test_a_compacted_session_is_told_its_debate_and_a_new_one_what_is_open(
    partners_turn: Session, home: Path, project: Path
) -> None:
    def told(session: Session, source: str) -> str:
        answer = session.hook("SessionStart", source=source) or {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    assert f"debate next {partners_turn.debate}" in told(partners_turn, "compact")
    other = Session(home, project)
    assert told(other, "startup") == "", "another live session drives it"
    partners_turn.hook("SessionEnd", reason="exit")
    assert partners_turn.debate in told(other, "startup")
    assert told(other, "compact") == ""


def test_what_is_no_session_id_opens_nothing(home: Path, project: Path) -> None:
    session = Session(home, project)
    session.environ["CLAUDE_CODE_SESSION_ID"] = "../../x"
    session.types_command("debate:debate", "x")
    session.types("hello")
    assert not [path for path in home.rglob("*") if path.is_file()]
