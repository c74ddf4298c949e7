"""What tests of the guard ask of a session: is an edit denied, what becomes of a command, what was the person told?"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repositories import Repository
from sessions import Session

from debate.drivers.host import Host
from debate.guard.log import Log

CONCLUSION = "## Agreed\n- measure\n\n## Insights\n- it is read on every request\n"


def project_at(home: Path) -> Path:
    """Below the home, since everybody may write below the temporary folder, where the tests are."""
    repository = Repository(home / "code" / "project")
    repository.commit("Begin", README__md="# A project\n", src__app="x\n")
    (repository.folder / "sub").mkdir()
    return repository.folder


def refusal(session: Session, file: Path | str = "README.md", agent: str | None = None) -> str:
    """Why the edit is denied; empty where it is not."""
    _, decided = session.before("Write", agent, file_path=str(session.project / file), content="changed\n")
    assert decided.get("permissionDecision") in (None, "deny")
    return str(decided.get("permissionDecisionReason", ""))


def decision(session: Session, command: str, agent: str | None = None) -> str:
    """What is made of a command: deny, ask, or nothing."""
    return str(session.before("Bash", agent, command=command)[1].get("permissionDecision", ""))


def said(answer: dict[str, Any] | None) -> str:
    """What the person is told."""
    return str((answer or {}).get("systemMessage", ""))


def logged(session: Session, event: str) -> list[dict[str, Any]]:
    """The lines of that kind in all the logs of the session, live or moved aside."""
    paths = sorted(session.state.glob(f"*/{session.id}.*"))
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [line for line in lines if line["e"] == event]


def is_asleep(session: Session) -> bool:
    return Log(session.id, str(session.state)).path is None


def proposes(session: Session, *files: str) -> tuple[str, dict[str, str]]:
    """A proposal that is shown; the call's id, and the answer that accepts it."""
    questions = session.host.propose(session.debate, files, "Cache it.")["questions"]
    accepting = {questions[0]["question"]: questions[0]["options"][0]["label"]}
    return session.asks(questions), accepting


def pauses(session: Session) -> dict[str, Any] | None:
    return session.hook("UserPromptExpansion", command_name="debate:pause", command_args="")


def runs(session: Session, command: str, change: Callable[[], Any], agent: str | None = None) -> Any:
    """A command that the person says yes to, and what it does; what the hook answers afterwards."""
    call, decided = session.before("Bash", agent, command=command)
    assert decided["permissionDecision"] == "ask", decided
    change()
    return session.hook("PostToolUse", tool_name="Bash", tool_use_id=call, tool_response={"stdout": ""})


def plain_terminal(session: Session) -> Host:
    """The helper in a shell of the person's own."""
    env = {key: value for key, value in session.environ.items() if not key.startswith("CLAUDE")}
    return Host(env, session.project)
