"""Which agents there are (`sources`), and which of them suits a topic (`ranking`)."""

from __future__ import annotations

from dataclasses import dataclass

GENERAL = "general-purpose"  # every session has it, unless its user forbade it


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    description: str = ""
