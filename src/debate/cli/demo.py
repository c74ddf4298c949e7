"""`debate demo`: see one whole debate in a terminal, without a model."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import Any

import click

from debate.cli.main import answers

PART_OF_ID = "login"  # enough to find the one debate there
_CLONE = Path(__file__).resolve().parents[3]


def _ending(data: dict[str, Any]) -> str:
    helper = _helper()
    if data["discarded"]:
        lines = [f"Discarded. For 30 days a copy stays in {data['trash']}"]
    else:
        lines = [
            f"The record:  {data['project']}/{data['record']}",
            "To read it, and to check that nobody changed it:",
            f"  cd {quote(data['project'])}",
            f"  {helper} show {PART_OF_ID}",
            f"  {helper} verify {PART_OF_ID}",
        ]
    if (_CLONE / ".claude-plugin" / "marketplace.json").is_file():
        lines += [
            "",
            "With Claude Code, two lines install it as a plugin:",
            f"  claude plugin marketplace add {quote(str(_CLONE))}",
            "  claude plugin install debate@debate",
            'Then, in your own project, type: /debate "your question"',
        ]
    return "\n".join(lines)


def _helper() -> str:
    """How this helper is called from anywhere: in a clone it is not on the path."""
    launcher = _CLONE / "bin" / "debate"
    return "debate" if shutil.which("debate") or not launcher.is_file() else quote(str(launcher))


@click.command()
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="A new folder for the sample; by default in your data folder.",
)
@click.pass_context
@answers(_ending)
def demo_command(context: click.Context, into: Path | None) -> dict[str, Any]:
    """See one whole debate, in a small sample repository: debate demo

    The words are written beforehand and no model speaks; the questions, your answers and the record are real.
    """
    demo = None
    try:
        from debate.demo.play import Demo
        from debate.demo.screen import Screen

        demo = Demo(Screen(quiet=context.params["as_json"]), into, os.environ)
        return demo.play()
    except KeyboardInterrupt:
        where = f" What was said so far is in {demo.record}" if demo else ""
        print(f"debate: stopped.{where}", file=sys.stderr)
        sys.exit(130)
