"""A long record: commands look at its newest turns, and whoever looks further back finds every one."""

from pathlib import Path

import pytest
from records import add, end, findings, said, speech, written

from debate.record import files


@pytest.mark.parametrize("count", [files.NEWEST - 1, files.NEWEST, files.NEWEST + 1, 5 * files.NEWEST])
def test_every_turn_is_there_however_many(tmp_path: Path, count: int) -> None:
    words = [f"word {number}" for number in range(count)]
    path = written(tmp_path, words)
    add(path, speech("one more", round=count + 1))
    assert said(path) == [*words, "one more"]
    end(path)
    assert said(path)[:-1] == [*words, "one more"] and findings(path) == []


def test_turns_longer_than_what_is_read_at_first_are_there(tmp_path: Path) -> None:
    words = [letter * files.TAIL for letter in "abcdef"]
    assert said(written(tmp_path, words)) == words
