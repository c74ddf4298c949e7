"""Each helper call that a prompt names works: it is run, in a session like the one that the prompt is for."""

import re
import shlex
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from helpers import ROOT
from sessions import Session

from debate.guard import plain

COMMANDS = sorted((ROOT / "commands").glob("*.md"))
SKILLS = sorted((ROOT / "skills").rglob("*.md")) + sorted((ROOT / "agents").glob("*.md"))
TEMPLATES = sorted((ROOT / "src/debate/templates").glob("*.md"))

_CALL = re.compile(r"`(debate\s[^`]+)`|Bash\((debate [^:)]+):\*\)")
CONCLUSION = """## Agreed
- measure

## Insights
- it is read on every request

## Main's position
cache it

## Partner's position
leave it

## Open points
- cost

## Crux
how often it changes

## Strongest dissent
> it changes with every start

## What would settle it
a count
"""
ON_STDIN = {
    "ask": "how often it changes",
    "conclude": CONCLUSION,
    "propose": "Cache it.",
    "start": "Cache the roster?",
}


def calls(file: Path) -> list[str]:
    """Every call in the file with its alternatives, `a|b`, written out."""
    found = []
    for span, permission in _CALL.findall(file.read_text()):
        words = [word.split("|") for word in shlex.split((span or permission).replace("\n", " "))]
        found += [shlex.join(choice) for choice in product(*words)]
    return list(dict.fromkeys(found))


NAMED = [
    pytest.param(call, id=f"{file.relative_to(ROOT)}: {call}")
    for file in (*COMMANDS, *SKILLS, *TEMPLATES)
    for call in calls(file)
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.mark.parametrize("call", NAMED)
def test_a_call_that_a_prompt_names_is_allowed_and_works(
    call: str, home: Path, project: Path, run_debate: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    session = Session(home, project)
    verb = shlex.split(call)[1]
    if verb == "start" or "topic" in call:
        session.types_command("debate:debate")
    else:
        _argue(session)
    if verb == "resume":  # that is for another session
        session = Session(home, project)
        session.types_command("debate:resume")
    written = [session.debate if word in ("ID", "{{id}}") else word for word in shlex.split(call)[1:]]
    if written in (["conclude"], ["search"], ["show"], ["verify"]):
        written.append("--help")  # it is only spoken of
    else:
        command = shlex.join(["debate", *written])
        assert plain.may_run(command, subagent=False)
        assert session.before("Bash", command=command)[1] == {}
    done = run_debate(*written, stdin=ON_STDIN.get(verb, ""), cwd=project, env=session.environ)
    assert done.returncode == 0, done.stderr


def test_the_prompts_name_the_calls_that_a_model_begins_with() -> None:
    """Otherwise the test above would pass by finding nothing. Later calls are given by the helper itself."""
    verbs = {str(call.values[0]).split()[1] for call in NAMED}
    assert verbs >= {"start", "ask", "next", "wait", "resume", "list", "search", "show"}


@pytest.mark.parametrize(
    ("file", "lines"),
    [(file, 50) for file in COMMANDS] + [(file, 30) for file in (*SKILLS, *TEMPLATES)],
    ids=lambda value: str(value.relative_to(ROOT)) if isinstance(value, Path) else "",
)
def test_a_prompt_fits_on_a_screen(file: Path, lines: int) -> None:
    assert len(file.read_text().splitlines()) <= lines


def test_the_partners_role_is_written_once() -> None:
    skill = ROOT / "skills/dialectic-partner/SKILL.md"
    sentences = [line for line in skill.read_text().splitlines() if line.startswith("- ")]
    others = [file for file in (*COMMANDS, *SKILLS, *TEMPLATES) if file != skill]
    assert sentences
    assert not [(file.name, line) for file in others for line in sentences if line in file.read_text()]


def _argue(session: Session) -> None:
    """One round, and a message that the person typed after it."""
    session.start("Cache the roster?")
    session.passes_start()
    session.speaks("Cache it.\n\n### Stance\ndisagree")
    session.partner_answers("Leave it: it changes with every start.\n\n### Stance\ndisagree")
    session.types("It never changes.")
