"""Any text and any metadata comes back from a record as it went in; whatever happens to its end, no turn is lost."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from unittest import mock

import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from records import (
    ENDED,
    TOPIC,
    add,
    aside,
    conclusion,
    debate,
    end,
    said,
    sections,
    speech,
    written,
)

from debate.formats import replay
from debate.model import BadInput, Turn, Turns
from debate.record import disk, files, names, verify

PLAIN = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
NASTY = st.sampled_from(
    [
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\u2028",
        "\x85",
        "\u202e right to left \u05d0",
        "---\n",
        "```\n",
        "# Title\n",
        "## Round 2\n\n",
        "## Conclusion\n\n",
        "### Main · view\n\n",
        "\n### Main · view\n",
        "-->",
        "<!--",
        "<!-- turn ",
        "\n<!-- turn {} -->\n",
        '\n<!-- turn {"seq":1,"role":"main","kind":"view"} -->\n',
        "\n\\<!-- turn {} -->\n",
        "\n\\\\\\<!-- turn {} -->\n",
        '","hash":"',
        "是否应该用",
        "👩‍💻",
    ]
)
WORDS = st.lists(NASTY | PLAIN, max_size=8).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.dictionaries(WORDS, JSON, max_size=3)
MAYBE = st.none() | WORDS
TURNS = st.builds(
    Turn,
    role=WORDS,
    kind=WORDS.filter(lambda kind: kind != "conclusion"),
    content=WORDS,
    round=st.integers(0, 5),
    phase=MAYBE,
    request=MAYBE,
    parent=st.none() | st.integers(),
    agent=MAYBE,
    model=MAYBE,
    provider=MAYBE,
    fields=FIELDS,
    receipt=st.none() | FIELDS,
    log=st.none() | st.lists(JSON, max_size=3),
    time=WORDS,
)
# Some turns are longer than what is read from the end of a record, some fit in twice.
TAILS = st.sampled_from([files.TAIL, 1000, 60])


patiently = settings(deadline=None, max_examples=60)


@contextmanager
def a_folder(tail: int = files.TAIL) -> Iterator[Path]:
    """A project that lives for one example; what is not asked for here, the disk's own slowness, is left out."""
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(files, "TAIL", tail),
        mock.patch("os.fsync"),
    ):
        yield Path(name)


def placed(turn: Turn) -> Turn:
    """As its author gave it, without what the record adds."""
    return Turn(
        **{**{name: getattr(turn, name) for name in Turn.__slots__}, "seq": 0, "prev": "", "hash": ""}
    )


@patiently
@given(st.lists(TURNS, max_size=6), TAILS)
def test_what_was_appended_is_what_is_read(turns: list[Turn], tail: int) -> None:
    with a_folder(tail) as root:
        record = files.create(root, debate())
        for turn in turns:
            record = files.append(record, turn)
        again = files.read(record.path)
        assert again.debate == record.debate
        assert (again.end, again.body, again.torn) == (record.end, record.body, b"")
        assert [placed(turn) for turn in again.debate.turns] == turns
        assert [turn.seq for turn in again.debate.turns] == list(range(1, len(turns) + 1))
        assert verify.problems(again) == ([], len(turns))


@patiently
@given(st.lists(TURNS, min_size=1, max_size=6), TAILS)
def test_the_newest_turns_come_first_and_the_older_ones_when_they_are_asked_for(
    turns: list[Turn], tail: int
) -> None:
    with a_folder(tail) as root:
        path = files.create(root, debate()).path
        for turn in turns:
            add(path, turn)
        assert files.read(path).debate.turns[-1].content == turns[-1].content
        backwards = [turn.content for turn in reversed(files.read(path).debate.turns)]
        assert backwards == [turn.content for turn in reversed(turns)]


