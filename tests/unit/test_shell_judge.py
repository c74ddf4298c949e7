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


def commands_that_take_long() -> Iterator[str]:
    yield "echo " + "{a,b}" * 30
    yield "for a in 1 2 3 4 5 6 7 8 9; do " * 12 + "echo $a" + "; done" * 12
    yield "echo " + "$(" * 300 + ")" * 300
    yield "echo " + "'x'" * 30_000
    yield "cat " + "<<E " * 500 + "\n" + "E\n" * 500
    yield "[[ " + "( " * 3000 + "a" + " )" * 3000 + " ]]"
    yield "sed -n '" + "/[" * 20_000 + "'"


@pytest.mark.parametrize("command", list(commands_that_take_long()), ids=lambda command: command[:20])
@pytest.mark.timeout(10)
def test_a_command_made_to_take_long_is_decided_at_once(judging: Judging, command: str) -> None:
    assert judging(command).word in ("read", "writes", "ask")
