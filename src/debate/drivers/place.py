"""Where a helper command runs: in which project, inside which assistant session, and whether a person is there."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from debate.guard.log import Line, Log, every_log, is_session_id, state_folder
from debate.guard.session import Session
from debate.model import DebateError, NotAllowed
from debate.record.names import project_root


class HooksAsleep(DebateError):
    """Inside an assistant whose hooks did not announce this call."""

    code = "hooks_not_live"


@dataclass(frozen=True)
class Place:
    environ: Mapping[str, str]
    cwd: Path

    @cached_property
    def log(self) -> Log | None:
        """The log of the session that this command runs in; None in a plain terminal."""
        session = self.environ.get("CLAUDE_CODE_SESSION_ID", "")
        return Log(session, self.state) if is_session_id(session) else None

    @property
    def session(self) -> Session | None:
        return Session(self.log) if self.log else None

    @property
    def state(self) -> str:
        return state_folder(self.environ)

    @cached_property
    def root(self) -> Path:
        """The session knows its project even after a `cd`; elsewhere the folder decides."""
        session = self.session
        if session and session.root:
            return Path(session.root)
        if session and session.ticket and session.ticket.get("project"):
            return project_root(Path(str(session.ticket["project"])))
        return project_root(self.cwd)

    @property
    def has_person(self) -> bool:
        """In print mode nobody can be asked."""
        return not self.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")

    def claim(self, verb: str) -> Line | None:
        """The hook's note of this very `start` or `resume`. Without one the hooks are not live here."""
        session = self.session
        if session is None:
            return None
        if session.note is None or session.note.get("verb") != verb:
            raise self.asleep(verb)
        if session.bound and not (session.ticket and session.ticket["n"] > session.bound["n"]):
            raise NotAllowed(
                f"This session has its debate, {session.bound['d']}; only the person opens or takes up another.",
                suggestion="Ask them to type /debate, or /debate:resume ID.",
            )
        return session.note

    def asleep(self, verb: str) -> HooksAsleep:
        return HooksAsleep(
            f"The hooks did not announce this `debate {verb}`.",
            suggestion=f"Have the user type /debate{':resume' if verb == 'resume' else ''}, then run "
            f"`debate {verb}` as one plain command; if it stays so: debate doctor",
        )

    def bind(self, note: Line | None, debate_id: str) -> None:
        """Answer the hook's note: from here on this session drives the debate."""
        if self.log is None or note is None:
            return
        for session in self.sessions_of(debate_id):
            if session.log.session != self.log.session and session.debate == debate_id:
                session.log.add("lost", d=debate_id, to=self.log.session)
        self.log.add(
            "bound", d=debate_id, root=str(self.root), call=note.get("id"),
            entry=self.environ.get("CLAUDE_CODE_ENTRYPOINT"),
        )  # fmt: skip
        self.log.arm()

    def check_driving(self, debate_id: str) -> None:
        """One session drives a debate; every other one may read it, and take it over by `resume`."""
        own = self.session
        if own is not None:
            if own.debate == debate_id:
                return
            raise NotAllowed(
                f"This session does not drive {debate_id}.",
                suggestion=f"The user takes it up here by typing: /debate:resume {debate_id}",
            )
        now = time.time()
        for session in self.sessions_of(debate_id):
            if session.debate == debate_id and not session.ended and session.is_live(now):
                raise NotAllowed(
                    f"{debate_id} is being argued in an assistant session.",
                    suggestion=f"Go on there, or take it up in another one: /debate:resume {debate_id}",
                )

    def sessions_of(self, debate_id: str) -> list[Session]:
        """Every log, live or moved aside, that has lines of this debate in this project."""
        found = []
        for log in every_log(self.state):
            if not log.mentions(debate_id):
                continue
            session = Session(log)
            if any(
                line["e"] == "bound" and line.get("d") == debate_id and line.get("root") == str(self.root)
                for line in session.lines
            ):
                found.append(session)
        return found
