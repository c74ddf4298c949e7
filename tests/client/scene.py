"""A debate at the terminal: what the person does there, and what it left in the project and in the session's log.

scene = Scene(assistant, model, Player(VIEWS, conclusion()))
terminal = scene.begin('/debate "split it?"')
answer_start(terminal)
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from client.assistant import Assistant
from client.model import Block, Reply, ScriptedModel, Seen, Step, bash, use
from client.playing import DISSENT, Player
from client.terminal import Terminal
from helpers import DEBATE, clean_environment, run, wait_until

VIEWS = [
    "We should split it: `README.md:1` names two services.\n\n### Stance\ndisagree",
    "The queue decides it.\n\n### Stance\npartly\n\n### Because\nThe load test.",
]
CHALLENGES = [
    f"Keep it whole: {DISSENT}.\n\n### Stance\ndisagree\n\n### What would change my mind\nA load test.",
    "Measured, then.\n\n### Stance\npartly\n\n### Because\nThe queue.\n\n### What would change my mind\nMore load.",
]


def by_session(*players: Player) -> Step:
    """A step for several sessions at once: each plays its own part, in the order in which they begin."""
    free = iter(players)
    parts: dict[str, Iterator[Step]] = {}

    def play(seen: Seen) -> Reply:
        if seen.session not in parts:
            parts[seen.session] = next(free).steps()
        step = next(parts[seen.session])
        return step(seen) if callable(step) else step

    return play


def in_background(_: str, request: dict[str, Any]) -> Block:
    """The partner's call, in the background on the old client, too."""
    call = request["call"]
    if request.get("speaking"):
        return bash(call["input"]["command"] + " --json")
    return use(
        call["tool"], **call["input"], **({"run_in_background": True} if call["tool"] == "Agent" else {})
    )


PARTNER = "dialectic partner"  # the mark that stands in every first prompt to one


class Scene:
    def __init__(self, assistant: Assistant, model: ScriptedModel, player: Player | None = None) -> None:
        self.assistant, self.model = assistant, model
        self.player = player or Player(list(VIEWS))
        self.state = Path(assistant.env["XDG_STATE_HOME"]) / "debate"

    def begin(self, command: str, *options: str) -> Terminal:
        self.model.main(*self.player.steps())
        terminal = self.assistant.terminal(*options)
        terminal.submit(command)
        return terminal

    # -- what is left of it ---------------------------------------------------------------------------------------

    def debate(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """The helper in a plain terminal, outside the assistant."""
        env = clean_environment(self.assistant.home)
        return run(DEBATE, *words, env=env, cwd=self.assistant.project, stdin=stdin)

    def argue_outside(self, topic: str, rounds: int) -> str:
        """A debate of so many rounds, played by hand in a plain terminal; its id."""
        debate_id = str(self.told("start", topic)["id"])
        self.told("submit", debate_id, "--role", "user", "--failed", "nobody asked")
        for number in range(1, rounds + 1):
            self.told("submit", debate_id, "--role", "main", stdin=f"View {number}.\n{VIEWS[0]}")
            self.told("submit", debate_id, "--role", "partner", stdin=f"Doubt {number}.\n{CHALLENGES[0]}")
        return debate_id

    def told(self, *words: str, stdin: str = "") -> dict[str, Any]:
        done = self.debate(*words, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        data: dict[str, Any] = json.loads(done.stdout)["data"]
        return data

    def ids(self) -> list[str]:
        return sorted(path.stem for path in (self.assistant.project / ".debates").glob("*.md"))

    def record(self, debate_id: str = "") -> str:
        (name,) = (known for known in self.ids() if debate_id in known)
        return (self.assistant.project / ".debates" / f"{name}.md").read_text()

    def turns(self, debate_id: str = "", **wanted: Any) -> list[dict[str, Any]]:
        """The turns on record with these values."""
        (name,) = (known for known in self.ids() if debate_id in known)
        return [turn for turn in self.told("show", name)["turns"] if wanted.items() <= turn.items()]

    def kinds(self, debate_id: str = "") -> list[str]:
        return [turn["kind"] for turn in self.turns(debate_id)]

    def lines(self, event: str, folder: str = "sessions") -> list[dict[str, Any]]:
        """The lines of the session logs that lie there now."""
        lines = []
        for path in sorted((self.state / folder).glob("*.*")):
            lines += [json.loads(line) for line in path.read_text().splitlines()]
        return [line for line in lines if line["e"] == event]

    def trash(self) -> list[str]:
        """The ids of the records that were thrown away, in that order."""
        return [path.stem.split("-", 1)[1] for path in sorted((self.state / "trash").glob("*.md"))]

    def holding(self, text: str) -> list[str]:
        """Which files of the project hold this text."""
        files = (path for path in self.assistant.project.rglob("*") if path.is_file())
        return [str(path) for path in files if text.encode() in path.read_bytes()]

    def prompts(self) -> list[str]:
        """What the partners were asked, in order: each new prompt, or the message that continued it."""
        return [seen.text for seen in self.model.agents_saw if not seen.results]

    def until_partner_speaks(self, times: int = 1) -> None:
        """Until its request has come: what it says may still be held back."""
        wait_until(lambda: len(self.model.agents_saw) >= times, "the partner to be asked", 60)


def answer_start(
    terminal: Terminal,
    topic: str = "As worded",
    focus: tuple[str, ...] = ("Cost and effort", "Long-term maintenance"),
    leaning: str = "For it",
) -> None:
    """The start question, key by key: one choice, several, one; then the whole is handed in."""
    terminal.wait_for("Is this the topic, as worded?")
    terminal.choose(topic)
    terminal.wait_for("What should they look at most closely?")
    for label in focus:
        terminal.choose(label)
        terminal.wait_for(f"[✔] {label}")
    terminal.press("tab")
    terminal.wait_for("Do you already lean one way?")
    terminal.choose(leaning)
    hand_in(terminal)


def hand_in(terminal: Terminal) -> None:
    terminal.wait_for("Submit answers")
    terminal.confirm()
    terminal.wait_gone("Submit answers")


def dismiss(terminal: Terminal) -> None:
    terminal.wait_for("Esc to cancel")
    terminal.cancel()
    terminal.wait_gone("Esc to cancel")


def close(terminal: Terminal, record: str, files: str) -> None:
    """The closing question: the record, and whether files may change now."""
    terminal.wait_for("Should the record of this debate be kept?")
    terminal.choose(record)
    terminal.wait_for("May files be changed now?")
    terminal.choose(files)
    hand_in(terminal)
