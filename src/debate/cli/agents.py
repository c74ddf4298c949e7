"""`debate agents`: who suits a topic, and the list to pick from where words do not decide it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debate.cli import words
from debate.cli.main import answers
from debate.model import BadInput

if TYPE_CHECKING:
    from debate.drivers.place import Place

MOST_CHARACTERS = 100_000  # of a topic on stdin; the ranking reads less
MOST_NOTES = 10


def _told(data: dict[str, Any]) -> str:
    lines = [f"{data['choice']}: {data['why']}"] if data["confident"] else _to_pick(data)
    return "\n".join([*lines, *(f"Note: {note}" for note in data["notes"])])


def _to_pick(data: dict[str, Any]) -> list[str]:
    return [
        f"Not sure. {data['why']} Pick one by what it is for, or {data['choice']} if none is:",
        'debate start --agent NAME --why "REASON"',
        "",
        words.roster(data["roster"]),
    ]


@click.command()
@click.argument("topic", required=False)
@click.option("--available", help="Only these, by name: a,b,c")
@answers(_told)
def agents_command(topic: str | None, available: str | None) -> dict[str, Any]:
    """Which agent suits a topic: debate agents "shard the orders table?"

    Without TOPIC: what the user typed after /debate, else what comes on stdin.
    """
    from debate.drivers.partner import known
    from debate.drivers.place import Place
    from debate.roster.ranking import rank
    from debate.roster.sources import given

    place = Place(os.environ, Path.cwd())
    topic = topic or _typed(place) or _piped()
    if not topic.strip():
        raise BadInput("There is no topic to find an agent for.", suggestion='Name it: debate agents "topic"')
    notes: list[str] = []
    agents, _ = known(place, notes)
    if available is not None:
        agents = given(available.split(","), agents)
    found = rank(topic, agents)
    data: dict[str, Any] = {
        "choice": found.choice,
        "confident": found.confident,
        "why": found.why,
        "ranked": [{"name": name, "score": score} for name, score in found.ranked],
        "notes": notes[:MOST_NOTES] + [f"And {len(notes) - MOST_NOTES} more."] * (len(notes) > MOST_NOTES),
    }
    if found.roster is not None:
        data["roster"] = [{"name": agent.name, "description": agent.description} for agent in found.roster]
    return data


def _typed(place: Place) -> str:
    session = place.session
    return str(session.log.text(session.ticket.get("words")) or "") if session and session.ticket else ""


def _piped() -> str:
    return "" if sys.stdin.isatty() else sys.stdin.read(MOST_CHARACTERS)
