#!/usr/bin/env python3
"""Writes what the code knows into the manual: docs/commands.md, and the diagram in docs/how-it-works.md.

Run it by a Python that has the helper's packages. A test fails when the manual says something else than the code.
"""

import re
import sys
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from debate.cli.main import COMMANDS, group
from debate.formats import dialectic
from debate.model import Debate, NotAllowed, Turn

ROOT = Path(__file__).resolve().parent.parent
HEAD = """\
# The commands of `debate`

Inside an assistant the main agent runs these, as the command files ask it to; in a terminal you can, too. `ID` is the
record's file name without `.md`; its path or any unambiguous part of it will do. Every command prints JSON with
`--json`: `{"success": true, "data": …}`, or `{"success": false, "error": …}` with `code`, `message`, `current_state`,
`allowed_roles` and `suggestion`.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused by the rules, or a check that found something wrong |
| 2 | wrong usage |
| 3 | a file, a lock or a person could not be reached |

This page is what `--help` prints, written by `docs/make-reference.py`.
"""


def main() -> None:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


def pages() -> dict[Path, str]:
    told = ROOT / "docs" / "how-it-works.md"
    before, _, rest = told.read_text(encoding="utf-8").partition("```mermaid\n")
    after = rest.partition("```\n")[2]
    return {
        ROOT / "docs" / "commands.md": "\n".join([HEAD, *map(section, COMMANDS)]),
        told: f"{before}```mermaid\n{states()}```\n{after}",
    }


# -- commands ----------------------------------------------------------------------------------------------------------


def section(name: str) -> str:
    shown = CliRunner().invoke(group, [name, "--help"], prog_name="debate", terminal_width=100)
    assert shown.exit_code == 0, shown.output
    return f"## debate {name}\n\n```text\n{shown.output}```\n"


# -- the states of a dialectic -----------------------------------------------------------------------------------------

EVERY_TURN = [
    Turn("user", "answer", phase="start"),
    Turn("user", "passed", phase="start"),
    Turn("main", "view"),
    Turn("partner", "challenge", agent="any"),
    Turn("partner", "failure", agent="any"),
    Turn("user", "answer", phase="round", fields={"choice": "continue"}),
    Turn("user", "answer", phase="round", fields={"choice": "conclude"}),
    Turn("main", "conclusion", fields={"outcome": "partial"}),
]


def states() -> str:
    """The rules, tried: from each state that a debate can be in, whatever anyone may do there."""
    start = dialectic.open(Debate("a", "dialectic", "a topic"))
    seen, waiting = {dialectic.state(start): start}, [start]
    moves: dict[tuple[str, str], dict[str, None]] = {}  # what leads from one to another, each once
    while waiting:
        debate = waiting.pop(0)
        for turn in EVERY_TURN:
            after = received(debate, turn)
            if after is None or (turn.role == "user" and plain(after) == plain(debate)):
                continue  # what the user says in between is heard, and changes no state
            moves.setdefault((plain(debate), plain(after)), {})[words(turn)] = None
            if dialectic.state(after) not in seen and after.last_seq <= 3 * dialectic.SOFT_LIMIT:
                seen[dialectic.state(after)] = after
                waiting.append(after)
    names = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(map(plain, seen.values())), 1)}
    lines = ["stateDiagram-v2", f"    [*] --> {names[plain(start)]}"]
    lines += [f"    {short}: {name}" for name, short in names.items()]
    lines += [f"    {names[a]} --> {names[b]}: {', '.join(told)}" for (a, b), told in moves.items()]
    return "\n".join([*lines, f"    {names['it ended']} --> [*]"]) + "\n"


def received(debate: Debate, turn: Turn) -> Debate | None:
    waits = dialectic.pending(debate)
    try:
        number = waits[0].round if waits else 0
        # Words of its own: the same ones again would be a retry, which adds nothing.
        return dialectic.receive(debate, replace(turn, round=number, content=f"after {debate.last_seq}"))
    except NotAllowed:
        return None


def plain(debate: Debate) -> str:
    """The state without the number of the round, and without the outcome."""
    told = re.sub(r"round \d+", "the round", dialectic.state(debate))
    return re.sub(r"it ended .*", "it ended", told)


def words(turn: Turn) -> str:
    choice = turn.fields.get("choice")
    return f"{turn.role} · {turn.kind}" + (f" ({choice})" if choice else "")


if __name__ == "__main__":
    main()
