"""A session's state: the fold of its log. Which debate is on, what was asked, who speaks, what the person typed."""

from __future__ import annotations

import os

from debate.guard.log import Line, Log

TICKET_SECONDS = 3600
LAPSE_SECONDS = 24 * 3600
NOT_TYPED = ("<task-notification>", "<system-reminder>", "<local-command")  # prompts that no person wrote


def is_command(text: str) -> bool:
    """A slash command, as the client reads it; a path is none."""
    first = text.split(None, 1)[0] if text.strip() else ""
    return first.startswith("/") and all(c.isalnum() or c in "-_:" for c in first[1:]) and len(first) > 1


def _same_message(line: Line, known: Line) -> bool:
    """Typed in mid-turn, a message may be seen twice: by its hook, and in the client's queue."""
    apart: float = (line.get("queued") or line["t"]) - (known.get("queued") or known["t"])
    return line["text"] == known["text"] and ("queued" in line) != ("queued" in known) and abs(apart) < 10


class Session:
    """The fold of one log: which debate is on, what was asked, what is open."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.lines = log.lines()
        self.ticket: Line | None = None
        self.note: Line | None = (
            None  # a plain `debate start` or `resume` that the helper has not answered yet
        )
        self.bound: Line | None = None  # the debate that is active here
        self.ended = False
        self.gone = False
        self.left_at = 0  # where the client last ended, and every agent of it
        self.lost_to: str | None = None
        self.issued: dict[str, Line] = {}
        self.calls: dict[str, Line] = {}  # by tool_use_id: calls that ask for a request
        self.returned: set[str] = set()  # calls whose result came back
        self.finished: set[str] = set()  # calls that were answered, failed or given up
        self.answered: set[str] = set()  # requests whose call was answered or failed
        self.question: Line | None = None  # the newest registered one that has no answer yet
        self.shown: Line | None = None
        self.typed: list[Line] = []  # a person's messages, numbered
        self.prompted = 0  # where a person last opened a turn, by a message or a command
        self.told = 0
        agents: dict[str, str] = {}  # running agent -> the call that it answers
        stops: dict[str, int] = {}  # agents that stopped before their call's result was seen, and where

        def finish(tool_use_id: str) -> None:
            given_up = tool_use_id in self.finished
            self.finished.add(tool_use_id)
            if tool_use_id in self.calls and not given_up:  # what comes after that is reported, not filed
                self.answered.add(self.calls[tool_use_id]["rid"])

        for line in self.lines:
            event = line["e"]
            if event == "ticket":
                self.ticket, self.note = line, None
            elif event == "called":
                self.note = line
            elif event == "bound":
                if self.bound is None or self.bound.get("d") != line.get("d"):
                    self.question = self.shown = None
                self.bound, self.note, self.ended, self.lost_to = line, None, False, None
            elif event == "ended":
                self.ended = self.ended or bool(self.bound and self.bound.get("d") == line.get("d"))
            elif event == "lost":
                if self.bound and self.bound["d"] == line.get("d"):
                    self.lost_to = line.get("to")
            elif event == "issued":
                self.issued[line["rid"]] = line
            elif event == "call":
                self.calls[line["id"]] = line
                if line.get("to"):
                    agents[line["to"]] = line["id"]
            elif event in ("launched", "failed"):
                self.returned.add(line["id"])
                if event == "failed":
                    finish(line["id"])
                elif line.get("agent_id"):
                    agents[line["agent_id"]] = line["id"]
                    if stops.get(line["agent_id"], 0) > self.calls.get(line["id"], line)["n"]:
                        finish(line["id"])
            elif event == "givenup":
                self.finished.add(line["id"])
            elif event == "stopped":
                if line["agent_id"] in agents:
                    finish(agents[line["agent_id"]])
                else:
                    stops[line["agent_id"]] = line["n"]
            elif event == "question":
                self.question, self.shown = line, None
            elif event == "shown":
                self.shown = line
            elif event == "answered":
                self.question = self.shown = None
            elif event in ("typed", "slash"):
                if event == "typed" and not any(_same_message(line, known) for known in self.typed):
                    self.typed.append({**line, "number": len(self.typed) + 1})
                if "queued" not in line:
                    self.prompted = line["n"]
                    if self.shown:
                        self.question = self.shown = None  # it was dismissed: silence is no answer
            elif event == "told":
                self.told = line["upto"]
            elif event in ("gone", "back"):
                self.gone = event == "gone"
                self.left_at = line["n"] if self.gone else self.left_at

    @property
    def debate(self) -> str | None:
        """The id of the debate that this session drives."""
        return self.bound.get("d") if self.bound and not self.lost_to else None

    @property
    def opened_by_ticket(self) -> bool:
        """Whether the debate that is on here is the one that the person asked for last."""
        return bool(self.debate and self.bound and self.ticket and self.bound["n"] > self.ticket["n"])

    @property
    def root(self) -> str | None:
        return self.bound.get("root") if self.bound else None

    @property
    def entry(self) -> str:
        opened = self.ticket or {}
        return str(opened.get("entry") or "")

    def ticket_is_fresh(self, now: float) -> bool:
        return bool(self.ticket and now - self.ticket["t"] <= TICKET_SECONDS)

    def is_live(self, now: float) -> bool:
        """Whether the client may still be there: it said no goodbye, was heard of today, and its process runs."""
        if self.gone or self.log.is_lifted or not self.lines or now - self.lines[-1]["t"] > LAPSE_SECONDS:
            return False
        pid = next((line["pid"] for line in reversed(self.lines) if line.get("pid")), 0)
        try:
            os.kill(pid, 0) if pid else None
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            pass
        return True

    def speaking(self, rid: str) -> Line | None:
        """The call whose agent still works on this request."""
        for tool_use_id, call in self.calls.items():
            if call.get("rid") == rid and tool_use_id not in self.finished:
                return call
        return None
