"""What changed while a command ran, against real repositories: by content, without running anything of theirs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import ROOT
from real_entry import powerless
from repositories import QUIET, Repository

from debate.guard import fingerprint

Change = Callable[[Repository], object]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """Committed: app.py, lib.py, run.sh, link, .gitignore. Dirty: dirty.py. New: new.txt. Ignored: build/."""
    repo = Repository(tmp_path / "project")
    repo.write("run.sh").chmod(0o755)
    (repo.folder / "link").symlink_to("app.py")
    repo.write(".gitignore", "build/\n*.log\n")
    repo.commit("Begin", app__py="one\n", lib__py="one\n", dirty__py="one\n")
    repo.write("dirty.py", "two\n")
    repo.write("new.txt")
    repo.write("build/out.o")
    return repo


def during(root: Path, change: Callable[[], object]) -> tuple[list[str], list[str]]:
    """The tracked files that changed, and the others that came; kept in between as the session log keeps it."""
    before = json.loads(json.dumps(fingerprint.take(str(root))))
    change()
    return fingerprint.compare(before, str(root))


def remade(repo: Repository, name: str, content: str) -> None:
    """As an editor saves: another file takes the old one's name."""
    repo.write(f"{name}.tmp", content).rename(repo.folder / name)


CHANGES: dict[str, tuple[Change, list[str]]] = {
    "nothing": (lambda repo: None, []),
    "reading": (lambda repo: repo("status"), []),
    "a touch": (lambda repo: os.utime(repo.folder / "app.py"), []),
    "a touch of what was dirty": (lambda repo: os.utime(repo.folder / "dirty.py"), []),
    "an edit": (lambda repo: repo.write("app.py", "two\n"), ["app.py"]),
    "an edit of the same length": (lambda repo: repo.write("app.py", "eno\n"), ["app.py"]),
    "a save by rename": (lambda repo: remade(repo, "app.py", "two\n"), ["app.py"]),
    "the same saved again": (lambda repo: remade(repo, "app.py", "one\n"), []),
    "an edit that is staged": (lambda repo: (repo.write("app.py", "two\n"), repo("add", "app.py")), ["app.py"]),
    "an edit of what was dirty": (lambda repo: repo.write("dirty.py", "six\n"), ["dirty.py"]),
    "staging what was dirty": (lambda repo: repo("add", "dirty.py"), []),
    "what was dirty put back": (lambda repo: repo("checkout", "-q", "dirty.py"), ["dirty.py"]),
    "a removal": (lambda repo: (repo.folder / "app.py").unlink(), ["app.py"]),
    "a staged removal": (lambda repo: repo("rm", "-q", "app.py"), ["app.py"]),
    "a removal of what was dirty": (lambda repo: (repo.folder / "dirty.py").unlink(), ["dirty.py"]),
    "a file put out of the index": (lambda repo: repo("rm", "-q", "--cached", "app.py"), []),
    "a file put out of the index and edited": (
        lambda repo: (repo("rm", "-q", "--cached", "app.py"), repo.write("app.py", "two\n")),
        ["app.py"],
    ),
    "a commit without a file that stays": (
        lambda repo: (repo("rm", "-q", "--cached", "app.py"), repo("commit", "-qm", "x")),
        [],
    ),
    "a commit without a file that is edited": (
        lambda repo: (
            repo("rm", "-q", "--cached", "app.py"), repo("commit", "-qm", "x"), repo.write("app.py", "two\n"),
        ),
        ["app.py"],
    ),
    "a mode": (lambda repo: (repo.folder / "app.py").chmod(0o755), ["app.py"]),
    "a mode of what was dirty": (lambda repo: (repo.folder / "dirty.py").chmod(0o755), ["dirty.py"]),
    "a mode that git does not keep": (lambda repo: (repo.folder / "dirty.py").chmod(0o600), []),
    "a file that became a link": (
        lambda repo: ((repo.folder / "app.py").unlink(), (repo.folder / "app.py").symlink_to("lib.py")),
        ["app.py"],
    ),
    "a link that leads elsewhere": (
        lambda repo: ((repo.folder / "link").unlink(), (repo.folder / "link").symlink_to("lib.py")),
        ["link"],
    ),
    "a file that became a folder": (
        lambda repo: ((repo.folder / "dirty.py").unlink(), repo.write("dirty.py/x")),
        ["dirty.py"],
    ),
    "a rename": (lambda repo: repo("mv", "app.py", "b.py"), ["app.py"]),
    "a commit of what was dirty": (lambda repo: repo("commit", "-qam", "x"), []),
    "a commit of everything": (lambda repo: repo.commit("x"), []),
    "an edit and its commit": (lambda repo: repo.commit("x", app__py="two\n"), ["app.py"]),
    "a rename and its commit": (lambda repo: (repo("mv", "app.py", "b.py"), repo.commit("x")), ["app.py"]),
    "a stash": (lambda repo: repo("stash", "-q"), ["dirty.py"]),
    "a reset": (lambda repo: repo("reset", "-q", "--hard"), ["dirty.py"]),
    "a soft reset": (lambda repo: (repo.commit("x"), repo("reset", "-q", "--soft", "HEAD~1")), []),
    "a branch without a commit": (lambda repo: repo("checkout", "-q", "--orphan", "empty"), []),
    "no repository any more": (lambda repo: (repo.folder / ".git").rename(repo.folder / "x"), [fingerprint.SILENT]),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_is_told_by_content(repo: Repository, what: str) -> None:
    change, changed = CHANGES[what]
    assert during(repo.folder, lambda: change(repo))[0] == changed


def test_another_branch_and_an_older_commit_change_what_differs_there(repo: Repository) -> None:
    first = repo("rev-parse", "HEAD")
    repo("checkout", "-q", "-b", "other")
    repo.commit("Other", app__py="two\n", more__py="one\n", dirty__py="one\n")
    repo("rm", "-q", "lib.py")
    repo.commit("Less")
    repo.write("dirty.py", "two\n")
    there = ["app.py", "lib.py", "more.py", "new.txt"]
    assert during(repo.folder, lambda: repo("checkout", "-q", "main"))[0] == [
        path
        for path in there
        if path != "lib.py"  # it came back: no commit here knew it
    ]
    assert during(repo.folder, lambda: repo("checkout", "-q", "other"))[0] == ["app.py", "lib.py"]
    repo("checkout", "-q", "dirty.py")
    assert "app.py" in during(repo.folder, lambda: repo("reset", "-q", "--hard", first))[0]


@pytest.mark.parametrize("how", ["--soft", "--mixed"])
def test_a_commit_that_is_undone_changes_no_file(repo: Repository, how: str) -> None:
    repo.commit("More", app__py="two\n", more__py="one\n")
    assert during(repo.folder, lambda: repo("reset", "-q", how, "HEAD~1"))[0] == []
    repo.commit("More")

    def undo_and_edit() -> None:
        os.utime(repo.folder / "lib.py", (1, 1))
        repo("reset", "-q", how, "HEAD~1")
        repo.write("app.py", "six\n")

    assert during(repo.folder, undo_and_edit)[0] == ["app.py"]


def test_a_merge_that_stopped_halfway_changes_the_files_in_conflict(repo: Repository) -> None:
    repo("checkout", "-q", "dirty.py")
    repo.branch("other")
    repo.commit("Theirs", app__py="theirs\n")
    repo("checkout", "-q", "main")
    repo.commit("Ours", app__py="ours\n")

    def merge() -> None:
        with pytest.raises(subprocess.CalledProcessError):
            repo("merge", "-q", "other")

    assert during(repo.folder, merge)[0] == ["app.py"]
    assert during(repo.folder, lambda: repo.write("app.py", "both\n"))[0] == ["app.py"]
    assert during(repo.folder, lambda: repo("merge", "--abort"))[0] == ["app.py", "new.txt"]


def test_new_and_ignored_files_are_told_and_are_no_violation(repo: Repository) -> None:
    def run() -> None:
        for path in ("more.txt", "cache/a/b.bin", "out.log", "new.txt", "build/out.o"):
            repo.write(path, "fresh\n")
        repo.write("staged.txt")
        repo("add", "staged.txt")

    assert during(repo.folder, run) == ([], ["cache/", "more.txt", "out.log", "staged.txt"])
    assert during(repo.folder, lambda: repo.write("staged.txt", "more\n"))[0] == ["staged.txt"]
    assert during(repo.folder, lambda: repo("add", "-A")) == ([], ["cache/a/b.bin"]), (
        "nothing came but a name"
    )


def test_records_and_the_helpers_files_are_left_out(repo: Repository) -> None:
    def argue() -> None:
        repo.write(".debates/x.md", "more\n")
        repo.write(".debates/y.md")

    assert during(repo.folder, argue) == ([], [])
    repo("add", "-f", ".debates")
    repo.commit("Keep them")
    repo.write(".debates/x.md", "x\n")
    assert during(repo.folder, argue) == ([], [])

    def argue_and_commit() -> None:
        argue()
        repo.commit("More")

    assert during(repo.folder, argue_and_commit) == ([], [])
    assert during(repo.folder, lambda: repo.write(".debatesx/x.md")) == ([], [".debatesx/"])


def test_before_the_first_commit_what_is_staged_counts_as_tracked(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "project")
    repo.write("a.py")
    repo.write("b.py")
    repo("add", "a.py")
    assert during(repo.folder, lambda: repo.write("a.py", "two\n"))[0] == ["a.py"]
    assert during(repo.folder, lambda: repo.write("b.py", "two\n")) == ([], [])
    assert during(repo.folder, lambda: repo.commit("Begin")) == ([], [])
    assert during(repo.folder, lambda: repo.write("b.py", "six\n"))[0] == ["b.py"]


ODD = [
    "line\nbreak.py",
    "blanks at the end ",
    "tab\t.py",
    'quo"te\\.py',
    "-rf",
    "#x",
    "是.py",
    os.fsdecode(b"no\xff.py"),
]


@pytest.mark.parametrize("name", ODD)
def test_a_name_may_be_anything(repo: Repository, name: str) -> None:
    repo.write(name)
    repo.commit("Odd")
    assert during(repo.folder, lambda: repo.write(name, "two\n"))[0] == [name]
    assert during(repo.folder, lambda: repo.write(name, "six\n"))[0] == [name]
    assert during(repo.folder, lambda: repo.commit("Odder", app__py="odd\n"))[0] == ["app.py"]
    assert during(repo.folder, lambda: repo.write(f"{name}.new")) == ([], [f"{name}.new"])


def test_of_a_huge_file_size_and_times_are_compared(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "MOST_BYTES", 10)
    for name in ("app.py", "dirty.py"):
        repo.write(name, b"x" * 100)
    assert during(repo.folder, lambda: repo.write("app.py", b"x" * 101))[0] == ["app.py"]
    assert during(repo.folder, lambda: os.utime(repo.folder / "app.py", (1, 1)))[0] == ["app.py"]
    assert during(repo.folder, lambda: repo("status"))[0] == []


POWERLESS = """
import sys
from debate.guard.fingerprint import compare, take
before = take(sys.argv[1])
__import__("os").chmod(sys.argv[2], 0)
print(*compare(before, sys.argv[1])[0])
"""


@pytest.mark.parametrize("name", ["app.py", "dirty.py"])
def test_a_file_that_was_made_unreadable_has_changed(repo: Repository, name: str) -> None:
    command = [sys.executable, "-c", POWERLESS, repo.folder, repo.folder / name]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environ, preexec_fn=powerless, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (f"{name}\n", 0), done.stderr


def test_where_the_project_is_a_part_of_the_repository_the_rest_of_it_counts_too(repo: Repository) -> None:
    part = repo.folder / "packages" / "part"
    (part / ".debates").mkdir(parents=True)
    repo.write("packages/part/own.py")
    repo.write("packages/part/.debates/x.md")
    repo.commit("A part")

    def run() -> None:
        for path in ("app.py", "packages/part/own.py", "packages/part/.debates/x.md", "packages/part/new.py"):
            repo.write(path, "two\n")

    assert during(part, run) == (["../../app.py", "own.py"], ["new.py"])


# -- repositories inside ---------------------------------------------------------------------------------------------


@pytest.fixture
def part(repo: Repository, tmp_path: Path) -> Repository:
    """A submodule of the project, with one of its own."""
    deep = Repository(tmp_path / "deep")
    deep.commit("Deep", deep__py="one\n")
    source = Repository(tmp_path / "part")
    source.commit("Part", part__py="one\n", dirty__py="one\n")
    allowed = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    source(*allowed, "add", str(deep.folder), "deep")
    source.commit("Deeper")
    repo(*allowed, "add", str(source.folder), "lib/part")
    repo(*allowed, "update", "--init", "--recursive")
    repo.commit("Add the part")
    part = Repository(repo.folder / "lib/part")
    part.write("dirty.py", "two\n")
    return part


def test_submodules_are_looked_into(repo: Repository, part: Repository) -> None:
    assert during(repo.folder, lambda: part.write("part.py", "two\n")) == (["lib/part/part.py"], [])
    assert during(repo.folder, lambda: part.write("dirty.py", "six\n")) == (["lib/part/dirty.py"], [])
    assert during(repo.folder, lambda: part.write("new.py")) == ([], ["lib/part/new.py"])
    assert during(repo.folder, lambda: part.write("deep/deep.py", "x\n")) == (["lib/part/deep/deep.py"], [])
    assert during(repo.folder, lambda: part.commit("All of it")) == ([], []), "the files are as they were"
    assert during(repo.folder, lambda: part("reset", "-q", "--hard", "HEAD~1"))[0] == [
        "lib/part/dirty.py", "lib/part/new.py", "lib/part/part.py",
    ]  # fmt: skip
    assert during(repo.folder, lambda: repo("submodule", "--quiet", "deinit", "-f", "lib/part"))[0] == [
        "lib/part", "lib/part/deep",
    ]  # fmt: skip
    assert during(repo.folder, lambda: repo("submodule", "--quiet", "update", "--init")) == (
        [],
        ["lib/part/"],
    )


def test_a_submodule_that_git_does_not_know_any_more_is_looked_into_without_it(
    repo: Repository, part: Repository
) -> None:
    (part.folder / ".git").unlink()
    (part.folder / ".git").mkdir()
    assert during(repo.folder, lambda: part.folder.joinpath("part.py").write_text("more\n")) == (
        ["lib/part/part.py"],
        [],
    )


def test_a_repository_inside_that_is_no_submodule_is_looked_into(repo: Repository) -> None:
    nested, named = Repository(repo.folder / "nested"), Repository(repo.folder / "named")
    for inside in (nested, named):
        inside.commit("Inside", inside__py="one\n")
    repo("add", "named")  # as a submodule, but without its entry in .gitmodules
    repo("commit", "-qm", "Embed it")
    for inside in (nested, named):
        name = inside.folder.name
        assert during(repo.folder, lambda inside=inside: inside.write("inside.py", "two\n"))[0] == [
            f"{name}/inside.py"
        ]
        assert during(repo.folder, lambda inside=inside: inside.write("more.py")) == ([], [f"{name}/more.py"])
    assert during(repo.folder, lambda: Repository(repo.folder / "third"))[1] == ["third/"]


def test_submodules_are_found_in_a_split_index_and_in_a_linked_worktree(
    repo: Repository, part: Repository, tmp_path: Path
) -> None:
    repo("update-index", "--split-index")
    assert during(repo.folder, lambda: part.write("part.py", "two\n"))[0] == ["lib/part/part.py"]
    repo("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repository(tmp_path / "linked")
    linked("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert during(linked.folder, lambda: linked.write("lib/part/part.py", "x\n"))[0] == ["lib/part/part.py"]


def test_links_in_place_of_submodules_lead_in_no_circle(repo: Repository, part: Repository) -> None:
    def loop() -> None:
        part.folder.rename(repo.folder.parent / "aside")
        (repo.folder / "lib/part").symlink_to("..")

    assert "lib/part" in during(repo.folder, loop)[0]
    assert during(repo.folder, lambda: repo.write("app.py", "two\n"))[0] == ["app.py"]


# -- without git -----------------------------------------------------------------------------------------------------


@pytest.fixture(params=["no repository", "no git", "git refuses"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    if request.param == "no repository":
        folder.mkdir()
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    else:
        Repository(folder)
        if request.param == "no git":
            monkeypatch.setenv("PATH", str(tmp_path))
        else:
            (folder / ".git/config").write_text("[broken\n")
    for name in ("a.py", "src/b.py", ".debates/x.md", os.fsdecode(b"no\xff.py")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("one\n")
    (folder / "link").symlink_to("nowhere")
    return folder


def test_without_git_every_file_counts(folder: Path) -> None:
    def write(name: str) -> Callable[[], object]:
        return lambda: (folder / name).write_text("more\n")

    assert during(folder, lambda: None) == ([], [])
    assert during(folder, write("a.py")) == (["a.py"], [])
    assert during(folder, write("src/b.py")) == (["src/b.py"], [])
    assert during(folder, write("src/c.py")) == ([], ["src/c.py"])
    assert during(folder, write(".debates/x.md")) == ([], [])
    assert during(folder, (folder / "a.py").unlink) == (["a.py"], [])
    assert during(folder, (folder / "link").unlink) == (["link"], [])
    assert during(folder, lambda: (folder / "src").rename(folder / "lib"))[0] == ["src/b.py", "src/c.py"]


def test_a_folder_that_becomes_a_repository_has_not_changed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("one\n")
    assert during(folder, lambda: Repository(folder).commit("Begin")) == ([], [])

    def change() -> None:
        (folder / ".git").rename(tmp_path / "aside")
        (folder / "a.py").write_text("more\n")

    assert during(folder, change)[0] == [fingerprint.SILENT]


def test_of_too_many_files_the_first_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST_FILES", 3)
    for name in "bcdef":
        (tmp_path / name).write_text("one\n")
    assert during(tmp_path, (tmp_path / "a").touch) == ([], []), "none that lies beyond now was removed"
    assert during(tmp_path, lambda: (tmp_path / "b").write_text("more\n"))[0] == ["b"]
    assert during(tmp_path, (tmp_path / "b").unlink)[0] == ["b"]
