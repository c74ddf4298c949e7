"""People edit records. Each change is reported for what it is, what still holds is counted, nothing raises."""

from collections.abc import Callable
from pathlib import Path

import pytest
from records import (
    STEM,
    TOPIC,
    add,
    aside,
    change,
    end,
    findings,
    holding,
    said,
    sections,
    speech,
    written,
)

from debate.record import files

EDITED = "turn {} was edited after it was written"
MISSING = "turn {} is missing, or without a mark"
BROKEN = "a mark {} is broken: the words above it are kept, but they prove nothing"
Change = Callable[[Path], object]


def rearranged(order: str) -> Change:
    """The turns in this order, by their numbers: "1224" leaves out the third and has the second twice."""

    def change_it(path: Path) -> None:
        top, *turns = sections(path)
        path.write_bytes(top + b"".join(turns[int(number) - 1] for number in order))

    return change_it


def text(old: str, new: str) -> Change:
    return lambda path: change(path, old, new)


def data(old: bytes, new: bytes) -> Change:
    return lambda path: path.write_bytes(path.read_bytes().replace(old, new))


def mark(turn: int, old: str, new: str) -> Change:
    """Another text in the mark of this turn."""

    def change_it(path: Path) -> None:
        pieces = sections(path)
        words, begin, line = pieces[turn].partition(b"<!-- turn ")
        assert old.encode() in begin + line
        pieces[turn] = words + (begin + line).replace(old.encode(), new.encode(), 1)
        path.write_bytes(b"".join(pieces))

    return change_it


