"""Who answers the main agent: the agent that was named, else the one that the topic's words decide on.

Where they do not decide it `general-purpose` answers, unless the main agent, which understands the topic in any
language, picks another one from the list before anybody has spoken. A name that no agent bears stops no debate:
`general-purpose` answers, and the record says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debate import secrets
from debate.drivers import intake
from debate.drivers.place import Place
from debate.model import BadInput, Debate
from debate.record import files
from debate.roster import GENERAL, Agent

_LONGEST_REASON = 500


@dataclass(frozen=True)
class Partner:
    agent: str
    why: str = ""
    roster: Sequence[Agent] = ()  # who could still be picked instead, where it is not decided


def choose(place: Place, topic: str, named: str | None, why: str = "") -> Partner:
    why = secrets.mask(" ".join(why.split()))[0][:_LONGEST_REASON]
    wanted = " ".join((named or place.environ.get("DEBATE_AGENT") or "").split())
    if why and not wanted:
        raise BadInput(
            "--why is the reason for an --agent, and none is named.", suggestion="Name it: --agent NAME"
        )
    if wanted and not named:
        why = why or "DEBATE_AGENT names it."
    if place.log is None:  # at a terminal nobody's agents are at hand to be looked up
        return Partner(wanted or GENERAL, why)
    agents, all_of_them = known(place)
    bearer = _bearer(wanted, agents)
    if wanted and (bearer or not all_of_them):  # where the list is a guess, a failed call tells
        return Partner(bearer or wanted, why)
    suited = _suited(topic, agents)
    if not wanted:
        return suited
    decided = [Agent(suited.agent, suited.why)] if suited.agent != GENERAL else []
    return Partner(GENERAL, _no_such(wanted, why, agents), suited.roster or decided)


def _suited(topic: str, agents: Sequence[Agent]) -> Partner:
    from debate.roster.ranking import is_generalist, rank

    found = rank(topic, agents)
    if found.confident:
        return Partner(found.choice, found.why)
    to_pick = [agent for agent in found.roster or () if not is_generalist(agent.name)]
    return Partner(found.choice, found.why if to_pick else "There is no specialist here.", to_pick)


def known(place: Place, notes: list[str] | None = None) -> tuple[list[Agent], bool]:
    """The agents here, and whether those are all of them: the session's own list is the true one, folders miss what
    was switched off or forbidden there."""
    from debate.roster.sources import from_folders, from_transcript

    ticket = place.session.ticket if place.session else None
    listed = from_transcript(Path(str(ticket["transcript"]))) if ticket and ticket.get("transcript") else None
    if listed:
        return listed, True
    return from_folders(place.root, Path(place.environ.get("HOME") or Path.home()), notes), False


def appoint_instead(place: Place, named: str, why: str) -> tuple[Debate, Partner] | None:
    """Another partner for the debate that this session has just opened, as long as only the user was asked in it."""
    session = place.session
    if not session or not session.note or session.note.get("verb") != "start" or not session.opened_by_ticket:
        return None
    with intake.opened(place, str(session.debate)) as record:
        if any(turn.role != "user" for turn in reversed(record.debate.turns)):
            return None
        partner = choose(place, record.debate.topic, named, why)
        debate = files.appoint(record, partner.agent, partner.why).debate
    place.bind(session.note, debate.id)
    return debate, partner


def _bearer(wanted: str, agents: Sequence[Agent]) -> str | None:
    """The agent of that name; a plugin's agent is often called without the plugin, and no case is kept in speech."""
    names = [agent.name for agent in agents]
    if wanted in names:
        return wanted
    near = [name for name in names if wanted.lower() in (name.lower(), name.lower().rsplit(":", 1)[-1])]
    return near[0] if len(near) == 1 else None


def _no_such(wanted: str, why: str, agents: Sequence[Agent]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(wanted, [agent.name for agent in agents], n=3)
    told = f"{wanted} was named{f' ({why})' if why else ''}, but there is no such agent here"
    return f"{told}; the nearest: {', '.join(near)}." if near else f"{told}."
