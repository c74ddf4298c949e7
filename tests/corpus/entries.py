"""What a corpus says of each command, and reading it."""

from dataclasses import dataclass
from pathlib import Path

import yaml

CORPORA = sorted(Path(__file__).parent.glob("shell-*.yaml"))


@dataclass(frozen=True)
class Entry:
    command: str
    verdict: str  # read, writes or ask
    kind: str  # everyday, evasion or other
    note: str = ""  # why the verdict is what it is
    needs: tuple[str, ...] = ()  # programs that not every machine has: without them a run proves nothing
    changes: bool = False  # it was seen to change something
    endless: bool = False  # it reads on until it is stopped


def entries(corpus: Path) -> list[Entry]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where there is one
    return [
        Entry(**{**fields, "needs": tuple(str(fields.get("needs", "")).split())})
        for fields in yaml.load(corpus.read_text(encoding="utf-8"), loader)
    ]
