"""What looks like a key enters no record before someone says so."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import refused
from sessions import Session

from debate.drivers.host import Host

KEY = "AKIA" + "Q3EGRIU7ZLD5XPHV"  # made up, and in two parts so that no scanner takes it for a real one
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def record(project: Path) -> str:
    (path,) = (project / ".debates").glob("*.md")
    return path.read_text()


def test_a_view_with_a_key_is_written_masked_or_as_it_is_when_someone_says_so(
    project: Path, run_debate: Run
) -> None:
    run_debate("start", "Rotate it?", cwd=project)
    run_debate("submit", "rotate", "--role", "user", "--failed", "away", cwd=project)
    view = f"The key {KEY} is in the code."
    assert "--secrets mask" in refused(
        run_debate("submit", "rotate", "--role", "main", cwd=project, stdin=view)
    )
    assert KEY not in record(project)
    done = run_debate("submit", "rotate", "--role", "main", "--secrets", "mask", cwd=project, stdin=view)
    assert done.returncode == 0 and KEY not in record(project) and "is in the code." in record(project)
    done = run_debate("submit", "rotate", "--role", "partner", "--secrets", "keep", cwd=project, stdin=view)
    assert done.returncode == 0 and KEY in record(project)


def test_a_topic_with_a_key_opens_nothing(project: Path, run_debate: Run) -> None:
    refused(run_debate("start", f"Is {KEY} still used?", cwd=project), code=2)
    assert not list(project.glob(".debates/*.md"))


@pytest.mark.parametrize("old", [True, False], ids=["old", "new"])
def test_an_agents_answer_with_a_key_waits_until_someone_says_so(
    home: Path, project: Path, old: bool
) -> None:
    session = Session(home, project, old=old)
    debate_id = session.start("Rotate it?")
    session.host.submit(debate_id, "user", "", failed="away")
    session.speaks("Rotate it.")
    session.partner_answers(f"I found {KEY} in the history.")
    host = Host(session.environ, project)
    (request,) = host.next(debate_id)["requests"]
    assert request["held"] and KEY not in record(project)
    host.submit(debate_id, "partner", "", request=request["id"], secrets="mask")
    assert "in the history." in record(project) and KEY not in record(project)
    assert '"text":"as returned, but for what was masked"' in record(project)
