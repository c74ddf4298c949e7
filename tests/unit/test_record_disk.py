"""What the disk refuses is said in words and leaves the record as it was; what is not a file of ours is left alone."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock, Timeout
from helpers import ROOT
from records import STEM, add, aside, debate, end, left_in, said, speech, written

from debate.model import BadInput, OutOfReach, Unknown
from debate.record import disk, files, names, verify


def in_a_mount(options: str, folder: Path, program: str) -> str:
    """Run the program with its own file system at this folder; says what it printed."""
    folder.mkdir(exist_ok=True)
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    mount = f'mount {options} && exec "$@"'
    if not shutil.which("unshare") or subprocess.run([*unshare, "sh", "-c", mount, "", "true"]).returncode:
        pytest.skip("this machine lets nobody mount a file system of their own")
    result = subprocess.run(
        [*unshare, "sh", "-c", mount, "", sys.executable, "-c", program, str(folder)],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


FILL = """
import sys
from pathlib import Path
from debate.model import OutOfReach
from debate.record import files
from records import *
root = Path(sys.argv[1])
record = files.create(root, debate())
ballast = root / "ballast"
ballast.write_bytes(bytes(8192))
for number in range(1000):
    before = record.path.read_bytes()
    try:
        record = add(record.path, speech("words " * 400, round=number))
    except OutOfReach as error:
        full = error
        break
assert record.path.read_bytes() == before, "the record has changed"
def refused(action):
    try:
        action()
    except OutOfReach as error:
        return error.message
    raise AssertionError("it was not refused")
print(full.message, full.suggestion)
print(refused(lambda: end(record.path)))
print(refused(lambda: files.create(root, debate("Another one? " + "Why " * 900))))
assert record.path.read_bytes() == before, "the record has changed"
assert findings(record.path) == [] and len(said(record.path)) == number
assert not list(root.glob(".debates/*another*")) and not list(root.glob(".debates/.*.new"))
ballast.unlink()
add(record.path, speech("after all", round=number))
assert findings(record.path) == [] and len(said(record.path)) == number + 1
"""


def test_a_full_disk_is_said_and_leaves_the_record_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "full"
    lines = in_a_mount(f"-t tmpfs -o size=64k none {folder}", folder, FILL).splitlines()
    assert all("cannot be written: No space left on device" in line for line in lines) and len(lines) == 3
    assert lines[0].endswith("Nothing was added. Free some disk space and run the same command again.")


def test_a_file_that_may_not_grow_is_said_like_a_full_disk(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))  # room for half a turn
        with pytest.raises(OutOfReach, match="File too large") as refused:
            add(path, speech("five"))
        with pytest.raises(OutOfReach, match="File too large"):
            end(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert refused.value.suggestion.startswith("Free some disk space")
    assert path.read_bytes() == before
    assert left_in(path.parent) == [path.name]
    assert add(path, speech("five")).debate.last_seq == 5


def test_a_full_disk_while_a_torn_turn_is_set_aside_loses_none_of_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    torn = b"\n### Main \xc2\xb7 view\n\n" + b"words " * 1000
    path.write_bytes(path.read_bytes() + torn)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
        with pytest.raises(OutOfReach, match="File too large"):
            add(path, speech("five"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before and aside(path) == b""
    add(path, speech("five"))
    assert aside(path) == torn + b"\n" and len(said(path)) == 5


READ_ONLY = """
import sys
from pathlib import Path
from debate.model import OutOfReach
from debate.record import files
from records import *
root = Path(sys.argv[1])
path = root / ".debates" / f"{STEM}.md"
assert said(path) == ["one", "two", "three", "four"] and findings(path) == []
for action in (lambda: add(path, speech("five")), lambda: end(path), lambda: files.create(root, debate("Other"))):
    try:
        action()
    except OutOfReach as error:
        print(error.message, error.suggestion)
