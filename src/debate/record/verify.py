"""Does a record still say what was said? What was edited, torn or reordered, and what still holds."""

from __future__ import annotations

from debate.model import Turn
from debate.record import marks
from debate.record.files import Record, every_mark


def problems(record: Record) -> tuple[list[str], int]:
    """The findings, and how many turns stand as they were written."""
    every = every_mark(record)
    turns = [turn for turn in every if turn]
    found, doubtful = _chain(every, marks.genesis(record.header))
    if record.torn:
        found.append(f"{len(record.torn)} bytes at the end are a turn that was never finished")
    if (aside := record.path.with_suffix(".torn")).exists():
        found.append(f"a turn that was never finished is kept in {aside.name}")
    return found + _ending(record, turns), len(turns) - len(doubtful)


def _chain(every: list[Turn | None], genesis: str) -> tuple[list[str], set[int]]:
    """Each turn names the hash of the one it was written after. Returns the findings, and the places of the
    turns that do not stand as they were written."""
    first = {turn.hash: place for place, turn in reversed(list(enumerate(every))) if turn and turn.hash}
    found: list[str] = []
    doubtful: set[int] = set()
    before, at, highest, broken, copy = Turn("", "", hash=genesis), -1, 0, 0, ""
    for place, turn in enumerate(every):
        where = f"after turn {before.seq}" if before.seq else "at the beginning"
        if turn is None:
            broken += 1
            found.append(f"a mark {where} is broken: the words above it are kept, but they prove nothing")
            continue
        if first.get(turn.hash, place) < place:
            doubtful.add(place)
            copy = turn.hash
            found.append(f"turn {turn.seq} stands once more {where}")
            continue
        if turn.edited:
            doubtful.add(place)
            found.append(f"turn {turn.seq} was edited after it was written")
        if turn.prev in (before.hash, copy):
            pass
        elif turn.seq < highest:
            doubtful.add(place)
            found.append(f"turn {turn.seq} stands out of order, {where}")
        elif turn.seq == 1:
            found.append(
                "the front matter was edited: turn 1 was written for another topic, date, format, id or commit"
            )
        elif turn.prev in first:
            pass  # the turn that it was written after stands elsewhere, and is reported there
        elif turn.seq > before.seq + 1 + broken:
            found.append(f"{_numbers(before.seq + 1, turn.seq - 1)} missing, or without a mark")
        elif turn.edited or before.edited or turn.seq > before.seq + 1:
            pass  # the edit or the broken mark explains it
        else:
            doubtful.add(at if turn.seq == before.seq + 1 else place)
            found.append(
                f"turn {turn.seq} was not written after this turn {before.seq}:"
                " one of them was rewritten, or belongs elsewhere"
            )
        before, at, highest, broken, copy = turn, place, max(highest, turn.seq), 0, ""
    return found, doubtful


def _ending(record: Record, turns: list[Turn]) -> list[str]:
    """The front matter and the last words must say the same."""
    status, outcome = record.header.get("status"), record.header.get("outcome")
    conclusion = next((turn for turn in reversed(turns) if turn.kind == "conclusion"), None)
    said = "completed" if conclusion else "in-progress"
    if status != said:
        return [f"the front matter says {status!r}, the turns say {said!r}"]
    word = conclusion.fields.get("outcome") if conclusion else None
    if word and outcome != word:
        return [f"the front matter says {outcome!r}, the conclusion says {word!r}"]
    return []


def _numbers(first: int, last: int) -> str:
    return f"turn {first} is" if first == last else f"turns {first} to {last} are"
