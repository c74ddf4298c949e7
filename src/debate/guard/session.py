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
        self.entry = ""  # where the person sat who opened it: only there do they speak
        self.note: Line | None = (
            None  # a plain `debate start` or `resume` that the helper has not answered yet
        )
        self.bound: Line | None = None  # the debate that is active here
        self.root: str | None = None  # the project that it is about
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
        self.granted: set[str] = set()  # the files that the person agreed to have changed
        self.asked: dict[str, Line] = {}  # by tool_use_id: calls that were put before the person
        self.allowed: set[str] = set()  # what they said yes to
        self.dialogs: dict[str, int] = {}  # how often an agent's present answer stopped for the person
        self.stopped = False  # a file changed unasked, and the person has not spoken since
        self.lifted = False  # the guard is off but for the agents that still run
        self.known_agents: set[str] = set()
        self.running: set[str] = set()  # agents that the debate asked and that have not stopped
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
                if self.in_print_mode or not self.bound or self.lifted:  # it takes no terminal's place
                    self.entry = str(line.get("entry") or "")
            elif event == "called":
                self.note = line
            elif event == "bound":
                if self.bound is None or self.bound.get("d") != line.get("d"):
                    self.question = self.shown = None
                    self.granted = set()
                self.lifted, self.root = False, line["root"]
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
                    self.dialogs.pop(line["to"], None)
            elif event == "failed":
                self.returned.add(line["id"])
                finish(line["id"])
            elif event == "launched":
                self.returned.add(line["id"])
                agent = line.get("agent_id")
                if agent:
                    self.known_agents |= {agent, str(line.get("name") or agent)}
                    agents[agent] = line["id"]
                    if stops.get(agent, 0) > self.calls.get(line["id"], line)["n"]:
                        finish(line["id"])
                    if line["id"] in self.calls and line["id"] not in self.finished:
                        self.running.add(agent)
            elif event == "givenup":
                self.finished.add(line["id"])
            elif event == "survived":  # of the session that this client was in before
                self.running |= {str(agent) for agent in line["agents"]}
                self.root = self.root or line.get("root")
                self.lifted = self.lifted or self.bound is None
            elif event == "moved":
                self.running = set()
            elif event == "stopped":
                self.running.discard(line["agent_id"])
                self.dialogs.pop(line["agent_id"], None)
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
            elif event == "granted":
                self.granted |= set(line["files"])
            elif event == "asked":
                self.asked[line["id"]] = line
                if line.get("agent_id") and not line.get("remembered"):
                    self.dialogs[line["agent_id"]] = self.dialogs.get(line["agent_id"], 0) + 1
            elif event == "ran":
                if not self.lifted:
                    self.allowed.add(str(self.asked.get(line["id"], {}).get("key")))
            elif event == "violation":
                self.stopped = True
                self.allowed.discard(str(self.asked.get(str(line.get("id")), {}).get("key")))
            elif event == "lifted":
                self.lifted, self.granted, self.allowed = True, set(), set()
                self.question = self.shown = None
            elif event in ("typed", "slash"):
                if event == "typed" and not any(_same_message(line, known) for known in self.typed):
                    self.typed.append({**line, "number": len(self.typed) + 1})
                if "queued" not in line:
                    self.prompted, self.stopped = line["n"], False
                    if self.shown:
                        self.question = self.shown = None  # it was dismissed: silence is no answer
            elif event == "told":
                self.told = line["upto"]
            elif event in ("gone", "back"):
                self.gone = event == "gone"
                self.left_at = line["n"] if self.gone else self.left_at

    def guards(self, agent: str | None) -> bool:
        """Whether calls are judged: the main agent's until the guard lifts, a debater's until it stops."""
        return self.log.armed and (not self.lifted or agent in self.running)

    @property
    def debate(self) -> str | None:
        """The id of the debate that this session drives; none once it is set aside or lost."""
        return self.bound.get("d") if self.bound and not self.lost_to and not self.lifted else None

    @property
    def is_anothers(self) -> bool:
        return self.ticket is None and self.bound is None and self.log.is_anothers

    @property
    def opened_by_ticket(self) -> bool:
        """Whether the debate that is on here is the one that the person asked for last."""
        return bool(self.debate and self.bound and self.ticket and self.bound["n"] > self.ticket["n"])

    @property
    def in_print_mode(self) -> bool:
        return self.entry.startswith("sdk")

    @property
    def heard_at(self) -> float:
        """When the session last raised an event that was noted; a clock that was set back made it no older."""
        return max((float(line["t"]) for line in self.lines), default=0.0)

    def ticket_is_fresh(self, now: float) -> bool:
        return bool(self.ticket and now - self.ticket["t"] <= TICKET_SECONDS)

    @property
    def client(self) -> int:
        """The process of the client that was last seen here."""
        return next((line["pid"] for line in reversed(self.lines) if line.get("pid")), 0)

    def is_live(self, now: float) -> bool:
        """Whether the client may still be there: it said no goodbye, was heard of today, and its process runs."""
        if self.gone or self.log.is_lifted or not self.lines or now - self.lines[-1]["t"] > LAPSE_SECONDS:
            return False
        try:
            os.kill(self.client, 0) if self.client else None
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