"""


def test_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    path = written(folder)
    shutil.rmtree(path.parent / ".locks", ignore_errors=True)
    before = path.read_bytes()
    options = f"--bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    lines = in_a_mount(options, folder, READ_ONLY).splitlines()
    assert len(lines) == 3 and all(
        "Read-only file system. Nothing was added. Make the folder" in line for line in lines
    )
    assert path.read_bytes() == before


# What is not a file of ours


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to a file", "link to nothing"])
def test_what_lies_in_a_records_place_is_neither_written_nor_read(tmp_path: Path, kind: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside.md"
    project.mkdir()
    outside.write_text("---\ntopic: secret\n---\n")
    path = project / ".debates" / f"{STEM}.md"
    path.parent.mkdir()
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link to a file":
            path.symlink_to(outside)
        case _:
            path.symlink_to(tmp_path / "nowhere.md")
    assert files.create(project, debate()).debate.id == f"{STEM}-2", "the name is taken"
    assert names.find(project, STEM) == STEM and names.stems(project) == [f"{STEM}-2"]
    for action in (lambda: files.read(path), lambda: add(path, speech("x")), lambda: end(path)):
        with pytest.raises(BadInput, match="is not a file"):
            action()
    assert outside.read_text() == "---\ntopic: secret\n---\n" and not (tmp_path / "nowhere.md").exists()


@pytest.mark.parametrize("name", [f".{STEM}.md.new", f"{STEM}.torn", f".locks/{STEM}.lock", ".gitignore"])
def test_a_link_that_waits_where_we_write_leads_nowhere(tmp_path: Path, name: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / ".debates" / ".locks").mkdir(parents=True)
    outside.write_text("theirs")
    (project / ".debates" / name).symlink_to(outside)
    try:
        path = written(project)
        path.write_bytes(path.read_bytes() + b"\n### Main \xc2\xb7 view\n\ntorn")
        end(path)
    except OutOfReach as refused:
        assert "Move away what is in the way" in refused.suggestion
    assert outside.read_text() == "theirs"


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / ".debates").write_text("mine")
    with pytest.raises(OutOfReach, match=r"\.debates cannot be written") as refused:
        files.create(tmp_path, debate())
    assert "in the way" in refused.value.suggestion
    assert names.stems(tmp_path) == [] and (tmp_path / ".debates").read_text() == "mine"


def test_a_record_that_is_gone_is_said(tmp_path: Path) -> None:
    path = written(tmp_path)
    record = files.read(path)
    path.unlink()
    for action in (
        lambda: files.read(path),
        lambda: files.append(record, speech("x")),
        lambda: verify.problems(record),
    ):
        with pytest.raises(Unknown, match="is gone"):
            action()
    assert not path.exists()


# The lock


def test_filelock_and_ours_are_one_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "LOCK_SECONDS", 0.05)
    path = written(tmp_path)
    other = FileLock(path.parent / ".locks" / f"{STEM}.lock")
    with files.locked(path), pytest.raises(Timeout):
        other.acquire(timeout=0.05)
    with (
        other,
        pytest.raises(OutOfReach, match=r"Another process has been writing .*\.md for 0\.05 s"),
        files.locked(path),
    ):
        pass
    with files.locked(path), pytest.raises(OutOfReach), files.locked(path):
        pass
    with files.locked(path):
        pass


def test_a_lock_file_that_was_cleaned_away_locks_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waited on it and whoever comes later must not both get in."""
    path = written(tmp_path)
    lock = path.parent / ".locks" / f"{STEM}.lock"
    real = disk.fcntl.flock

    def cleaned_meanwhile(descriptor: int, operation: int) -> None:
        monkeypatch.setattr(disk.fcntl, "flock", real)
        lock.unlink()
        real(descriptor, operation)

    with files.locked(path):
        pass
    monkeypatch.setattr(disk.fcntl, "flock", cleaned_meanwhile)
    with files.locked(path), pytest.raises(Timeout):
        FileLock(lock).acquire(timeout=0.05)


# Discarding, and what stays of a file


def test_a_discarded_record_lies_in_the_trash_for_thirty_days_with_its_torn_part(tmp_path: Path) -> None:
    path, trash, now = written(tmp_path), tmp_path / "trash", 1_795_000_000.0
    data = path.read_bytes()
    path.with_suffix(".torn").write_bytes(b"half")
    kept = files.discard(path, trash, now)
    assert kept.read_bytes() == data and kept.with_suffix(".torn").read_bytes() == b"half"
    assert not path.exists() and not path.with_suffix(".torn").exists() and names.stems(tmp_path) == []
    assert files.discard(written(tmp_path), trash, now) != kept, "two of one name in one second are both kept"
    for file in trash.iterdir():
        os.utime(file, (now, now))
    files.discard(written(tmp_path), trash, now + 29 * 86400)
    assert kept.exists()
    files.discard(written(tmp_path), trash, now + 31 * 86400)
    assert not kept.exists()


def test_a_conclusion_leaves_the_files_permissions_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.chmod(0o640)
    end(path)
    assert path.stat().st_mode & 0o777 == 0o640
