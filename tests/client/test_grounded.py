"""Grounded in the real client: the partner knows which change it is about, and no false citation goes unsaid."""

import subprocess
from pathlib import Path

import pytest
from client.assistant import Assistant
from client.model import ScriptedModel, say
from client.playing import Player
from client.scene import CHALLENGES, VIEWS


def git(project: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=project, check=True, capture_output=True, text=True
    ).stdout.strip()


def prompts(model: ScriptedModel) -> list[str]:
    return [seen.text for seen in model.agents_saw]


def change_on_a_branch(project: Path) -> str:
    base = git(project, "rev-parse", "HEAD")
    git(project, "switch", "-q", "-c", "feature")
    (project / "queue.py").write_text("QUEUE = []\n")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "Add a queue")
    return f"git diff {base}...HEAD"


def change_in_the_tree(project: Path) -> str:
    (project / "README.md").write_text("# Another project\n")
    (project / "queue.py").write_text("QUEUE = []\n")
    return "git diff HEAD"


@pytest.mark.parametrize("change", [change_on_a_branch, change_in_the_tree])
def test_the_partner_of_a_change_is_told_its_files_its_base_and_the_command_that_shows_it(
    assistant: Assistant, model: ScriptedModel, change: object
) -> None:
    command = change(assistant.project)  # type: ignore[operator]
    model.main(*Player(VIEWS[:1]).steps())
    model.agent(say(CHALLENGES[0]), mark="dialectic partner")
    assistant.print_mode('/debate "merge this branch?"')
    (prompt, *_) = prompts(model)
    assert "queue.py" in prompt
    assert f"See it with: {command}" in prompt, prompt
    assert "look for what is missing yourself" in prompt


def test_a_false_citation_is_told_to_both_sides_and_stands_in_the_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    views = ["It is all in `stack.py:7`.", "Then README.md:1 it is.\n\n### Stance\npartly\n"]
    answers = ["No: `README.md:900`.\n\n### Stance\ndisagree\n", *CHALLENGES[1:]]
    player = Player(views)
    model.main(*player.steps())
    model.agent(*map(say, answers), mark="dialectic partner")
    assistant.print_mode('/debate "split it?"')
    first, second = prompts(model)[:2]
    assert "the main agent's: `stack.py:7`: no such file" in first
    assert "yours: `README.md:900`: line out of range (the file has 1 lines)" in second
    told = "\n".join(result for seen in model.main_saw for result in seen.results)
    assert "stack.py:7" in told and "the partner's: `README.md:900`: line out of range" in told
    (record,) = (assistant.project / ".debates").glob("*.md")
    assert "### Main · view · 1 citation does not hold" in record.read_text()

    (assistant.project / "README.md").write_text("# Changed\n")
    model.forget()
    model.main(*Player([], start="debate resume").steps())
    assistant.print_mode("/debate:resume")
    told = "\n".join(result for seen in model.main_saw for result in seen.results)
    assert '"changed": ["README.md"]' in told
