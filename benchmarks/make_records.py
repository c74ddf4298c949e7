"""Writes many records of random words, so many bytes in all: make_records.py PROJECT COUNT BYTES

One of them holds RARE and FOREIGN, each of them COMMON.
"""

import random
import sys
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from debate.model import Turn
from debate.record import front, marks
from debate.record.names import FOLDER, slug

RARE, COMMON, FOREIGN = "Zanzibar", "Migration", "缓存失效"
TURNS = 16
_WORDS = (
    "the queue cache disk latency lock write read through partner service request measure argument file line because "
    "breaks holds nobody schema index rollback deploy branch merge test release commit user session token budget "
    "worker thread event order retry failure time limit memory page table row column value key hash tree node graph "
    "edge design module layer driver format record proof prompt agent model answer question decision we they it is was "
    "not and or but while when should could would size zone judge extra quick GitHub PostgreSQL API"
)
WORDS = _WORDS.split()


def main(root: Path, count: int, size: int) -> None:
    chance = random.Random(5)
    folder = root / FOLDER
    folder.mkdir()
    around = size // count // TURNS - 300  # a mark and a heading take the rest
    for number in range(count):
        day = (date(2024, 1, 1) + timedelta(days=number // 2)).isoformat()
        topic = f"{' '.join(chance.choices(WORDS, k=5))}?"
        stem = f"{day}-{slug(topic)}-{number}"
        header = {"debate": stem, "format": "dialectic", "topic": topic, "date": day, "status": "in-progress"}
        prev, sections = marks.genesis(header), [front.render(header), f"\n# {topic}\n".encode()]
        for seq in range(1, TURNS + 1):
            words = f"{COMMON} {text(chance, around)}"
            if (number, seq) == (count // 3, TURNS // 2):
                words += f"In {RARE}, {FOREIGN}."
            role, kind = ("main", "view") if seq % 2 else ("partner", "challenge")
            turn = Turn(role, kind, words, seq, round=(seq + 1) // 2, fields={"stance": "partly"})
            sealed = marks.seal(turn, prev)
            sections.append(marks.render(sealed, new_round=kind == "view"))
            prev = sealed.hash
        (folder / f"{stem}.md").write_bytes(b"".join(sections))


def text(chance: random.Random, size: int) -> str:
    lines = ""
    while len(lines) < size:
        lines += f"{' '.join(chance.choices(WORDS, k=14))}.\n"
    return lines


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
