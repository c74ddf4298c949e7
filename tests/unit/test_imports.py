"""What is felt stays fast: a command that only talks, and the guard before every tool call, import little."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT, clean_environment
from sessions import Session

# Public modules beyond those of a bare `python -I -S`. A new name is a cost before every tool call: measure it first.
GUARD_MAY = {
    "debate",
    "abc",
    "os",
    "stat",
    "posixpath",
    "genericpath",
    "fcntl",
    "time",
    "hashlib",
    "linecache",
}
HEAVY = {
    "yaml",
    "rich",
    "markdown_it",
    "frontmatter",
    "filelock",
    "git",
    "subprocess",
    "asyncio",
    "http",
    "sqlite3",
}


def imported(*command: str | Path, env: dict[str, str], cwd: Path, stdin: str = "") -> set[str]:
    """The top-level name of every module that this Python loads, by its own account."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *map(str, command)],
        env=env,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    names = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    return {name.split(".")[0] for name in names} - {"org"}  # what `copy` looks for in Java


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    return {**clean_environment(home), "PYTHONPATH": str(ROOT / "src")}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["start", "--help"]], ids=" ".join)
def test_help_imports_click_and_nothing_heavy(env: dict[str, str], tmp_path: Path, words: list[str]) -> None:
    program = f"import sys; sys.argv = {['debate', *words]!r}; from debate.cli.main import main; main()"
    names = imported("-c", program, env=env, cwd=tmp_path)
    site = imported("-c", "", env=env, cwd=tmp_path)
    assert "click" in names
    assert names - site - sys.stdlib_module_names <= {"debate", "click"}
    assert not (names - site) & HEAVY


def test_a_command_that_adds_a_turn_imports_no_parser(env: dict[str, str], tmp_path: Path) -> None:
    def run(*words: str, stdin: str = "") -> set[str]:
        program = f"import sys; sys.argv = {['debate', *words]!r}; from debate.cli.main import main; main()"
        return imported("-c", program, env=env, cwd=tmp_path, stdin=stdin)

    run("start", "Cache the roster?")
    (record,) = (tmp_path / ".debates").glob("*.md")
    run("submit", record.stem, "--role", "user", "--failed", "nobody is there")
    assert not run("submit", record.stem, "--role", "main", stdin="We should.") & HEAVY


def test_the_guard_imports_a_short_list(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    session = Session(home, project)
    session.start("Cache the roster?")
    bare = imported("-I", "-S", "-c", "", env=session.environ, cwd=project)
    payloads = {
        "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "debate list"}, "tool_use_id": "t1"},
        "PreToolUse ": {
            "tool_name": "Bash",
            "tool_input": {"command": "rg -n 'x|y' src | sort | head; git log --oneline && sed -n 1,5p a"},
        },
        "PreToolUse  ": {"tool_name": "Edit", "tool_input": {"file_path": "app.py"}},
        "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "debate list"}},
        "UserPromptSubmit": {"prompt": "a long one " * 100, "prompt_id": "p1"},
        "SubagentStop": {"agent_id": "a", "agent_type": "x", "last_assistant_message": "y" * 1000},
        "SessionStart": {"source": "startup"},
    }
    for event, payload in payloads.items():
        guard = ["-I", "-S", ROOT / "src/debate/guard/__main__.py", event.strip()]
        names = imported(*guard, env=session.environ, cwd=project, stdin=json.dumps(payload))
        assert "debate" in names
        assert {name for name in names - bare if not name.startswith("_")} <= GUARD_MAY, event
