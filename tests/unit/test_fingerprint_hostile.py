"""Whatever a repository names, and however slow it is: comparing it runs nothing of its own, and writes nothing."""

import os
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from repositories import QUIET, Repository

from debate.guard import fingerprint, git


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """With a submodule, lib/part."""
    part = Repository(tmp_path / "part")
    part.commit("Part", app__py="one\n")
    repo = Repository(tmp_path / "project")
    repo.commit("Begin", app__py="one\n")
    repo("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part.folder), "lib/part")
    repo.commit("Add the part")
    return repo


def changed_during(repo: Repository, change: Callable[[], object]) -> list[str]:
    before = fingerprint.take(str(repo.folder))
    change()
    return fingerprint.compare(before, str(repo.folder))[0]


class Witness:
    """A program that leaves a trace when it is run."""

    def __init__(self, folder: Path) -> None:
        self.trace, self.path = folder / "trace", folder / "witness"
        self.path.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.trace}\n')
        self.path.chmod(0o755)
        hooks = folder / "witness.hooks"
        hooks.mkdir()
        (hooks / "post-index-change").symlink_to(self.path)

    def ran(self) -> str:
        said = self.trace.read_text() if self.trace.exists() else ""
        self.trace.unlink(missing_ok=True)
        return said


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(tmp_path)


MOMENTS = count(1)


def touch(repo: Repository) -> None:
    """git must look at its files again."""
    for path in repo.folder.rglob("*.py"):
        os.utime(path, (1, next(MOMENTS)))


SETTINGS = {
    "a file-system monitor": [("core.fsmonitor", "{}")],
    "a clean filter": [("filter.odd.clean", "{}"), ("filter.odd.required", "true")],
    "a filter process": [("filter.odd.process", "{}"), ("filter.odd.required", "true")],
    "an external diff": [("diff.external", "{}"), ("diff.odd.command", "{}"), ("diff.odd.textconv", "{}")],
    "a hook": [("core.hooksPath", "{}.hooks")],
}


@pytest.mark.parametrize("inside", ["", "lib/part"], ids=["project", "submodule"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_program_that_the_repository_names_is_not_run(
    repo: Repository, witness: Witness, setting: str, inside: str
) -> None:
    where = Repository(repo.folder / inside)
    where.write(".gitattributes", "*.py filter=odd diff=odd\n")
    first = where.commit("Attributes", app__py="two\n")
    second = where.commit("Next", app__py="three\n", more__py="one\n")
    for key, value in SETTINGS[setting]:
        where("config", key, value.format(witness.path))

    def edit_and_move_the_branch() -> None:
        where.write("app.py", "four\n")
        subprocess.run(["git", "update-ref", "HEAD", first, second], cwd=where.folder, check=True)
        touch(repo)

    touch(repo)
    witness.ran()
    changed = changed_during(repo, edit_and_move_the_branch)
    assert witness.ran() == ""
    assert os.path.join(inside, "app.py") in changed
    touch(repo)
    for command in (["status"], ["diff"], ["update-index", "--refresh"]):
        subprocess.run(["git", *command], cwd=where.folder, capture_output=True)
    assert witness.ran(), "nothing was tested: git itself does not run it"


def test_a_filter_that_cannot_be_switched_off_keeps_git_out(repo: Repository, witness: Witness) -> None:
    repo.write(".gitattributes", "*.py filter=a=b\n")
    repo("config", "filter.a=b.clean", str(witness.path))
    touch(repo)
    assert changed_during(repo, lambda: repo.write("app.py", "two\n")) == ["app.py"]
    assert witness.ran() == ""
    repo("status")
    assert witness.ran(), "nothing was tested"


def test_nothing_is_fetched_for_an_object_that_is_missing(
    repo: Repository, witness: Witness, tmp_path: Path
) -> None:
    first = repo("rev-parse", "HEAD")
    repo.commit("Second", app__py="two\n")
    repo("config", "uploadpack.allowFilter", "true")
    repo("clone", "-q", "--filter=tree:0", f"file://{repo.folder}", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    clone("config", "remote.origin.url", "ssh://nowhere.invalid/x")
    clone("config", "core.sshCommand", str(witness.path))

    def go_back() -> None:
        clone("update-ref", "HEAD", first)

    changed_during(clone, go_back)
    assert witness.ran() == ""
    with pytest.raises(subprocess.CalledProcessError):
        clone("status")
    assert witness.ran(), "nothing was tested"


def test_looking_writes_nothing_into_the_repository(repo: Repository) -> None:
    first = repo("rev-parse", "HEAD")
    repo.commit("Second", app__py="two\n")
    touch(repo)  # git would note this
    kept = {path: path.read_bytes() for path in (repo.folder / ".git").rglob("*") if path.is_file()}
    head = repo.folder / ".git/refs/heads/main"
    assert changed_during(repo, lambda: head.write_text(f"{first}\n")) == [], "the files are as they were"
    kept[head] = head.read_bytes()
    assert {path: path.read_bytes() for path in (repo.folder / ".git").rglob("*") if path.is_file()} == kept
    for command in (["diff"], ["status"]):
        repo(*command)
        index = repo.folder / ".git/index"
        assert index.read_bytes() != kept[index], "nothing was tested"
        touch(repo)
        kept[index] = index.read_bytes()


def test_variables_that_point_git_elsewhere_are_not_followed(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit("Other", other__py="x\n")
    for name, value in (("DIR", ".git"), ("WORK_TREE", ""), ("INDEX_FILE", ".git/index")):
        monkeypatch.setenv(f"GIT_{name}", str(other.folder / value))
    assert changed_during(repo, lambda: repo.write("app.py", "two\n")) == ["app.py"]


def test_a_git_that_takes_too_long_gives_no_answer(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint.take(str(repo.folder))
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "SECONDS", 0.1)
    with pytest.raises(TimeoutError, match="git took more than"):
        fingerprint.take(str(repo.folder))
    assert fingerprint.compare(before, str(repo.folder)) == ([fingerprint.SILENT], [])
