"""A record is a document: people read it, it renders, git keeps it."""

import re
import subprocess
from pathlib import Path

from markdown_it import MarkdownIt
from records import STEM, add, end, findings, speech, written

from debate.model import Turn


def test_a_record_reads_as_a_document_with_one_heading_for_each_round(tmp_path: Path) -> None:
    path = written(tmp_path, ["one", "two"])
    add(path, Turn("user", "message", "By the way"))  # belongs to no round
    add(path, speech("three", round=1))
    add(path, Turn("partner", "challenge", "four", agent="general-purpose", round=2))
    end(path)
    headings = [line for line in path.read_text().splitlines() if line.startswith("#")]
    assert headings == [
        "# Should the cache be write-through?",
        "## Round 1",
        "### Main · view",
        "### Main · view",
        "### User · message",
        "### Main · view",
        "## Round 2",
        "### Partner (general-purpose) · challenge · no receipt",
        "## Conclusion",
    ]


def test_no_metadata_shows_when_the_record_is_rendered(tmp_path: Path) -> None:
    path = written(tmp_path, [])
    add(
        path,
        Turn("main", "view", "words", agent="a --> b", fields={"-->": "--!> leaked -->", "q": "\"'\n<!--"}),
    )
    page = re.sub(
        r"<!--.*?--!?>", "", MarkdownIt().render(path.read_text().partition("\n---\n")[2]), flags=re.DOTALL
    )
    assert "words" in page and "leaked" not in page and "seq" not in page


def test_git_sees_the_records_and_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path)
    add(path, speech("x"))
    path.with_suffix(".torn").write_bytes(b"half")
    (path.parent / f".{path.name}.new").write_bytes(b"draft")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "core.autocrlf", "true"], check=True)
    listed = subprocess.run(
        [*git, "status", "--short", "-uall"], capture_output=True, text=True, check=True
    ).stdout
    assert sorted(line[3:] for line in listed.splitlines()) == [
        ".debates/.gitattributes",
        ".debates/.gitignore",
        f".debates/{STEM}.md",
    ]
    subprocess.run([*git, "add", "."], check=True)
    path.unlink()
    subprocess.run([*git, "checkout", "-q", "."], check=True)
    assert not any("edited" in finding for finding in findings(path)), "git has changed the line ends"