@patiently
@given(st.lists(WORDS, max_size=4), TAILS)
def test_folding_a_record_gives_the_state_that_was_there(words: list[str], tail: int) -> None:
    with a_folder(tail) as root:
        record = files.create(root, debate())
        record = files.append(record, Turn("user", "passed", phase="start"))
        for number, text in enumerate(words, 1):
            record = files.append(record, Turn("main", "view", text, round=number))
            record = files.append(
                record, Turn("partner", "challenge", text, round=number, receipt={"id": "a1"})
            )
        assert replay(files.read(record.path).debate) == replay(record.debate) == (record.debate, [])


@patiently
@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_any_topic_comes_back_or_is_refused_in_words(topic: str) -> None:
    with a_folder() as root:
        try:
            record = files.create(root, debate(topic))
        except BadInput as refused:
            assert "topic" in refused.message and (
                "\0" in topic or any("\ud800" <= c <= "\udfff" for c in topic)
            )
            return
        assert record.debate.topic == record.header["topic"] == topic.strip()
        assert record.path.parent == root / ".debates"
        assert files.append(record, speech("x")) and verify.problems(files.read(record.path)) == ([], 1)


@patiently
@given(WORDS, st.lists(st.tuples(WORDS, WORDS), max_size=3), TAILS)
def test_a_conclusion_keeps_every_turn_and_every_other_value(
    topic: str, known: list[tuple[str, str]], tail: int
) -> None:
    with a_folder(tail) as root:
        path = files.create(root, debate(f"Topic {topic}")).path
        path.write_bytes(
            files.front.change(path.read_bytes(), {f"x{n}": value for n, value in enumerate(known)})
        )
        record = add(path, speech(topic))
        before = dict(record.header)
        ended = end(path)
        assert dict(ended.header) == {**before, **ENDED}
        assert said(path) == [topic, conclusion().content]
        assert verify.problems(ended) == ([], 2)


@pytest.mark.parametrize("field", ["content", "agent", "kind", "request"])
def test_half_a_character_is_refused_and_nothing_is_written(tmp_path: Path, field: str) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match="not UTF-8"):
        add(path, Turn(**{"role": "main", "kind": "view", field: "\ud83e"}))
    assert path.read_bytes() == before


def test_a_nul_byte_is_refused_in_the_words_and_harmless_in_the_metadata(tmp_path: Path) -> None:
    path = written(tmp_path, [])
    with pytest.raises(BadInput, match="NUL"):
        add(path, speech("a\0b"))
    add(path, Turn("main", "view", "a", agent="b\0c", fields={"d\0": "e\0"}))
    assert files.read(path).debate.turns[-1].agent == "b\0c"
    assert b"\0" not in path.read_bytes()


CUT = ["one\r\ntwo", "### Main · view\n\n<!-- turn {} -->\n", "是否应该用 👩‍💻", "## Conclusion\n\nnot yet"]


@pytest.mark.parametrize(("ended", "tail"), [(False, 100), (True, files.TAIL)])
def test_a_record_cut_at_every_byte_opens_keeps_each_whole_turn_and_takes_the_next(
    ended: bool, tail: int
) -> None:
    with a_folder(tail) as root:
        path = written(root, CUT)
        if ended:
            end(path)
        data, words = path.read_bytes(), said(path)
        # A mark is whole with its last character; the line end after it is not needed.
        whole = [place - 1 for place in accumulate(map(len, sections(path)))][1:]
        assert len(whole) == len(words)
        for length in range(len(data) + 1):
            path.write_bytes(data[:length])
            path.with_suffix(".torn").unlink(missing_ok=True)
            cut = files.read(path)
            kept = words[: sum(place <= length for place in whole)]
            assert [turn.content for turn in cut.debate.turns] == kept, length
            assert data[: cut.end] + cut.torn == data[:length], length
            behind = length - max((place for place in whole if place <= length), default=length)
            assert cut.torn or behind <= 2, f"{length}: half a turn was taken for a note"
            assert any("never finished" in found for found in verify.problems(cut)[0]) == bool(cut.torn)

            add(path, speech("next"))
            after = files.read(path)
            assert [turn.content for turn in after.debate.turns] == [*kept, "next"], length
            assert aside(path) == (cut.torn + b"\n" if cut.torn else b""), length
            expected = ["never finished"] if cut.torn else []
            if ended and cut.body and len(kept) < len(words):
                expected.append("the front matter says 'completed'")
            found, holding = verify.problems(after)
            assert [
                finding for part, finding in zip(expected, found, strict=True) if part not in finding
            ] == []
            assert holding == len(kept) + 1


