"""Files that others wrote, or that an editor saved in its own way, are read as far as they can be and never harmed."""

from pathlib import Path

import pytest
from records import ENDED, TOPIC, add, aside, change, debate, end, findings, said, speech, written

from debate.model import BadInput, Turn
from debate.record import files, verify


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_record_in_another_encoding_is_refused_and_left_alone(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_text().encode(encoding))
    before = path.read_bytes()
    for action in (lambda: files.read(path), lambda: add(path, speech("x")), lambda: end(path)):
        with pytest.raises(BadInput, match="is not UTF-8 text") as refused:
            action()
        assert refused.value.suggestion == "Save it as UTF-8, or restore it from git."
    assert path.read_bytes() == before


def test_a_record_with_a_byte_order_mark_is_read_and_keeps_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert files.read(path).debate.topic == TOPIC and findings(path) == []
    end(path)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf---\n") and findings(path) == []


FOREIGN = """---
# what we agreed to keep
topic: 'Which queue?'
reviewed:   2026-02-03   # by hand
tags:
- one
-   two
status: in-progress
participants:
- main

- someone
nested: {a: [1, 2]}
date: 2026-01-02
---

# Which queue?

Some thoughts from before.
"""


def test_what_a_person_keeps_in_the_front_matter_stays_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "queue.md"
    path.write_text(FOREIGN)
    record = files.append(files.read(path), speech("one"))
    assert (record.debate.topic, record.debate.date, record.debate.format) == (
        "Which queue?",
        "2026-01-02",
        "dialectic",
    )
    ended = files.conclude(
        record, Turn("main", "conclusion", "Yes."), {**ENDED, "participants": ["main", "user"]}
    )
    changed = FOREIGN.replace("in-progress", "completed").replace("- main\n\n- someone", "- main\n- user")
    changed = changed.replace("date: 2026-01-02\n", "date: 2026-01-02\noutcome: consensus\n")
    assert path.read_text().startswith(changed)
    assert ended.header["nested"] == {"a": [1, 2]} and ended.header["participants"] == ["main", "user"]
    assert verify.problems(ended) == ([], 2)


BROKEN_FRONTS = {
    "an open quote": "topic: 'Which queue?\nstatus: in-progress\n",
    "a bad month": "topic: Which queue?\ndate: 2026-13-45\nstatus: in-progress\n",
    "a bad tag": "topic: Which queue?\nx: !!timestamp soon\nstatus: in-progress\n",
    "a colon too many": "topic: Which queue?\nwhy: because: reasons\n  - x\nstatus: in-progress\n",
    "a tab": "topic: Which queue?\n\twhy: x\nstatus: in-progress\n",
}


@pytest.mark.parametrize("name", BROKEN_FRONTS)
def test_front_matter_that_is_no_yaml_is_read_line_by_line_and_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / "queue.md"
    path.write_text(f"---\n{BROKEN_FRONTS[name]}---\n\n# Which queue?\n")
    record = files.append(files.read(path), speech("one"))
    assert record.debate.topic == "Which queue?" and record.header["status"] == "in-progress"
    ended = files.conclude(record, Turn("main", "conclusion", "Yes."), ENDED)
    assert ended.header["status"] == "completed" and ended.header["outcome"] == "consensus"
    kept = BROKEN_FRONTS[name].replace("in-progress", "completed")
    assert path.read_text().startswith(f"---\n{kept}outcome: consensus\n---\n")
    assert verify.problems(ended) == ([], 2)


@pytest.mark.parametrize("values", ["[1, 2]", "just words", "", "topic: [a, b]\nformat: {}", "1: 2\nnull: x"])
def test_front_matter_of_any_shape_is_read(tmp_path: Path, values: str) -> None:
    path = tmp_path / "queue.md"
    path.write_text(f"---\n{values}\n---\nwords\n")
    record = files.read(path)
    assert (record.debate.topic, record.debate.format) == ("queue", "dialectic")
    assert verify.problems(files.append(record, speech("one")))[1] == 1


def test_a_file_without_front_matter_becomes_a_record(tmp_path: Path) -> None:
    path = tmp_path / "queue.md"
    path.write_text("Notes from the meeting")
    record = files.read(path)
    assert (record.debate.id, record.debate.topic, record.torn) == ("queue", "queue", b"")
    files.append(record, speech("one"))
    ended = files.conclude(files.read(path), Turn("main", "conclusion", "Yes."), ENDED)
    assert ended.header == {"debate": "queue", **ENDED}
    assert "Notes from the meeting\n## Round 1\n" in path.read_text() and said(path) == ["one", "Yes."]
    assert verify.problems(ended) == ([], 2)


def test_front_matter_whose_end_was_deleted_hides_no_turn(tmp_path: Path) -> None:
    path = written(tmp_path, ["one", "status: completed\n\nfour"])
    change(path, "\n---\n\n# ", "\n\n# ")
    assert said(path) == ["one", "status: completed\n\nfour"]
    assert files.read(path).header["topic"] == TOPIC and files.read(path).header["status"] == "in-progress"
    end(path)
    assert files.read(path).header["status"] == "completed" and len(said(path)) == 3


def test_a_front_matter_longer_than_what_is_read_at_once_is_read_whole(tmp_path: Path) -> None:
    path = files.create(tmp_path, debate("Which? " + "…\x07" * 1900)).path
    change(path, "why: null", "why: " + "because " * 20_000)
    add(path, speech("one"))
    assert (files.read(path).debate.topic[:6], said(path), findings(path)) == ("Which?", ["one"], [])


@pytest.mark.parametrize(
    "garbage", [b"", b"\n", b"-", b"---", b"---\n", b"\xff" * 99, b"<!-- turn {} -->\n", b"#" * 99]
)
def test_a_file_of_anything_opens_and_takes_a_turn(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(garbage)
    verify.problems(files.read(path))
    assert add(path, speech("one")) and said(path) == ["one"]
    assert garbage in path.read_bytes() + aside(path)
