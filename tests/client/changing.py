"""Calls that would change something, and how the model has the person asked first.

model.main(bash("debate resume --json"), read(file), propose(debate_id, "README.md"), ask_as_given, write(file, "a"))
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from client.assistant import Assistant
from client.model import Block, Seen, bash, use
from client.playing import heredoc

MODES = ("default", "acceptEdits", "plan", "bypassPermissions")
CELL = {"cell_type": "markdown", "id": "a1", "source": "A title", "metadata": {}}
NOTEBOOK = {"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def read(file: Path) -> Block:
    """The client lets nothing be edited that was not read."""
    return use("Read", file_path=str(file))


def edit(file: Path, old: str, new: str) -> Block:
    return use("Edit", file_path=str(file), old_string=old, new_string=new)


def write(file: Path, text: str) -> Block:
    return use("Write", file_path=str(file), content=text)


def propose(debate_id: str, *files: str, why: str = "The title says too little.") -> Block:
    named = " ".join(f"--file {file}" for file in files)
    return heredoc(f"debate propose {debate_id} {named} --json", why)


def questions_in(seen: Seen) -> list[dict[str, Any]]:
    """What the helper has just asked to be put before the person."""
    return list(seen.json()["data"]["questions"])


def ask_as_given(seen: Seen) -> Block:
    return use("AskUserQuestion", questions=questions_in(seen))


def prepare(assistant: Assistant, *files: Path) -> list[Block]:
    """What the client wants first: files that were read, and on new the tools that are deferred."""
    project = assistant.project
    (project / "docs").mkdir(exist_ok=True)
    (project / "docs/notes.ipynb").write_text(json.dumps(NOTEBOOK))
    deferred = "select:NotebookEdit,CronCreate,Monitor,SendMessage"
    load = [use("ToolSearch", query=deferred, max_results=9)] if assistant.client.name == "new" else []
    return [*load, *map(read, (project / "README.md", project / "docs/notes.ipynb", *files))]


def changes(project: Path) -> list[Block]:
    """Files of the project, by every editing tool and by the shell."""
    readme, notebook = project / "README.md", str(project / "docs/notes.ipynb")
    return [
        edit(readme, "A project", "forged"),
        write(project / "docs/new.md", "forged"),
        use("NotebookEdit", notebook_path=notebook, cell_id="a1", cell_type="markdown", new_source="forged"),
        bash("echo forged > README.md"),
        bash("sed -i s/^/forged/ README.md"),
        bash("cd docs && date | tee -a ../README.md; cd .."),
    ]


def work_elsewhere(assistant: Assistant) -> list[Block]:
    """Where no hook of this session would see it. The message is the last one."""
    script = "export const meta = {name: 'a', description: 'b', phases: []}\nreturn 1"
    given = {"description": "d", "prompt": "Go.", "subagent_type": "general-purpose"}
    watch = use("Monitor", command="date", description="d", timeout_ms=1000, persistent=False)
    return [
        use("CronCreate", cron="*/5 * * * *", prompt="Go.", recurring=True),
        use("Workflow", script=script),
        use("ScheduleWakeup", delaySeconds=60, reason="r", prompt="Go."),
        use("Agent", **given, isolation="worktree"),
        *([watch] if assistant.client.name == "new" else []),  # old has none where nobody watches
        use("SendMessage", to="another-session", summary="s", message="Go."),
    ]


def writes_where_nobody_may(assistant: Assistant, record: Path, session: str) -> list[Block]:
    """The client's settings and transcripts, the record, the guard's state."""
    log = Path(assistant.env["XDG_STATE_HOME"]) / f"debate/sessions/{session}.armed"
    settings, transcript = assistant.project / ".claude/settings.json", transcript_of(assistant, session)
    by_tool = (settings, record, log.with_name("forged.armed"), transcript.with_name("forged.jsonl"))
    by_shell = [bash(f"echo forged >> {file}") for file in (settings, record, log, transcript)]
    return [*by_shell, *(write(file, "forged") for file in by_tool)]


def transcript_of(assistant: Assistant, session: str) -> Path:
    """Where the client keeps it."""
    folder = re.sub("[^A-Za-z0-9]", "-", str(assistant.project))
    return assistant.home / ".claude/projects" / folder / f"{session}.jsonl"


def contents(project: Path) -> dict[str, bytes]:
    """Every file but the records, which the helper writes, and git's own."""
    files = (
        path for path in project.rglob("*") if path.is_file() and not {".debates", ".git"} & {*path.parts}
    )
    return {str(path.relative_to(project)): path.read_bytes() for path in files}


def ids(calls: Iterable[Block]) -> set[str]:
    return {call["id"] for call in calls}


def ran(assistant: Assistant) -> set[str]:
    """The calls that nothing held back, whether they succeeded or not."""
    ended = [*assistant.events("PostToolUse"), *assistant.events("PostToolUseFailure")]
    return {event["tool_use_id"] for event in ended}
