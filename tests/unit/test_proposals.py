"""A proposal names files that the user sees, and no other: what they agree to is what they were shown."""

import os
import subprocess
from pathlib import Path

import pytest
from armed import Armed

from debate.model import BadInput, NotAllowed


@pytest.fixture
def armed(tmp_path: Path) -> Armed:
    return Armed(tmp_path)


def question(armed: Armed, *files: str, why: str = "It is simpler.") -> str:
    (asked,) = armed.host.propose(armed.debate, files, why)["questions"]
    return str(asked["question"])


def refused(armed: Armed, *files: str) -> str:
    with pytest.raises(BadInput) as error:
        armed.host.propose(armed.debate, files, "It is simpler.")
    return f"{error.value} {error.value.suggestion}"


def test_the_question_names_every_file_from_the_projects_root_and_says_why(armed: Armed) -> None:
    (armed.project / "src").mkdir()
    (armed.project / "src/app.py").touch()
    (armed.project / "link.py").symlink_to("src/app.py")
    asked = question(
        armed, "link.py", "./docs/../new file.md", str(armed.project / "设计.md"), why="Cache it."
    )
    for words in ("src/app.py", "new file.md", "设计.md", "Cache it."):
        assert words in asked
    assert "link.py" not in asked, "the file that would change is shown"


def test_a_file_is_named_once_however_often_it_is_given(armed: Armed) -> None:
    assert question(armed, "app.py", "./app.py", str(armed.project / "app.py")).count("app.py") == 1


@pytest.mark.parametrize(
    "path", ["../other.py", "/etc/passwd", "", ".", "..", "/", "~/x", "link/x.py", "out.py", "a\0b"]
)
def test_what_lies_outside_the_project_is_not_proposed(armed: Armed, path: str) -> None:
    (armed.project / "link").symlink_to(armed.elsewhere)
    (armed.project / "out.py").symlink_to(armed.elsewhere / "out.py")
    if path == "~/x":  # only a shell fills that in
        assert "~/x" in question(armed, path)
    else:
        assert "not a file of this project" in refused(armed, path)


@pytest.mark.parametrize(
    "path",
    [
        ".debates/x.md", ".debates/new/x.md", ".Debates/x.md", ".claude/settings.json", ".claude/hooks/x.sh",
        ".git/config", ".git/hooks/pre-commit", ".GIT/config", "lib/part/.git/config", "lib/part/.git",
        "src/../.git/HEAD", "records/x.md",
    ],
)  # fmt: skip
def test_records_settings_and_repositories_are_not_for_a_debate_to_change(armed: Armed, path: str) -> None:
    (armed.project / "records").symlink_to(".debates")
    assert "not for a debate to change" in refused(armed, path)
    (armed.project / "good.py").touch()
    refused(armed, "good.py", path)


def test_a_folder_is_not_proposed(armed: Armed) -> None:
    (armed.project / "src").mkdir()
    for path in ("src", "src/", "./src/."):
        assert "is a folder" in refused(armed, path)


def test_a_person_reads_every_name_or_the_proposal_is_refused(armed: Armed) -> None:
    assert "1 to 20" in refused(armed)
    assert "1 to 20" in refused(armed, *(f"part{number}.py" for number in range(21)))
    assert "part19.py" in question(armed, *(f"part{number}.py" for number in range(20)))
    long = [f"{'long' * 10}/part{number}.py" for number in range(20)]
    assert "in parts" in refused(armed, *long), "the last ones would not be seen"
    assert "in parts" in refused(armed, "x" * 240 + "/" + "y" * 240 + "/" + "z" * 240, "secret.py")
    assert long[9] in question(armed, *long[:10])


@pytest.mark.parametrize(
    "name",
    [
        "a\nb.py",
        "a\tb.py",
        "a  b.py",
        "a\u202eyp.b",
        "a\u200bb.py",
        " a.py",
        "a\x1b[31m.py",
        os.fsdecode(b"a\xff.py"),
    ],
)
def test_a_name_that_cannot_be_shown_as_it_is_is_not_proposed(armed: Armed, name: str) -> None:
    (armed.project / name).touch()
    assert "cannot show" in refused(armed, name)


def test_a_proposal_without_a_summary_or_without_a_person_is_refused(armed: Armed) -> None:
    with pytest.raises(BadInput, match="summary"):
        armed.host.propose(armed.debate, ["app.py"], " \n")
    armed.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    with pytest.raises(NotAllowed, match="Nobody can be asked"):
        armed.host.propose(armed.debate, ["app.py"], "It is simpler.")
    assert armed.edit("app.py") == "deny"


def test_proposing_alone_grants_nothing_and_neither_does_a_refused_proposal(armed: Armed) -> None:
    question(armed, "app.py")
    assert armed.edit("app.py") == "deny"
    armed.agrees_to("app.py")
    refused(armed, "other.py", "..")
    assert armed.edit("other.py") == "deny" and armed.edit("app.py") == "pass"


def test_a_project_that_is_reached_by_a_link_is_the_same_project(armed: Armed, tmp_path: Path) -> None:
    subprocess.run(["ln", "-s", armed.project, tmp_path / "way"], check=True)
    armed.agrees_to(str(tmp_path / "way/app.py"))
    assert armed.edit(tmp_path / "way/app.py") == armed.edit("app.py") == "pass"
