"""The judge of shell commands against the corpora: nothing that writes passes, next to nothing that reads is asked."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus.entries import CORPORA, Entry, entries
from corpus.repository import build

from debate.guard.places import Places
from debate.guard.shell import Verdict, judge

MOST_ASKED = 0.03  # of everyday commands that only read


class Judging:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.environ = {"HOME": str(folder / "home"), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        self.places = Places(str(self.root), str(folder / "state"), self.environ)

    def __call__(self, command: str, cwd: Path | None = None) -> Verdict:
        return judge(command, str(cwd or self.root), self.environ, self.places.is_free)


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory) -> Judging:
    folder = tmp_path_factory.mktemp("judging")
    build(folder / "project")
    return Judging(folder)


@pytest.fixture(params=CORPORA, ids=lambda path: path.stem)
def corpus(request: pytest.FixtureRequest) -> list[Entry]:
    return entries(request.param)


def test_nothing_that_may_write_passes_silently(judging: Judging, corpus: list[Entry]) -> None:
    passed = [
        entry.command for entry in corpus if entry.verdict != "read" and judging(entry.command).reads_only
    ]
    assert not passed


def test_next_to_no_everyday_reading_is_asked_about(judging: Judging, corpus: list[Entry]) -> None:
    everyday = [entry.command for entry in corpus if entry.kind == "everyday" and entry.verdict == "read"]
    asked = [command for command in everyday if not judging(command).reads_only]
    assert len(asked) <= MOST_ASKED * len(everyday), asked


def test_the_corpora_are_as_large_as_they_should_be() -> None:
    every = [entry for path in CORPORA for entry in entries(path)]
    assert len(every) >= 400 and sum(entry.kind == "evasion" for entry in every) >= 150


def named(verdict: Verdict, root: Path) -> list[str]:
    return [str(Path(path).relative_to(root)) for path in verdict.writes]


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("echo x > README.md", ["README.md"]),
        ("cd src && sed -i s/a/b/ app.py util.py", ["src/app.py", "src/util.py"]),
        ("for f in a b; do touch $f.txt; done", ["a.txt", "b.txt"]),
        ("cat README.md | tee -a notes.txt >/dev/null", ["notes.txt"]),
        ("cp README.md docs", ["docs/README.md"]),
        ("mv notes.txt /tmp/elsewhere", ["notes.txt"]),
        ("sort -o data/items.csv data/items.csv", ["data/items.csv"]),
        ("cat <<'END' > docs/new.md\nwords\nEND", ["docs/new.md"]),
    ],
)
def test_the_paths_that_a_command_writes_are_named(judging: Judging, command: str, paths: list[str]) -> None:
    verdict = judging(command)
    assert named(verdict, judging.root) == paths and not verdict.asks


def test_a_link_in_the_temporary_folder_is_followed_to_where_it_leads(
    judging: Judging, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(judging.root / "README.md")
    assert judging(f"echo x > {tmp_path}/file").reads_only
    assert judging(f"echo x > {tmp_path}/link").writes == [f"{tmp_path}/link"]


def test_another_name_of_a_file_is_not_free(judging: Judging, tmp_path: Path) -> None:
    (tmp_path / "twin").hardlink_to(judging.root / "README.md")
    assert not judging(f"echo x > {tmp_path}/twin").reads_only


def test_git_in_a_folder_that_anyone_may_write_is_not_trusted(judging: Judging, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "made"], check=True)
    assert not judging(f"git -C {tmp_path}/made status").reads_only


def test_a_bare_repository_that_lies_among_the_files_is_not_trusted(tmp_path: Path) -> None:
    build(tmp_path / "project")
    judging = Judging(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", judging.root / "fixtures/given"], check=True)
    assert judging("git -C fixtures status").reads_only
    assert not judging("git -C fixtures/given status").reads_only
    assert not judging("cd fixtures/given && git log").reads_only


def test_a_repository_that_anyone_may_make_above_the_project_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    assert not Judging(tmp_path)("git status").reads_only


def test_going_up_from_a_link_leads_back_to_where_the_link_lies(tmp_path: Path) -> None:
    judging = Judging(tmp_path)
    (judging.root / "src").mkdir(parents=True)
    (tmp_path / "elsewhere/deep").mkdir(parents=True)
    (judging.root / "src/link").symlink_to(tmp_path / "elsewhere/deep")
    assert judging("cd src/link && echo x > file").reads_only
    assert judging("cd src/link && cd .. && echo x > file").writes == [str(judging.root / "src/file")]


def test_a_path_through_a_process_is_never_free(
    judging: Judging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # what is said of ourselves there is not so of the one who writes
    (tmp_path / "link").symlink_to("/proc/self/cwd")
    assert not judging("echo x > /proc/self/cwd/file").reads_only
    assert not judging(f"echo x > {tmp_path}/link/file").reads_only


def test_a_folder_that_may_be_gone_is_not_gone_to(judging: Judging, tmp_path: Path) -> None:
    assert judging(f"cd {tmp_path}; echo x > file").reads_only
    assert not judging(f"rmdir {tmp_path}; cd {tmp_path}; echo x > file").reads_only


def test_where_there_is_no_folder_nothing_follows_and_nothing_is_written_unasked(judging: Judging) -> None:
    assert judging("cd /nowhere/at/all && git log --oneline | head").reads_only
    assert not judging("cd /nowhere/at/all; echo x > file").reads_only
    assert not judging("cd /nowhere/at/all; git -C .. log > file").reads_only


@pytest.mark.parametrize(
    "command", ["sort *", 'for f in *; do sed -n 1p "$f"; done', "git ls-files | xargs file"]
)
def test_a_file_whose_name_looks_like_an_option_is_one(tmp_path: Path, command: str) -> None:
    build(tmp_path / "project")
    assert Judging(tmp_path)(command).reads_only
    (tmp_path / "project/-oREADME.md").touch()
    assert not Judging(tmp_path)(command).reads_only


def test_in_the_temporary_folder_a_name_may_look_like_an_option(judging: Judging, tmp_path: Path) -> None:
    assert judging("sort src/*").reads_only
    assert not judging(f"touch {tmp_path}/-ofile; cd {tmp_path} && sort *").reads_only
    assert not judging(f"cd {tmp_path} && git ls-files | xargs sort").reads_only


def commands_that_take_long() -> Iterator[str]:
    yield "echo " + "{a,b}" * 30
    yield "for a in 1 2 3 4 5 6 7 8 9; do " * 12 + "echo $a" + "; done" * 12
    yield "echo " + "$(" * 300 + ")" * 300
    yield "echo " + "'x'" * 30_000
    yield "cat " + "<<E " * 500 + "\n" + "E\n" * 500
    yield "[[ " + "( " * 3000 + "a" + " )" * 3000 + " ]]"
    yield "sed -n '" + "/[" * 20_000 + "'"
    yield "; ".join(f"f{i}() {{ f{i - 1}; f{i - 1}; }}" for i in range(40)) + "; f39"
    yield "f() { f; f; }; f"
    yield "echo " + "{x}" * 5_000


@pytest.mark.parametrize("command", list(commands_that_take_long()), ids=lambda command: command[:20])
@pytest.mark.timeout(10)
def test_a_command_made_to_take_long_is_decided_at_once(judging: Judging, command: str) -> None:
    assert judging(command).word in ("read", "writes", "ask")
