"""The manual says what the code does: every command, every setting, every example."""

import os
import re
import runpy
import shlex
import struct
import subprocess
from dataclasses import fields
from pathlib import Path

import click
import pytest
from helpers import ROOT, clean_environment, run

from debate import __version__
from debate.cli.main import COMMANDS, group
from debate.model import Turn

README = (ROOT / "README.md").read_text()
MANUAL = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
EXAMPLES = re.findall(r"^\|[^|]+\| `(debate [^`]+)` \|$", README, re.MULTILINE)


def tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True
    )
    return listed.stdout.decode().splitlines()


def test_the_readme_says_what_it_is_in_five_lines_and_shows_a_picture() -> None:
    _, what, picture = README.split("\n\n")[1:4]
    assert len(what.splitlines()) == 5 and picture.startswith("![")


def test_the_readme_has_an_example_of_every_command() -> None:
    assert [shlex.split(example)[1] for example in EXAMPLES] == list(COMMANDS)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_in_the_readme_is_a_call_that_the_command_takes(example: str) -> None:
    _, name, *arguments = shlex.split(example.partition(" < ")[0])
    whole = click.Context(group, **group.context_settings)
    command = group.get_command(whole, name)
    assert command and command.make_context(name, arguments, parent=whole)


def test_the_debate_by_hand_in_the_readme_runs_as_it_stands(home: Path, tmp_path: Path) -> None:
    (script,) = (
        block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "debate start" in block
    )
    path = f"{ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = run("sh", "-e", "-c", script, env=clean_environment(home, PATH=path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "It holds: 4 of 4 turns stand as they were written." in done.stdout


def test_the_readme_has_every_slash_command() -> None:
    for file in ROOT.glob("commands/*.md"):
        typed = "/debate" if file.stem == "debate" else f"/debate:{file.stem}"
        assert re.search(rf"^\| `{typed}[ `]", README, re.MULTILINE), typed


def test_the_readme_has_every_setting_and_no_other() -> None:
    sources = [ROOT / name for name in tracked("src", "bin", "hooks") if not name.endswith(".md")]
    read = {name for file in sources for name in re.findall(r"\b(?:DEBATE|XDG)_[A-Z_]+\b", file.read_text())}
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE)) == read


def test_what_the_code_knows_is_in_the_manual_as_it_is_now() -> None:
    """If this fails: docs/make-reference.py"""
    for path, text in runpy.run_path(str(ROOT / "docs" / "make-reference.py"))["pages"]().items():
        assert path.read_text() == text, f"{path.name} is out of date: run docs/make-reference.py"


def test_the_manual_explains_every_key_of_a_turns_mark() -> None:
    told = (ROOT / "docs" / "record.md").read_text()
    for field in fields(Turn):
        assert field.name in ("content", "edited") or f"`{field.name}`" in told, field.name


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.name)
def test_links_within_the_manual_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", page.read_text())
    for link in (one or other for one, other in links):
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_the_table_of_folders_is_complete() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("| folder |")[2].partition("\n\n")[0]
    named = {
        name.split("/")[0]
        for row in table.splitlines()
        for name in re.findall(r"`([\w./-]+/)`", row.split("|")[1])
    }
    assert named == {name.split("/")[0] for name in tracked() if "/" in name} - {".debates"}


def test_the_changelog_has_the_version() -> None:
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_icon_is_a_square_png_that_the_plugin_directory_takes() -> None:
    data = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    width, height = struct.unpack(">2I", data[16:24])
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and width == height and 512 <= width <= 2048