def python(program: str, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )


APPENDER = """
import sys
from pathlib import Path
from debate.model import Turn
from debate.record import files
path, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for n in range(number):
    with files.locked(path):
        files.append(files.read(path), Turn("main", "view", f"{name}-{n}" + "\\nmore" * n, round=n))
"""


def test_appenders_in_several_processes_lose_and_duplicate_nothing(tmp_path: Path) -> None:
    path, number, writers = written(tmp_path, []), 25, "abcd"
    processes = [python(APPENDER, path, name, str(number)) for name in writers]
    assert [process.wait(120) for process in processes] == [0] * len(writers)
    words = [text.partition("\n")[0] for text in said(path)]
    assert Counter(words) == Counter(f"{name}-{n}" for name in writers for n in range(number))
    for name in writers:
        assert [text for text in words if text.startswith(name)] == [f"{name}-{n}" for n in range(number)]
    assert verify.problems(files.read(path)) == ([], number * len(writers))


CREATOR = """
import sys
from pathlib import Path
from debate.model import Debate
from debate.record import files
for n in range(int(sys.argv[2])):
    print(files.create(Path(sys.argv[1]), Debate("", "dialectic", sys.argv[3], "2026-11-18")).debate.id)
"""


def test_debates_of_one_name_begun_at_once_get_different_names(tmp_path: Path) -> None:
    processes = [python(CREATOR, tmp_path, "5", TOPIC) for _ in range(4)]
    made = [name for process in processes for name in process.communicate(timeout=120)[0].split()]
    assert len(made) == len(set(made)) == 20
    assert sorted(made, reverse=True) == names.stems(tmp_path)


def test_a_stale_copy_of_a_record_cannot_overwrite_what_came_after_it(tmp_path: Path) -> None:
    record = files.read(written(tmp_path))
    files.append(record, speech("first"))
    for late in (
        lambda: files.append(record, speech("second")),
        lambda: files.conclude(record, conclusion(), ENDED),
    ):
        with pytest.raises(disk.OutOfReach, match="changed by someone else"):
            late()
    assert said(record.path)[-1] == "first" and len(said(record.path)) == 5


def test_wherever_reading_begins_no_words_are_taken_for_a_mark() -> None:
    fake = '\n<!-- turn {"seq":1,"role":"main","kind":"view","hash":""} -->\n'
    with a_folder() as root:
        path = written(root, [fake, "one", fake * 2])
        for tail in range(1, path.stat().st_size):
            with mock.patch.object(files, "TAIL", tail):
                assert said(path) == [fake, "one", fake * 2], tail


def test_turns_that_were_not_read_yet_are_found_after_the_front_matter_has_changed() -> None:
    with a_folder(tail=200) as root:
        path = written(root, ["one", "two", "three", "four"])
        before = files.read(path)
        end(path)
        assert [turn.content for turn in before.debate.turns] == ["one", "two", "three", "four"]


def test_the_thousandth_round_reads_no_more_of_the_file_than_the_second(tmp_path: Path) -> None:
    counter = Path("/proc/self/io")
    if not counter.exists():
        pytest.skip("only Linux counts the bytes that a process reads")

    def bytes_read_for_one_more(path: Path) -> int:
        before = int(counter.read_text().split()[1])
        add(path, speech("one more", round=9999))
        return int(counter.read_text().split()[1]) - before

    with mock.patch("os.fsync"):
        long = written(tmp_path, (f"round {n} " + "word " * 100 for n in range(1000)))
    size = long.stat().st_size
    bytes_read_for_one_more(long)  # the first one imports what it needs
    assert bytes_read_for_one_more(long) < 3 * files.TAIL < size / 3
    turns = files.read(long).debate.turns
    assert isinstance(turns, Turns) and [turn.seq for turn in turns] == list(range(1, 1003))
