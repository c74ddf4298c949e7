"""What is told when a debate is taken up again: which of the cited files have changed since it was argued."""

from dataclasses import replace
from pathlib import Path

import pytest
from records import change, debate, speech
from repositories import QUIET, Repository

from debate import evidence
from debate.drivers.host import Host
from debate.record import files


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    repo = Repository(tmp_path / "project")
    repo.write("src/limiter.py", "one = 1\n")
    repo.write("src/other.py", "two = 2\n")
    repo.write("Makefile", "all:\n")
    repo.commit("Begin")
    return repo


def argued(root: Path, words: str, commit: str) -> Path:
    """A record whose first turn says this, its citations looked up."""
    turn = replace(speech(words), citations=tuple(evidence.check(evidence.citations(words, root), root)))
    return files.append(files.create(root, replace(debate(), commit=commit)), turn).path


def changed(root: Path, record: Path) -> list[str]:
    told: list[str] = Host({"HOME": str(root.parent)}, root).resume(record.stem)["changed"]
    return told


def test_cited_files_that_were_edited_or_deleted_are_named_and_no_others(repo: Repository) -> None:
    record = argued(
        repo.folder,
        "`./src/limiter.py:1`, src/other.py:1, Makefile:1 and gone.py:1",
        repo("rev-parse", "HEAD"),
    )
    assert changed(repo.folder, record) == []
    repo.write("src/limiter.py", "one = 3\n")
    repo("rm", "-q", "Makefile")
    assert changed(repo.folder, record) == ["Makefile", "src/limiter.py"]
    repo.commit("Change both")
    assert changed(repo.folder, record) == ["Makefile", "src/limiter.py"]


@pytest.mark.parametrize(
    "beside", ["../outside.py:1", "/etc/hosts:1", "`:(odd)x.py:1`", "`:!src/limiter.py:1`"]
)
def test_a_false_citation_hides_no_change(beside: str, repo: Repository) -> None:
    (repo.folder.parent / "outside.py").write_text("x\n")
    record = argued(repo.folder, f"src/limiter.py:1 and {beside}", repo("rev-parse", "HEAD"))
    repo.write("src/limiter.py", "one = 3\n")
    assert changed(repo.folder, record) == ["src/limiter.py"]


def test_a_project_inside_a_repository_names_its_own_files(repo: Repository) -> None:
    inside = repo.folder / "src"
    record = argued(inside, "limiter.py:1 and other.py:1", repo("rev-parse", "HEAD"))
    repo.write("src/limiter.py", "one = 3\n")
    assert changed(inside, record) == ["limiter.py"]


def test_the_commit_of_a_record_is_no_option_for_git(repo: Repository) -> None:
    commit = repo("rev-parse", "HEAD")
    record = argued(repo.folder, "src/limiter.py:1", commit)
    change(record, commit, "--output=src/limiter.py")
    assert changed(repo.folder, record) == []
    assert (repo.folder / "src/limiter.py").read_text() == "one = 1\n"


@pytest.mark.parametrize(
    "left",
    [
        "[1]",
        '["x"]',
        "[{}]",
        '[{"cited":5,"verdict":"holds"}]',
        '[{"cited":"src/limiter.py:1"}]',
    ],
)
def test_what_somebody_left_of_a_citation_is_none(left: str, repo: Repository) -> None:
    record = argued(repo.folder, "src/limiter.py:1", repo("rev-parse", "HEAD"))
    change(record, '[{"cited":"src/limiter.py:1","verdict":"holds"}]', left)
    repo.write("src/limiter.py", "one = 3\n")
    assert changed(repo.folder, record) == []


def test_no_program_that_the_repository_names_is_run(repo: Repository, tmp_path: Path) -> None:
    record = argued(repo.folder, "src/limiter.py:1", repo("rev-parse", "HEAD"))
    repo.write(".gitattributes", "* filter=odd\n")
    for setting in ("filter.odd.clean", "core.fsmonitor"):
        repo("config", setting, f"touch {tmp_path}/ran; cat")
    repo.write("src/limiter.py", "one = 3\n")
    assert changed(repo.folder, record) == ["src/limiter.py"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("init", [False, True])
def test_without_git_and_without_a_commit_what_is_gone_is_still_told(init: bool, tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    if init:
        Repository(root)
    (root / "a.py").write_text("x\n")
    record = argued(root, "a.py:1", "")
    assert changed(root, record) == []
    (root / "a.py").unlink()
    assert changed(root, record) == ["a.py"]
