"""What the corpora of shell commands say is so: readers change nothing, and what is said to change something does.

Each command is run by bash in a sandbox. A program that is not installed proves nothing, and is left out.
"""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, zip_longest
from pathlib import Path

import pytest
from corpus.entries import CORPORA, Entry, entries
from corpus.repository import COMMITTED, build
from corpus.running import Outcome, Run, run_sandboxed

linux = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")
each_corpus = pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.stem)


def run_all(chosen: list[Entry], folder: Path) -> list[tuple[Entry, Outcome]]:
    """What came of each, by two sandboxes side by side; without those whose programs are not here."""
    build(folder / "repository")
    runs = [Run(entry.command, entry.needs, 1 if entry.endless else 10) for entry in chosen]

    def run_half(which: int) -> list[Outcome]:
        stage = folder / f"stage-{which}"
        stage.mkdir()
        return run_sandboxed(folder / "repository", runs[which::2], stage)

    with ThreadPoolExecutor() as pool:
        halves = zip_longest(*pool.map(run_half, (0, 1)))
    outcomes = zip(chosen, chain.from_iterable(halves), strict=False)  # the shorter half is filled up
    return [(entry, outcome) for entry, outcome in outcomes if not outcome.missing]


def test_the_repository_holds_what_the_corpora_name(tmp_path: Path) -> None:
    repo = build(tmp_path)
    assert set(repo("ls-files").splitlines()) == set(COMMITTED)
    assert repo("status", "--porcelain", "--ignored").splitlines() == [
        "M src/util.py",
        "?? notes.txt",
        "!! build/",
    ]
    assert [repo("rev-list", "--count", name) for name in ("v1.0", "main", "feature")] == ["1", "2", "3"]
    assert repo("branch", "--show-current") == "main"
    assert not repo("remote")
    assert repo("config", "--local", "user.name")


@each_corpus
def test_every_entry_says_what_it_is_and_no_command_is_there_twice(corpus: Path) -> None:
    found = entries(corpus)
    assert {entry.verdict for entry in found} <= {"read", "writes", "ask"}
    assert {entry.kind for entry in found} <= {"everyday", "evasion", "other"}
    assert [
        command for command, times in Counter(entry.command for entry in found).items() if times > 1
    ] == []
    assert [entry.command for entry in found if entry.changes and entry.verdict == "read"] == []


@linux
@each_corpus
def test_what_is_said_to_read_changes_nothing(corpus: Path, tmp_path: Path) -> None:
    readers = [entry for entry in entries(corpus) if entry.verdict == "read"]
    ran = run_all(readers, tmp_path)
    assert len(ran) >= 0.8 * len(readers), "too many programs are missing here"
    assert {entry.command: outcome.changed for entry, outcome in ran if outcome.changed} == {}
    assert [e.command for e, outcome in ran if outcome.timed_out and not e.endless] == []
    unproven = {e.command: o.stderr for e, o in ran if o.code == 127 or "syntax error" in o.stderr}
    assert unproven == {}, "what did not run proves nothing: does it lack a `needs`?"


@linux
@each_corpus
def test_what_is_said_to_change_something_does(corpus: Path, tmp_path: Path) -> None:
    changers = [entry for entry in entries(corpus) if entry.changes]
    ran = run_all(changers, tmp_path)
    assert len(ran) >= 0.8 * len(changers), "too many programs are missing here"
    assert {entry.command: outcome.stderr for entry, outcome in ran if not outcome.changed} == {}


@linux
def test_the_sandbox_sees_every_kind_of_change(tmp_path: Path) -> None:
    seen = {
        "echo x > new": "home/sam/project/new: new",
        "rm notes.txt": "home/sam/project/notes.txt: deleted",
        "echo x >> notes.txt": "home/sam/project/notes.txt: other content",
        "touch notes.txt": "home/sam/project/notes.txt: other time",
        "chmod 600 notes.txt": "home/sam/project/notes.txt: other mode",
        "rm -r docs && mkdir docs": "home/sam/project/docs: other time",
        "mv docs papers": "home/sam/project/papers/guide.md: new",
        "git add notes.txt": "home/sam/project/.git/index: other content",
        "git tag x": "home/sam/project/.git/refs/tags/x: new",
        "echo x > ~/.profile": "home/sam/.profile: new",
        "echo x > /elsewhere": "elsewhere: new",
        "(sleep 0.3; touch late) & disown": "home/sam/project/late: new",
    }
    ran = run_all([Entry(command, "writes", "other") for command in seen], tmp_path)
    assert {entry.command: seen[entry.command] in outcome.changed for entry, outcome in ran} == dict.fromkeys(
        seen, True
    )


@linux
def test_the_sandbox_lets_nothing_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    attempts = [
        f"mkdir -p {outside} && echo x > {outside}/file",
        "echo x > /etc/corpus-was-here",
        "echo x > /usr/corpus-was-here",
        "kill -9 -1; kill -9 1",
        "echo 1 > /proc/sys/kernel/sysrq",
        "date -s 2001-01-01",
        "mount -o remount,rw /usr && echo x > /usr/corpus-was-here",
        "exec 3<>/dev/tcp/127.0.0.1/22",
        "sleep 60",
    ]
    ran = run_all(
        [Entry(command, "ask", "other", endless="sleep" in command) for command in attempts], tmp_path
    )
    assert len(ran) == len(attempts)
    assert all(outcome.code for _, outcome in ran[1:3] + ran[4:]), ran
    assert list(outside.iterdir()) == []
    assert not Path("/etc/corpus-was-here").exists()
    assert not Path("/usr/corpus-was-here").exists()
