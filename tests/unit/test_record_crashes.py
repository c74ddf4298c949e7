"""A process that dies at any file operation loses no turn, and the next command goes on."""

import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from records import (
    STEM,
    TOPIC,
    add,
    aside,
    debate,
    end,
    findings,
    holding,
    left_in,
    said,
    sections,
    speech,
    written,
)

from debate.record import files, names, verify

CRASHED = 77
OPERATIONS = ("open", "write", "ftruncate", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod")


def crash_at(place: int, action: Callable[[], object]) -> bool:
    """Run the action in a child process that ends hard at its nth file operation, without any clean-up: before it,
    or, where it writes, after half of the bytes. False if the action came to its end before."""
    child = os.fork()
    if child == 0:
        operation = count()

        def dies(real: Callable[..., Any], half: bool) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                if next(operation) == place:
                    if half:
                        real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                    os._exit(CRASHED)
                if half and next(operation) == place:  # a second way to die at the same call
                    os._exit(CRASHED)
                return real(*arguments, **named)

            return call

        for name in OPERATIONS:
            setattr(os, name, dies(getattr(os, name), half=name == "write"))
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, CRASHED), f"the action failed by itself, at operation {place}"
    return status == CRASHED


def crash_points(
    prepare: Callable[[], None], action: Callable[[], object], check: Callable[[int], None]
) -> int:
    """Every point at which the action can die, none counted by hand: on to the first run that meets no crash."""
    for place in count():
        prepare()
        crashed = crash_at(place, action)
        check(place)
        if not crashed:
            return place


def restore(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def test_an_append_that_dies_anywhere_leaves_the_turn_whole_or_absent(tmp_path: Path) -> None:
    path = written(tmp_path)
    before, words = path.read_bytes(), said(path)

    def prepare() -> None:
        path.write_bytes(before)
        path.with_suffix(".torn").unlink(missing_ok=True)

    def check(place: int) -> None:
        assert said(path) in (words, [*words, "five"]), place
        kept = said(path)
        add(path, speech("next", round=9))
        assert said(path) == [*kept, "next"], place
        assert [finding for finding in findings(path) if "never finished" not in finding] == []
        assert holding(path) == len(kept) + 1

    points = crash_points(prepare, lambda: add(path, speech("five", round=5)), check)
    assert points >= 5, "the lock, the file, half a turn, a whole one, the flush"


def test_an_append_that_dies_while_it_sets_a_torn_turn_aside_loses_none_of_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    words, torn = said(path)[:-1], sections(path)[-1][:-20]
    before = b"".join(sections(path)[:-1]) + torn

    def prepare() -> None:
        path.write_bytes(before)
        path.with_suffix(".torn").unlink(missing_ok=True)

    def check(place: int) -> None:
        assert torn in path.read_bytes() or torn in aside(path), place
        kept = said(path)
        assert kept in (words, [*words, "five"])
        add(path, speech("next", round=9))
        assert said(path) == [*kept, "next"], place
        assert aside(path).count(torn) == 1, place

    assert crash_points(prepare, lambda: add(path, speech("five", round=5)), check) >= 9


def test_a_conclusion_that_dies_anywhere_is_there_with_its_status_or_not_at_all(tmp_path: Path) -> None:
    path = written(tmp_path)
    before, words = path.read_bytes(), said(path)

    def check(place: int) -> None:
        record = files.read(path)
        concluded = record.debate.turns[-1].kind == "conclusion"
        assert said(path)[:4] == words and len(said(path)) == 4 + concluded, place
        assert (
            (record.header["status"] == "completed") == (record.header["outcome"] == "consensus") == concluded
        )
        if not concluded:
            assert path.read_bytes() == before, place
            end(path)
        assert verify.problems(files.read(path)) == ([], 5), place
        assert left_in(path.parent) == [path.name], "nothing stays behind"

    assert crash_points(lambda: restore(path, before), lambda: end(path), check) >= 7


def test_a_debate_whose_opening_dies_anywhere_is_whole_or_can_be_opened_again(tmp_path: Path) -> None:
    def check(place: int) -> None:
        made = names.stems(tmp_path)
        for stem in made:
            assert files.read(tmp_path / ".debates" / f"{stem}.md").debate.topic == TOPIC, place
        record = files.create(tmp_path, debate())
        assert record.debate.id == (f"{STEM}-2" if made else STEM), place
        add(record.path, speech("one"))
        assert verify.problems(files.read(record.path)) == ([], 1), place
        kept = {
            name: (tmp_path / ".debates" / name).read_bytes() for name in (".gitignore", ".gitattributes")
        }
        assert all(text.startswith(b"#") and text.endswith(b"\n") for text in kept.values()), place

    def prepare() -> None:
        shutil.rmtree(tmp_path / ".debates", ignore_errors=True)

    assert crash_points(prepare, lambda: files.create(tmp_path, debate()), check) >= 15


def test_a_record_whose_discarding_dies_anywhere_is_in_the_project_or_in_the_trash(tmp_path: Path) -> None:
    path, trash = written(tmp_path), tmp_path / "trash"
    before = path.read_bytes()

    def check(place: int) -> None:
        copies = [kept.read_bytes() for kept in trash.glob("*.md")] if trash.exists() else []
        assert before in copies or path.read_bytes() == before, place
        shutil.rmtree(trash, ignore_errors=True)

    def throw() -> None:
        with files.locked(path):
            files.discard(path, trash, 1_795_000_000.0)

    assert crash_points(lambda: restore(path, before), throw, check) >= 6


def test_what_a_power_cut_leaves_as_zeros_is_set_aside_like_any_torn_turn(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n### Main \xc2\xb7 view\n\nfi" + bytes(400))
    assert said(path) == ["one", "two", "three", "four"]
    add(path, speech("next", round=5))
    assert said(path)[-1] == "next" and aside(path).count(b"\0") == 400 and b"\0" not in path.read_bytes()
    path.write_bytes(whole + bytes(400))
    add(path, speech("next", round=5))
    assert len(said(path)) == 5 and b"\0" not in path.read_bytes()


def test_the_lock_of_a_process_that_died_is_free(tmp_path: Path) -> None:
    path = written(tmp_path)

    def die_inside() -> None:
        with files.locked(path):
            os._exit(CRASHED)

    assert crash_at(-1, die_inside)
    assert add(path, speech("next")).debate.last_seq == 5
