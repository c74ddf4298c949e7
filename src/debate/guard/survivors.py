"""Agents that outlive their session: after /clear they work on under the new one's id, as if no debate had asked them.

So a session that begins looks for the one that its client has just left, and keeps that one's agents under the guard.
"""

from __future__ import annotations

from debate.guard.log import Log, every_log
from debate.guard.session import Session


def of(own: Log, client: int) -> Session | None:
    """The newest session of this client that was left while agents of its debate were running."""
    left = [Session(log) for log in every_log(own.folder) if log.session != own.session]
    left = [session for session in left if session.gone and session.running and session.client == client]
    return max(left, key=lambda session: session.heard_at, default=None)
