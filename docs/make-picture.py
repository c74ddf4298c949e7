#!/usr/bin/env python3
"""Takes the picture of a debate in the terminal, docs/debate.svg. Run it by a Python that has the tests' packages.

The client, its terminal, the plugin and its hooks are the real ones; what the two agents say is written here.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from pyte.screens import Char

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from client import terminal
from client.assistant import Assistant, client_environment
from client.clients import installed
from client.loopback import Loopback
from client.messages_api import MessagesApi
from client.model import Block, ScriptedModel, Seen, bash, say, use
from client.scene import PARTNER, answer_start
from helpers import ROOT, clean_environment

PICTURE = ROOT / "docs" / "debate.svg"
ROWS, COLUMNS = 72, 100
TOPIC = "Write through the cache?"
STORE = """\
class Store:
    def __init__(self, cache, database):
        self.cache, self.database = cache, database

    def put(self, key, value):
        self.cache[key] = value
        self.database.save(key, value)  # may raise
"""
VIEW = """\
Yes: `store.py:6` writes the cache already; doing both in one step ends the stale reads.

### Stance
agree

### What would change my mind
A write rate that the database cannot take.
"""
CHALLENGE = """\
The order is wrong: `store.py:6` fills the cache before `store.py:7` may raise.
Made write-through as it stands, a failed save leaves a value that nobody stored.

### Stance
disagree

### What would change my mind
An order of writes that cannot leave the two apart.

### Questions for the user
- May a read be a second old?
"""
TOLD = (
    "**The partner disagrees:** `store.py:6` fills the cache before `store.py:7` may raise, so a failed save would "
    "leave a value that nobody stored. It asks what only you can say."
)


def main() -> None:
    terminal.ROWS, terminal.COLUMNS = ROWS, COLUMNS
    loopback, model = Loopback(), ScriptedModel()
    api = MessagesApi(loopback.listen(), model)
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "shop"
        home.mkdir()
        project.mkdir()
        (project / "store.py").write_text(STORE)
        subprocess.run(["git", "init", "-q", project], check=True)
        environment = client_environment(clean_environment(home), api.url)
        assistant = Assistant(installed("new"), loopback, home, project, environment)
        try:
            assistant.install(ROOT)
            screen = debated(assistant, model)
        finally:
            assistant.close()
            api.close()
            loopback.close()
    PICTURE.write_text(svg(screen), encoding="utf-8")


def debated(assistant: Assistant, model: ScriptedModel) -> list[list[Char]]:
    """The screen at the end of the first round, when the person is asked how to go on."""
    model.main(*main_agent())
    model.agent(use("Read", file_path="store.py"), say(CHALLENGE), mark=PARTNER)
    shown = assistant.terminal()
    shown.submit(f'/debate "{TOPIC}"')
    answer_start(shown, focus=("Correctness and risk",), leaning="For it")
    shown.wait_for("Esc to cancel")
    shown.wait_for("How should it go on?", times=2)
    return shown.cells()


def main_agent() -> Iterator[Any]:
    """Makes the calls that the helper gives, as the command file asks."""
    debate: list[str] = []

    def given(seen: Seen) -> dict[str, Any]:
        call: dict[str, Any] = json.JSONDecoder().raw_decode(seen.result, seen.result.index("{"))[0]
        return call

    def begin(seen: Seen) -> list[Block]:
        debate.append(seen.result.split()[1])
        told = f"The debate is on record in `.debates/{debate[0]}.md`."
        return [say(told), use("AskUserQuestion", **given(seen))]

    yield bash("debate start")
    yield begin
    yield lambda _: bash(f"debate submit {debate[0]} --role main <<'END_OF_TEXT'\n{VIEW}END_OF_TEXT")
    yield lambda seen: use("Agent", **given(seen))
    yield lambda _: bash(f"debate wait {debate[0]}")
    yield lambda _: [say(TOLD), bash(f"debate ask {debate[0]} round")]
    yield lambda seen: use("AskUserQuestion", **given(seen))


# -- the screen as an image --------------------------------------------------------------------------------------------

WIDTH, HEIGHT, MARGIN, BAR = 8.4, 18, 18, 34  # of a character, and around all of them
GROUND, INK = "#16181d", "#d8dbe2"
NAMED = {
    "black": "#3b4048",
    "red": "#ff6b6b",
    "green": "#7bd88f",
    "brown": "#e5c07b",
    "blue": "#6cb6ff",
    "magenta": "#c792ea",
    "cyan": "#5ccfe6",
    "white": INK,
}


def svg(rows: list[list[Char]]) -> str:
    words = ["".join(cell.data for cell in row).rstrip() for row in rows]
    first = next(number for number, line in enumerate(words) if TOPIC in line)
    last = max(number for number, line in enumerate(words) if line)
    body = [drawn for number, row in enumerate(rows[first : last + 1]) for drawn in line(row, number)]
    width, height = COLUMNS * WIDTH + 2 * MARGIN, (last - first + 1) * HEIGHT + BAR + MARGIN
    dots = "".join(
        f'<circle cx="{20 + 20 * number}" cy="17" r="6" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            "font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
            'font-size="14">',
            f"<title>A debate in the terminal: {escape(TOPIC)}</title>",
            f'<rect width="100%" height="100%" rx="10" fill="{GROUND}"/>{dots}',
            *body,
            "</svg>\n",
        ]
    )


def line(cells: list[Char], number: int) -> Iterator[str]:
    """One run of like characters after the other, each stretched to its columns: fonts differ in some widths."""
    top = BAR + number * HEIGHT
    looks = [look(cell) for cell in cells]
    for place, cell in enumerate(cells):
        if place and cell.data == " " and looks[place][1] == looks[place - 1][1]:
            looks[place] = looks[place - 1]  # the ink of a space is not seen
    at = 0
    for (colour, ground, bold, italic), run in groupby(zip(looks, cells, strict=True), lambda pair: pair[0]):
        text = "".join(cell.data for _, cell in run).replace("⎿", "└")  # which few fonts have
        left, width = MARGIN + at * WIDTH, len(text) * WIDTH
        at += len(text)
        if ground != GROUND:
            yield f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{HEIGHT}" fill="{ground}"/>'
        if text.strip():
            lead = len(text) - len(text.lstrip())
            left, width = left + lead * WIDTH, len(text.strip()) * WIDTH
            weight = ' font-weight="bold"' if bold else ""
            slant = ' font-style="italic"' if italic else ""
            yield (
                f'<text x="{left:g}" y="{top + 13}" textLength="{width:g}" lengthAdjust="spacingAndGlyphs" '
                f'fill="{colour}"{weight}{slant} xml:space="preserve">{escape(text.strip())}</text>'
            )


def look(cell: Char) -> tuple[str, str, bool, bool]:
    colour, ground = shade(cell.fg, INK), shade(cell.bg, GROUND)
    if cell.reverse:
        colour, ground = ground, colour
    return colour, ground, cell.bold, cell.italics


def shade(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name.removeprefix("bright"), f"#{name}" if len(name) == 6 else default)


if __name__ == "__main__":
    main()
