"""Writes a record of many rounds at once and prints where: make_record.py PROJECT ROUNDS SESSION

The last partner is an agent of that session, so that the next round continues it as debates do.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from debate.formats import dialectic
from debate.model import Debate, Turn
from debate.record import files, marks

WORDS = (
    "The queue decides it: `queue.py:12` blocks while the disk is busy, and nobody has measured how long.\n"
    * 8
)


def main(root: Path, rounds: int, session: str) -> None:
    record = files.create(root, Debate("", "dialectic", "Split the service?", date="2026-01-05"))
    prev = marks.genesis(record.header)
    sections = []
    for seq, (number, turn) in enumerate(spoken(rounds, session), 1):
        sealed = marks.seal(Turn(**turn, seq=seq, round=number), prev)
        sections.append(marks.render(sealed, new_round=turn["kind"] == "view"))
        prev = sealed.hash
    with record.path.open("ab") as file:
        file.writelines(sections)
    print(record.path)


def spoken(rounds: int, session: str) -> Iterator[tuple[int, dict[str, Any]]]:
    proof = {"receipt": {"agent_id": "a1", "text": "as returned"}, "log": [session, 1]}
    yield 0, {"role": "user", "kind": "passed", "phase": "start"}
    for number in range(1, rounds + 1):
        yield number, {"role": "main", "kind": "view", "content": WORDS}
        yield number, {"role": "partner", "kind": "challenge", "content": WORDS, **proof}
        if number % dialectic.SOFT_LIMIT == 0:
            yield number, {"role": "user", "kind": "passed", "phase": "round"}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
