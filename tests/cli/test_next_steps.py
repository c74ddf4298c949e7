"""What the helper prints names a step that can be taken then and there."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from guarding import CONCLUSION, project_at, runs
from sessions import Session

from debate.model import NotAllowed

RunDebate = Callable[..., subprocess.CompletedProcess[str]]
CHALLENGE = "Leave it.\n\n### Stance\npartly\n\n### Questions for the user\n- How often does it change?\n"


@pytest.fixture
def session(home: Path) -> Session:
    session = Session(home, project_at(home))
    session.start("Cache the roster?")
    session.passes_start()
    return session


@pytest.fixture
def helper(run_debate: RunDebate, session: Session) -> Callable[..., str]:
    """A helper command of the main agent, and what it prints."""

    def told(*words: str, stdin: str = "", **environ: Any) -> str:
        env = {**session.environ, **environ}
        done = run_debate(*words, stdin=stdin, cwd=session.project, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return told


def shown(told: str) -> list[dict[str, Any]]:
    """The questions in the call that was printed."""
    (line,) = (line for line in told.splitlines() if line.startswith("AskUserQuestion "))
    questions: list[dict[str, Any]] = json.loads(line.partition(" ")[2])["questions"]
    return questions


def test_main_is_told_how_the_partners_question_reaches_the_user(
    session: Session, helper: Callable[..., str]
) -> None:
    session.speaks("Cache it.")
    session.partner_answers("Leave it.\n\n### Stance\npartly\n")
    hint = f"The partner has a question for the user: `debate ask {session.debate} round`"
    assert hint not in helper("next", session.debate)
    session.speaks("Measure it.")
    session.partner_answers(CHALLENGE)
    assert hint in helper("next", session.debate)
    questions = shown(helper("ask", session.debate, "round"))
    assert "How often does it change?" in [question["question"] for question in questions]


def test_main_is_not_asked_for_questions_that_nobody_would_put_to_the_user(
    session: Session, helper: Callable[..., str]
) -> None:
    session.speaks("Cache it.")
    session.partner_answers("Leave it.\n\n### Stance\npartly\n")
    told = helper("next", session.debate)
    assert "### Stance" in told and "### Questions for the user" not in told


def test_a_proposal_names_the_answer_that_alone_is_a_yes(
    session: Session, helper: Callable[..., str]
) -> None:
    told = helper("propose", session.debate, "--file", "src/app", stdin="Cache it.")
    yes = shown(told)[0]["options"][0]["label"]
    assert f"if they chose “{yes}”, change src/app and nothing else" in told


def test_while_a_violation_waits_for_the_user_the_next_step_is_to_tell_them(
    session: Session, helper: Callable[..., str]
) -> None:
    def change() -> None:
        (session.project / "README.md").write_text("changed\n")

    assert runs(session, "python -c 1", change)["continue"] is False
    assert helper("next", session.debate).startswith("A file changed while a command ran")
    session.types("that was me")
    assert "A file changed while a command ran" not in helper("next", session.debate)


def test_nobody_is_sent_to_take_up_a_debate_that_has_ended(session: Session) -> None:
    session.speaks("Cache it.")
    session.partner_answers("Yes.\n\n### Stance\nagree\n")
    session.host.conclude(session.debate, "consensus", CONCLUSION)
    session.types("thanks")  # the guard lifts
    with pytest.raises(NotAllowed, match="has ended in consensus") as refused:
        session.host.propose(session.debate, ["src/app"], "Cache it.")
    assert "/debate:resume" not in str(refused.value.suggestion)


def test_where_no_hooks_hear_an_answer_the_next_step_is_to_go_on_without_it(
    run_debate: RunDebate, tmp_path: Path
) -> None:
    def told(*words: str, stdin: str = "") -> str:
        done = run_debate(*words, stdin=stdin, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / ".git").mkdir()
    began = told("start", "Cache the roster?")
    debate = began.split()[1]
    unheard = f"debate submit {debate} --role user --failed"
    assert unheard in began and "then: debate next" not in began
    told("submit", debate, "--role", "user", "--failed", "no hooks are here")
    told("submit", debate, "--role", "main", stdin="Cache it.")
    told("submit", debate, "--role", "partner", stdin=CHALLENGE)
    assert unheard in told("ask", debate, "round")
    assert "the answer is not on record" in told("propose", debate, "--file", "app.py", stdin="Cache it.")


def test_a_closing_question_that_another_one_displaced_is_put_again_until_it_is_answered(
    session: Session, helper: Callable[..., str]
) -> None:
    session.speaks("Cache it.")
    session.partner_answers(CHALLENGE)
    session.host.conclude(session.debate, "consensus", CONCLUSION)
    helper("propose", session.debate, "--file", "src/app", stdin="Cache it.")
    told = helper("next", session.debate)
    call = session.asks(shown(told))
    keep, files = (question["question"] for question in shown(told))
    session.answers(call, {keep: "Keep it", files: "Not yet"})
    assert "The debate is over" in helper("next", session.debate)
    assert "AskUserQuestion" not in helper("next", session.debate)