# What a person changes in a record of four turns, what is reported, and how many turns still hold
CHANGES: dict[str, tuple[Change, list[str], int]] = {
    "a word": (text("\n\ntwo\n", "\n\nto\n"), [EDITED.format(2)], 3),
    "all words": (text("\n\ntwo\n", "\n"), [EDITED.format(2)], 3),
    "a space": (text("\n\ntwo\n", "\n\ntwo \n"), [EDITED.format(2)], 3),
    "who spoke": (text("### Main · view\n\nthree", "### Partner · view\n\nthree"), [EDITED.format(3)], 3),
    "a heading, away": (text("### Main · view\n\nthree", "three"), [EDITED.format(3)], 3),
    "the metadata": (mark(2, '"agree"', '"disagree"'), [EDITED.format(2)], 3),
    "a number": (mark(3, '"seq":3', '"seq":7'), [EDITED.format(7)], 3),
    "what a turn follows": (mark(3, '"prev":"', '"prev":"0'), [EDITED.format(3)], 3),
    "a hash": (mark(2, '"hash":"', '"hash":"0'), [EDITED.format(2)], 3),
    "a hash, away": (mark(2, '"hash"', '"cash"'), [EDITED.format(2)], 3),
    "two hashes, away": (
        lambda path: (mark(2, '"hash"', '"cash"')(path), mark(3, '"hash"', '"cash"')(path)),
        [EDITED.format(2), EDITED.format(3)],
        2,
    ),
    "types": (mark(4, '"round":2', '"round":"2","fields":[],"log":{},"agent":7'), [EDITED.format(4)], 3),
    "a key more": (mark(1, '{"', '{"mood":"good","'), [EDITED.format(1)], 3),
    "line ends": (data(b"\n", b"\r\n"), [EDITED.format(number) for number in (1, 2, 3, 4)], 0),
    "no UTF-8": (data(b"three", b"thr\xe9\xe9"), [EDITED.format(3)], 3),
    "the topic": (
        text(f"topic: {TOPIC}", "topic: Should it?"),
        ["the front matter was edited: turn 1 was written for another topic, date, format, id or commit"],
        4,
    ),
    "the status": (
        text("in-progress", "completed"),
        ["the front matter says 'completed', the turns say 'in-progress'"],
        4,
    ),
    "a turn, away": (rearranged("134"), [MISSING.format(2)], 3),
    "two turns, away": (rearranged("14"), ["turns 2 to 3 are missing, or without a mark"], 2),
    "the first turn, away": (rearranged("234"), [MISSING.format(1)], 3),
    "two turns swapped": (rearranged("1324"), ["turn 2 stands out of order, after turn 3"], 3),
    "a turn moved down": (rearranged("1342"), ["turn 2 stands out of order, after turn 4"], 3),
    "a turn moved up": (rearranged("4123"), ["turn 1 stands out of order, after turn 4"], 3),
    "a turn twice": (rearranged("12234"), ["turn 2 stands once more after turn 2"], 4),
    "a turn once more": (rearranged("12341"), ["turn 1 stands once more after turn 4"], 4),
    "a mark": (mark(2, '"seq":2,', '"seq":2,,'), [BROKEN.format("after turn 1")], 3),
    "a mark, no object": (mark(2, "{", "[{"), [BROKEN.format("after turn 1")], 3),
    "a mark, no end": (mark(2, "} -->", "}"), [BROKEN.format("after turn 1")], 3),
    "a mark, no number": (mark(1, '"seq":1', '"sec":1'), [BROKEN.format("at the beginning")], 3),
    "a mark, no role": (mark(2, '"role"', '"rule"'), [BROKEN.format("after turn 1")], 3),
    "a mark, half a character": (mark(2, '"agree"', '"\\ud83e"'), [BROKEN.format("after turn 1")], 3),
    "a mark, no bottom": (mark(2, '"agree"', "[" * 9999), [BROKEN.format("after turn 1")], 3),
    "the last mark": (mark(4, "}", ""), [BROKEN.format("after turn 3")], 3),
    "a mark, away": (mark(2, "<!-- turn ", "<!-- TURN "), [MISSING.format(2)], 3),
    "a word and a turn": (
        lambda path: (change(path, "\n\nthree\n", "\n\n3\n"), rearranged("134")(path)),
        [EDITED.format(3), MISSING.format(2)],
        2,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_record_is_told_what_was_changed_and_goes_on(tmp_path: Path, name: str) -> None:
    change_it, expected, sound = CHANGES[name]
    path = written(tmp_path)
    change_it(path)
    assert (findings(path), holding(path)) == (expected, sound)
    before = path.read_bytes()
    add(path, speech("next", round=5))
    assert path.read_bytes().startswith(before), "what people changed stays as it is"
    assert said(path)[-1] == "next"
    assert (findings(path), holding(path)) == (expected, sound + 1)


@pytest.mark.parametrize(("place", "number"), [(2, 2), (4, 4), (5, 5)])
def test_a_turn_with_a_mark_of_its_own_from_elsewhere_is_found(
    tmp_path: Path, place: int, number: int
) -> None:
    """Its words match its hash; but what follows, or what it claims to follow, is another turn."""
    (tmp_path / "elsewhere").mkdir()
    path, other = written(tmp_path), written(tmp_path / "elsewhere", ["1", "2", "3", "4", "5"])
    pieces = sections(path)
    pieces[place : place + (place < 4)] = [sections(other)[number]]
    path.write_bytes(b"".join(pieces))
    assert said(path)[place - 1] == str(number)
    assert any("one of them was rewritten, or belongs elsewhere" in finding for finding in findings(path))
    assert holding(path) < len(said(path))


NOTES = {
    "a line": "By the way: I disagree.\n",
    "without a line end": "By the way",
    "with headings": "### My own view\n\nNo.\n\n## And then\n\n### More\n",
    "its own conclusion": "## Conclusion\n\nI would rather wait.\n",
    "a list": "- one\n- two\n\n---\n\n```\n### code\n```\n",
}


@pytest.mark.parametrize("name", NOTES)
def test_a_note_after_the_last_turn_is_no_torn_turn_and_stays(tmp_path: Path, name: str) -> None:
    path = written(tmp_path)
    before = path.read_bytes() + b"\n" + NOTES[name].encode()
    path.write_bytes(before)
    assert (findings(path), files.read(path).torn) == ([], b"")
    add(path, speech("next", round=5))
    assert path.read_bytes().startswith(before) and said(path)[-1] == "next" and aside(path) == b""
    assert (findings(path), holding(path)) == ([], 5)
    end(path)
    assert path.read_bytes().count(NOTES[name].encode()) == 1
    assert (findings(path), holding(path)) == ([], 6)


@pytest.mark.parametrize("name", NOTES)
def test_a_note_between_turns_changes_none_of_them(tmp_path: Path, name: str) -> None:
    path = written(tmp_path)
    pieces = sections(path)
    pieces.insert(3, b"\n" + NOTES[name].encode())
    path.write_bytes(b"".join(pieces))
    assert said(path) == ["one", "two", "three", "four"]
    assert (findings(path), holding(path)) == ([], 4)


def test_a_turn_torn_below_a_note_is_set_aside_and_the_note_stays(tmp_path: Path) -> None:
    path = written(tmp_path)
    torn = "\n### Main · view\n\nfi"
    path.write_bytes(path.read_bytes() + b"\n### A note\n\nof mine\n" + torn.encode())
    assert files.read(path).torn == torn.encode()
    add(path, speech("five", round=5))
    assert aside(path) == torn.encode() + b"\n" and b"of mine" in path.read_bytes()
    assert said(path)[-1] == "five"
    assert findings(path) == [f"a turn that was never finished is kept in {STEM}.torn"]


def test_words_below_many_headings_are_still_read_when_they_were_edited(tmp_path: Path) -> None:
    path = written(tmp_path, ["### a\n\n" * 20_000 + "end"])
    change(path, "end\n", "END\n")
    assert findings(path) == [EDITED.format(1)]


def test_a_conclusion_and_the_front_matter_must_say_the_same(tmp_path: Path) -> None:
    path = written(tmp_path)
    end(path)
    change(path, "outcome: consensus", "outcome: disagreement")
    assert findings(path) == ["the front matter says 'disagreement', the conclusion says 'consensus'"]
    change(path, "status: completed", "status: in-progress")
    assert findings(path) == ["the front matter says 'in-progress', the turns say 'completed'"]


def test_a_record_under_another_name_still_holds(tmp_path: Path) -> None:
    path = written(tmp_path)
    renamed = path.rename(path.with_name("cache.md"))
    assert files.read(renamed).debate.id == "cache"
    assert (findings(renamed), holding(renamed)) == ([], 4)
