"""`debate context`: what in the repository a topic is about."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from debate.cli.main import answers

MOST_CHARACTERS = 100_000  # of a topic


@click.command()
@click.argument("topic", default="")
@click.option(
    "--kind", type=click.Choice(["code", "architecture", "change"]), help="By default what fits the topic."
)
@click.option("--base", metavar="REF", help="Compare with this branch, tag or commit.")
@click.option(
    "--budget", type=click.IntRange(1_000, 200_000), default=12_000, show_default=True, help="Characters."
)
@answers(lambda data: str(data["text"]))
def context_command(topic: str, kind: str | None, base: str | None, budget: int) -> dict[str, Any]:
    """What in the repository a topic is about: debate context "merge this branch?"

    The changed files with the command that shows their diff, the places in the code that the topic names, or the
    file tree with its dependencies. Secrets are left out, and what is left out is said. TOPIC may be - for stdin.
    """
    from debate.context import SHORT_OF_CONTEXT, gather
    from debate.drivers.place import Place

    about = sys.stdin.read(MOST_CHARACTERS) if topic == "-" else topic
    root = Place(os.environ, Path.cwd()).root
    found = gather(root, about, kind, base, budget - len(SHORT_OF_CONTEXT) - 2)
    text = f"{found.text}\n\n{SHORT_OF_CONTEXT}"
    return {"kind": found.kind, "text": text, "left_out": found.left_out}
