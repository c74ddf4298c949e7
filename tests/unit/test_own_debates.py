"""This project's own debates: nobody edited them, and what they cite stood there when they were argued."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from helpers import ROOT

from debate import evidence, formats
from debate.record import files
from debate.record.verify import problems

RECORDS = sorted((ROOT / ".debates").glob("*.md"))
each_record = pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)


def test_there_is_one_that_was_concluded() -> None:
    assert [path for path in RECORDS if files.read(path).header.get("status") == "completed"]


@each_record
def test_it_stands_as_it_was_written(path: Path) -> None:
    record = files.read(path)
    found, sound = problems(record)
    _, out_of_turn = formats.replay(record.debate)
    assert (found, out_of_turn, sound) == ([], [], len(record.debate.turns))


@each_record
def test_what_it_cites_is_so_at_its_commit(path: Path, tmp_path: Path) -> None:
    debate = files.read(path).debate
    unpack(commit_of(path, str(debate.commit)), tmp_path)
    cited = [entry for turn in debate.turns for entry in turn.citations]
    assert cited, "an argument about this code cites it"
    for turn in debate.turns:
        if turn.citations:
            found = evidence.check(evidence.citations(turn.content, tmp_path), tmp_path)
            assert [dict(entry) for entry in turn.citations] == found


def commit_of(path: Path, commit: str) -> str:
    """The commit it was argued on; where history was written anew, the one that its record was put upon."""
    if git("cat-file", "-t", commit).returncode == 0:
        return commit
    added = git("log", "--diff-filter=A", "--format=%H", "--", str(path)).stdout.split()
    return f"{added[-1].decode()}~"


def unpack(commit: str, folder: Path) -> None:
    archive = git("archive", "--format=tar", commit)
    assert archive.returncode == 0, archive.stderr
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")


def git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True)
