"""Records to test with: a debate on disk with a few turns in it, and what people do to such files."""

from collections.abc import Iterable
from pathlib import Path

from debate.model import Debate, Turn
from debate.record import files, verify
from debate.record.files import Record

TOPIC = "Should the cache be write-through?"
STEM = "2026-11-18-should-the-cache-be-write-through"


def debate(topic: str = TOPIC, date: str = "2026-11-18T09:30:00Z") -> Debate:
    return Debate(id="", format="dialectic", topic=topic, date=date, commit="1b2c3d4")


def speech(words: str, round: int = 1) -> Turn:
    return Turn("main", "view", words, round=round, fields={"stance": "agree"})


def conclusion(words: str = "We agree.") -> Turn:
    return Turn("main", "conclusion", words, round=1, fields={"outcome": "consensus"})


ENDED = {"status": "completed", "outcome": "consensus"}


def add(path: Path, turn: Turn) -> Record:
    """One more turn, as every command adds it."""
    with files.locked(path):
        return files.append(files.read(path), turn)


def end(path: Path) -> Record:
    with files.locked(path):
        return files.conclude(files.read(path), conclusion(), ENDED)


def written(root: Path, words: Iterable[str] = ("one", "two", "three", "four"), topic: str = TOPIC) -> Path:
    """A record with these turns, two to a round."""
    record = files.create(root, debate(topic))
    for number, said in enumerate(words, 1):
        record = files.append(record, speech(said, round=(number + 1) // 2))
    return record.path


def said(path: Path) -> list[str]:
    return [turn.content for turn in files.read(path).debate.turns]


def findings(path: Path) -> list[str]:
    return verify.problems(files.read(path))[0]


def holding(path: Path) -> int:
    return verify.problems(files.read(path))[1]


def aside(path: Path) -> bytes:
    torn = path.with_suffix(".torn")
    return torn.read_bytes() if torn.exists() else b""


def left_in(folder: Path) -> list[str]:
    """The files of a folder but for those that are always there."""
    always = {".gitignore", ".gitattributes", ".locks"}
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in always)


def change(path: Path, old: str, new: str) -> None:
    """What a person does in an editor: the first such text becomes another."""
    data = path.read_bytes()
    assert old.encode() in data, f"{old!r} is not in the record"
    path.write_bytes(data.replace(old.encode(), new.encode(), 1))


def sections(path: Path) -> list[bytes]:
    """The record in pieces: everything up to the first turn, then each turn with its mark."""
    lines = path.read_bytes().splitlines(keepends=True)
    pieces, piece = [], b""
    title = True
    for line in lines:
        piece += line
        if line.startswith(b"<!-- turn ") or (title and line.startswith(b"# ")):
            title = False
            pieces.append(piece)
            piece = b""
    return [*pieces, piece] if piece else pieces
