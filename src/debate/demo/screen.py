"""What the demo shows, and its prompt: panels in a terminal, plain text elsewhere."""

from __future__ import annotations

import re
import sys
import time
from contextlib import suppress
from typing import Any
from unicodedata import category

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from debate.model import Turn

WIDEST = 92  # longer lines are hard to read
PAUSE_SECONDS = 0.3

# Colours that a light and a dark terminal both show, and no background.
STYLES = {
    "main": "cyan",
    "partner": "magenta",
    "user": "green",
    "rule.line": "dim",
    "markdown.code": "bold",
    "markdown.block_quote": "green",  # in this debate, whom they quote is mostly the user
    **{f"markdown.h{level}": "bold" for level in range(1, 4)},
}
_SEPARATORS = re.compile(r"[\s,，、]+")
_NUMBERS = re.compile(rf"(?:\d|{_SEPARATORS.pattern})*\d(?:\d|{_SEPARATORS.pattern})*")


class _LeftHeading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text  # the library centres it


class _Speech(Markdown):
    elements = {**Markdown.elements, "heading_open": _LeftHeading}  # noqa: RUF012 - as the library has it


class Screen:
    def __init__(self, quiet: bool) -> None:
        self.console = Console(theme=Theme(STYLES), highlight=False, quiet=quiet)
        self.fancy = self.console.is_terminal
        # A person is there to be asked only where they can both read and type.
        self.has_person = not quiet and sys.stdin.isatty() and sys.stdout.isatty()
        if self.has_person:
            with suppress(ImportError):
                import readline  # noqa: F401 - lets them edit what they type

    @property
    def width(self) -> int:
        return min(self.console.width, WIDEST)

    def heading(self, words: str) -> None:
        self.console.print()
        if self.fancy:
            self.console.print(Rule(f"[bold]{escape(words)}[/]", align="left"), width=self.width)
        else:
            self.console.print(f"== {words}", markup=False)
        self.console.print()

    def note(self, words: str, style: str = "dim") -> None:
        """A remark of the demo itself."""
        self.console.print(Text(words, style=style), width=self.width)

    def facts(self, **lines: str) -> None:
        """Names and values that are not broken into lines, so that they can be copied."""
        wide = max(map(len, lines)) + 2
        for name, value in lines.items():
            self.console.print(Text.assemble((f"{name:<{wide}}", "bold"), value), soft_wrap=True)

    def turn(self, turn: Turn) -> None:
        """What was said, as it stands on record."""
        who = turn.role.capitalize() + (f" ({turn.agent})" if turn.agent else "")
        title = "Conclusion" if turn.kind == "conclusion" else f"{who} · {turn.kind}"
        if not self.fancy:
            self.console.print(f"-- {title}\n\n{turn.content}\n", markup=False, soft_wrap=True)
            return
        if self.has_person:
            time.sleep(PAUSE_SECONDS)
        title = f"[bold]{escape(title)}[/]"
        side = turn.role if turn.kind != "conclusion" else "none"
        words = Padding(_Speech(turn.content), (0, 1))
        self.console.print(Panel(words, title=title, title_align="left", border_style=side, width=self.width))
        self.console.print()

    def issued(self, line: str, prompt: str) -> None:
        """How the partner is asked: one line, in whose place the issued prompt is put."""
        self.note(f"The partner is asked by reference: {line}")
        said = re.findall(r"<user>\n(.*?)\n</user>", prompt, re.DOTALL)
        if not said:
            self.note(f"The prompt behind it has {len(prompt):,} characters, and no word of yours.\n")
            return
        self.note(f"The prompt behind it has {len(prompt):,} characters. What you said stands in it:")
        words = Text("<user>\n" + "\n".join(said) + "\n</user>", style="user")
        self.console.print(Padding(words, (0, 0, 1, 4)), width=self.width)

    # -- the prompt ------------------------------------------------------------------------------------------------

    def ask(self, question: dict[str, Any], default: str) -> str | None:
        labels = [option["label"] for option in question["options"]]
        several = bool(question["multiSelect"])
        heading = Text.assemble((f"{question['header']}  ", "bold user"), (question["question"], "bold"))
        self.console.print(heading, width=self.width)
        grid = Table.grid(padding=(0, 1))
        for number, option in enumerate(question["options"], 1):
            words = Text.assemble((option["label"], "user"), "  ", (option["description"], "dim"))
            grid.add_row(f"  {number}", words)
        self.console.print(grid, width=self.width)
        how = "Numbers such as 1,2" if several else "A number"
        self.note(f"{how}, or your own words; Enter: {labels.index(default) + 1}; Ctrl-D: no answer.")
        while True:
            said = self._line()
            if said is None or said.strip():
                answer = said if said is None else _chosen(said, labels, several)
            else:
                answer = default
            if answer is None and said is not None:
                self.note(
                    f"Choose from 1 to {len(labels)}{'' if several else ', one of them'}, or write words."
                )
                continue
            self.console.print()
            return answer

    def words(self, question: str) -> str | None:
        """Free text, or None if they say nothing after all."""
        self.console.print(Text(question, style="bold"), width=self.width)
        said = self._line()
        self.console.print()
        return said if said and said.strip() else None

    def _line(self) -> str | None:
        while True:
            try:
                said = input("› ")
            except (EOFError, KeyboardInterrupt) as gone:
                self.console.print()  # off the prompt's line
                if isinstance(gone, EOFError):
                    return None
                raise
            if all(character == "\t" or category(character) not in ("Cc", "Cs") for character in said):
                return said
            self.note("That holds characters that are no text. Type it again.")


def _chosen(said: str, labels: list[str], several: bool) -> str | None:
    """The answer as the assistant's dialog would give it: the labels of numbers, else the words as they are."""
    if not _NUMBERS.fullmatch(said):
        return said
    numbers = [int(number) for number in _SEPARATORS.split(said) if number]
    if not all(1 <= number <= len(labels) for number in numbers) or (len(numbers) > 1 and not several):
        return None
    return ", ".join(dict.fromkeys(labels[number - 1] for number in numbers))
