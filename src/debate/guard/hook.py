"""What the hooks do, event by event: note what was seen, put issued prompts in place, hold back what may not be yet.

A hook answers deny, ask, new input, or nothing; never `allow` before a tool, which would override the user's settings.
"""

from __future__ import annotations

import json
import os
import re
import time

from debate.guard import plain
from debate.guard.log import Log, state_folder
from debate.guard.replies import BY_REFERENCE, before_tool, call_for, deny, given_by_person, same_questions
from debate.guard.session import LAPSE_SECONDS, NOT_TYPED, Session, is_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from debate.guard.replies import Answer

    Payload = Mapping[str, Any]

# Commands that open or take up a debate: they are what the person types before anything is armed.
OPENING = ("debate:debate", "debate:resume")
PAUSE = "debate:pause"
_OPENS = re.compile(r"\bdebate['\"\\\s]+(?:start|resume)\b")


class Hook:
    """One event of one session."""

    def __init__(self, payload: Payload, environ: Mapping[str, str]) -> None:
        self.payload = payload
        self.environ = environ
        self.entry = environ.get("CLAUDE_CODE_ENTRYPOINT", "")
        session = environ.get("CLAUDE_CODE_SESSION_ID") or str(payload.get("session_id") or "")
        self.log = Log(session, state_folder(environ))
        self.session = Session(self.log)
        if self.session.bound and not self.session.lifted:
            self.log.arm()  # unless whoever bound it died before that
        elif self.session.is_anothers or (
            self.session.lines and not (self.log.armed or self.session.ticket_is_fresh(time.time()))
        ):  # a copy arms nothing; a ticket that nobody used lives an hour: the hooks sleep again
            self.log.remove()
            self.session = Session(self.log)
        self.agent = str(payload.get("agent_id") or "")
        self.tool = str(payload.get("tool_name") or "")
        given = payload.get("tool_input")
        self.given: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
        self.call_id = str(payload.get("tool_use_id") or "")

    @property
    def project(self) -> str:
        return self.environ.get("CLAUDE_PROJECT_DIR") or str(self.payload.get("cwd") or ".")

    @property
    def client(self) -> int:
        """The client's process. The shell entry names it, for it may stand between the two."""
        named = self.environ.get("GUARDED_CLIENT", "")
        return int(named) if named.isdecimal() else os.getppid()

    def by_person(self, prompt: str) -> bool:
        """Print mode resumes a terminal's session under the same id; it is no person there. Nor is a notification, or
        what was scheduled before the debate."""
        if prompt.lstrip().startswith(NOT_TYPED):
            return False
        if self.entry.startswith("sdk") and self.session.lines and not self.session.in_print_mode:
            return False
        if not self.session.lines:
            return True
        from debate.guard.scheduled import is_scheduled

        return not is_scheduled(prompt, str(self.payload.get("transcript_path") or ""), self.project)

    # -- what a person types ------------------------------------------------------------------------------------

    def user_prompt_expansion(self) -> Answer:
        command, words = str(self.payload.get("command_name")), str(self.payload.get("command_args") or "")
        typed = str(self.payload.get("prompt") or f"/{command} {words}")
        if command not in (*OPENING, PAUSE) or not self.by_person(typed):
            return None
        if command == PAUSE:
            return self._pause()
        said = self._lift_if_over()
        self._ticket(command, words, "person")
        return said

    def user_prompt_submit(self) -> Answer:
        prompt = str(self.payload.get("prompt") or "")
        if not self.session.lines or not self.by_person(prompt):
            return None
        if is_command(prompt):
            self.log.add("slash", entry=self.entry)
        else:
            self.log.add("typed", text=prompt, entry=self.entry)
        return self._lift_if_over()  # by what the log held before

    def _pause(self) -> Answer:
        if not self.session.guards(None):
            return {"systemMessage": "debate: no debate is on here."}
        on = self.session.debate
        aside = (
            f"{on} is set aside, /debate:resume {on} takes it up again; "
            if on and not self.session.ended
            else ""
        )
        return self._lift_if_over() or self._lift("the person paused it", f"{aside}the guard is off.")

    def _ticket(self, command: str, words: str, by: str) -> None:
        self.log.open_ticket()
        self.log.add(
            "ticket",
            command=command,
            words=words,
            by=by,
            entry=self.entry,
            project=self.project,
            transcript=self.payload.get("transcript_path"),
            pid=self.client,
        )

    def _lift_if_over(self) -> Answer:
        """A person has spoken: where the debate has ended, or another session has it now, the guard goes."""
        session = self.session
        if not session.guards(None):
            return None
        if session.lost_to:
            return self._lift("lost", "another session has taken the debate over, the guard is off here.")
        if session.ended:
            return self._lift("a person has spoken")
        if session.lines and time.time() - session.heard_at > LAPSE_SECONDS:
            return self._lift(
                "lapsed",
                f"{session.debate} lay still for a day, the guard is off. /debate:resume takes it up.",
            )
        return None

    def _lift(self, why: str, said: str = "the debate is over, the guard is off.") -> Answer:
        """The main agent is free; agents that the debate asked stay under the guard until they stop."""
        try:
            self.log.add("lifted", why=why, d=self.session.debate)
        finally:  # a full disk holds nobody
            if not self.session.running or why == "lapsed":
                self.log.lift()
        return {"systemMessage": f"debate: {said}"}

    # -- before a tool --------------------------------------------------------------------------------------------

    def pre_tool_use(self) -> Answer:
        if self.session.guards(self.agent):
            if not self.tool:
                raise ValueError("the client did not say which tool is called")
            refused = self._by_policy()
            if refused:
                return refused
        if self.tool == "Skill":
            return self._before_skill()
        if not self.session.lines:
            return None
        if self.agent and self.given.get("run_in_background") and self._debate_is_on():
            return deny(
                "While a debate is on a subagent runs nothing in the background: it would stop before the result, "
                "and its waiting would count as its answer. Run it in the foreground."
            )
        if self.tool == "Bash":
            return self._before_bash(str(self.given.get("command") or ""))
        if self.tool in ("Agent", "Task"):
            return self._before_agent(
                "prompt", str(self.given.get("subagent_type") or "general-purpose"), None
            )
        if self.tool == "SendMessage":
            return self._before_agent("message", None, str(self.given.get("to") or ""))
        if self.tool == "AskUserQuestion":
            return self._before_question()
        return None

    def _before_skill(self) -> Answer:
        name = str(self.given.get("skill") or "")
        name = name if ":" in name else f"debate:{name}"
        if name == PAUSE and self.session.guards(None):
            return deny("Only the person turns the guard off: ask them to type /debate:pause.")
        if name not in OPENING or self.agent:
            return None
        if self._debate_is_on():
            return deny(
                f"The debate {self.session.debate} is on in this session; only the person sets it aside, by typing "
                f"/debate themselves. Go on with: debate next {self.session.debate}"
            )
        self._ticket(name, str(self.given.get("args") or ""), "model")
        return None

    def _before_bash(self, command: str) -> Answer:
        words = plain.helper_command(command)
        opens = bool(words) and words is not None and words[0] in ("start", "resume")
        if opens and not self.agent:
            if self.session.ticket_is_fresh(time.time()):
                self.log.add("called", id=self.call_id, verb=words[0] if words else "", pid=self.client)
            return None
        if _OPENS.search(command) and (opens or words is None):
            return deny(
                "`debate start` and `debate resume` work as one plain command of the main agent: no pipe, list or "
                "variable around it, at most a quoted here-document; no $, `, \\ or ! in double quotes. Run it alone."
            )
        return None

    def _by_policy(self) -> Answer:
        from debate.guard.policy import Policy
        from debate.guard.replies import ask

        cwd = str(self.payload.get("cwd") or self.session.root or "/")
        decision = Policy(self.session, cwd, self.agent, self.environ).decide(self.tool, self.given)
        if decision.verdict == "deny":
            return deny(decision.why)
        if decision.verdict in ("ask", "remembered"):
            self._note_asked(decision.key, cwd, decision.verdict == "remembered")
        return ask(f"debate: {decision.why}") if decision.verdict == "ask" else None

    def _note_asked(self, key: str, cwd: str, remembered: bool) -> None:
        """With the state of the work tree before it: what changes while it runs is told."""
        from debate.guard import watched

        before = watched.before(self.session, cwd) if self.tool == "Bash" else None
        self.log.add(
            "asked", id=self.call_id, key=key, agent_id=self.agent or None, before=before,
            d=(self.session.bound or {}).get("d"), command=str(self.given.get("command") or self.tool),
            remembered=remembered or None,
        )  # fmt: skip

    def _before_agent(self, key: str, agent: str | None, to: str | None) -> Answer:
        found = BY_REFERENCE.fullmatch(str(self.given.get(key) or "").strip())
        if not found:
            return None
        rid, session = found[1], self.session
        issued = session.issued.get(rid)
        if self.agent:
            return deny("Only the main agent asks the debate's agents. Answer in your own words.")
        if issued is None or not session.debate:
            return deny(
                f"No prompt {rid} was issued in this session. `debate next ID` gives the call to make."
            )
        if session.speaking(rid):
            return deny(f"An agent is already working on {rid}. Wait for it: debate wait {session.debate}")
        if rid in session.answered:
            return deny(f"{rid} has its answer. Go on: debate next {session.debate}")
        if issued.get("to") != to or (agent and agent != issued.get("agent")):
            return deny(f"Make exactly this call: {json.dumps(call_for(issued), ensure_ascii=False)}")
        self.log.add(
            "call",
            rid=rid,
            d=issued.get("d"),
            id=self.call_id,
            tool=self.tool,
            agent=issued.get("agent"),
            to=to,
        )
        text = self.log.text(issued.get("text"))
        if not text:
            return None  # the line itself works
        replaced = {**self.given, key: text}
        if "content" in replaced and key == "message":
            replaced["content"] = text  # the client's own copy of the message
        return before_tool(updatedInput=replaced)

    def _before_question(self) -> Answer:
        registered = self.session.question
        text = self.log.text(registered["questions"]) if registered and not self.agent else ""
        if not registered or not text:
            return None
        questions = json.loads(text)
        if not same_questions(self.given.get("questions"), questions):
            return deny(
                "A question of the debate is open; ask it word for word, with AskUserQuestion and exactly this "
                f"input: {json.dumps({'questions': questions}, ensure_ascii=False)}"
            )
        self.log.add("shown", rid=registered.get("rid"), d=registered.get("d"), id=self.call_id)
        return None

    # -- after a tool ---------------------------------------------------------------------------------------------

    def post_tool_use(self) -> Answer:
        response = self.payload.get("tool_response")
        result: dict[str, Any] = response if isinstance(response, dict) else {}
        if self.call_id in self.session.asked:
            return self._after_asked()
        if self.tool in ("Agent", "Task", "SendMessage") and self.session.lines:
            call = self.session.calls.get(self.call_id)
            if call or result.get("agentId"):
                model = str(result.get("resolvedModel") or "").split("[", 1)[0] or None
                self.log.add(
                    "launched",
                    id=self.call_id,
                    agent_id=result.get("agentId") or result.get("resumedAgentId") or (call or {}).get("to"),
                    name=self.given.get("name"),
                    status=result.get("status"),
                    model=model,
                    ms=result.get("totalDurationMs"),
                )
        elif self.tool == "AskUserQuestion":
            return self._after_question(result)
        return None

    def _after_question(self, result: Mapping[str, Any]) -> Answer:
        shown, registered = self.session.shown, self.session.question
        answers = given_by_person(result)
        if not (shown and registered and shown.get("id") == self.call_id):
            return None
        self.log.add(
            "answered", rid=registered.get("rid"), d=registered.get("d"), about=registered.get("about"),
            id=self.call_id, answers=json.dumps(answers, ensure_ascii=False), question=registered["n"],
        )  # fmt: skip
        grants, accepts = registered.get("grants"), registered.get("accepts")
        if grants and accepts and answers.get(accepts[0]) == accepts[1]:
            self.log.add("granted", files=grants, rid=registered.get("rid"), d=registered.get("d"))
        frees = registered.get("frees")
        if self.session.ended and frees and answers.get(frees[0]) == frees[1]:
            return self._lift("the person said that files may change now")
        return None

    def _after_asked(self, failed: bool = False) -> Answer:
        """The person said yes, for the call ran. What changed meanwhile they did not say yes to."""
        from debate.guard import watched

        return watched.after(self.session, self.session.asked[self.call_id], failed)

    def post_tool_use_failure(self) -> Answer:
        if self.call_id in self.session.asked:
            return self._after_asked(failed=True)
        if self.call_id in self.session.calls:
            self.log.add("failed", id=self.call_id, error=str(self.payload.get("error") or ""))
        return None

    def subagent_stop(self) -> Answer:
        """An agent's end, by its answer or (StopFailure) by an error of the model's interface."""
        agent_id = self.payload.get("agent_id")
        known = self.session.bound or agent_id in self.session.running
        if known and agent_id and self.payload.get("agent_type"):  # a compaction has no type
            self.log.add(
                "stopped",
                agent_id=agent_id,
                agent=self.payload.get("agent_type"),
                text=str(self.payload.get("last_assistant_message") or ""),
                transcript=self.payload.get("agent_transcript_path"),
                error=self.payload.get("error"),
            )
            if self.session.lifted and self.session.running <= {agent_id}:
                self.log.lift()  # it was the last one under the guard
        return None

    def permission_request(self) -> Answer:
        """`allowed-tools` ends with the turn; the helper's own commands must not raise a dialog after it."""
        if self.tool == "Bash" and plain.may_run(str(self.given.get("command") or ""), bool(self.agent)):
            return {
                "hookSpecificOutput": {
                    "hookEventName": "PermissionRequest",
                    "decision": {"behavior": "allow"},
                }
            }
        return None

    # -- the session ----------------------------------------------------------------------------------------------

    def session_start(self) -> Answer:
        from debate.guard import open_debates

        if self.payload.get("source") in ("clear", "resume"):
            self._keep_survivors()
        lapsed = self._lift_if_over() if not self.session.ended and not self.session.lost_to else None
        if lapsed:  # for the model, too: it still believes that the debate is on
            return {**lapsed, **_context(f"Tell the user: {lapsed['systemMessage']}")}
        if self.session.lines:
            self.log.add("back", pid=self.client)
        if self.session.debate and not self.session.ended:
            on = self.session.debate
            said = f"The debate {on} is on in this session. Go on with: debate next {on}"
        elif self.payload.get("source") == "compact":
            return None
        else:
            said = open_debates.line(self.project, self.log, time.time())
        return _context(said) if said else None

    def _keep_survivors(self) -> None:
        """Agents of the debate that this client has just left stay under the guard here until they stop."""
        from debate.guard import survivors

        left = survivors.of(self.log, self.client)
        if left:
            self.log.open_ticket()
            self.log.add("survived", agents=sorted(left.running), root=left.root, pid=self.client)
            self.log.arm()
            left.log.add("moved", to=self.log.session)
            self.session = Session(self.log)

    def session_end(self) -> Answer:
        if self.session.lines:
            self.log.add("gone", reason=self.payload.get("reason"))
        if self.session.lifted:
            self.log.lift()  # its agents end with it, or go on in the session that comes after
        return None

    def _debate_is_on(self) -> bool:
        return bool(self.session.debate) and not self.session.ended


def _context(said: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": said}}


EVENTS: dict[str, Callable[[Hook], Answer]] = {
    "UserPromptExpansion": Hook.user_prompt_expansion,
    "UserPromptSubmit": Hook.user_prompt_submit,
    "PreToolUse": Hook.pre_tool_use,
    "PostToolUse": Hook.post_tool_use,
    "PostToolUseFailure": Hook.post_tool_use_failure,
    "SubagentStop": Hook.subagent_stop,
    "StopFailure": Hook.subagent_stop,
    "PermissionRequest": Hook.permission_request,
    "SessionStart": Hook.session_start,
    "SessionEnd": Hook.session_end,
}


def run(event: str, data: bytes, environ: Mapping[str, str]) -> str:
    """What the hook prints for this event."""
    payload = json.loads(data)
    try:
        hook = Hook(payload, environ)
    except OSError:  # a log that cannot be read refuses every call, until the person turns the guard off
        if not _is_pause(payload, environ):
            raise
        Log(environ.get("CLAUDE_CODE_SESSION_ID", ""), state_folder(environ)).lift()
        return json.dumps({"systemMessage": "debate: its log could not be read; the guard is off."})
    answer = EVENTS[event](hook)
    return json.dumps(answer, ensure_ascii=False) if answer else ""


def _is_pause(payload: Payload, environ: Mapping[str, str]) -> bool:
    from debate.guard.scheduled import is_scheduled

    typed, project = str(payload.get("prompt") or f"/{PAUSE}"), environ.get("CLAUDE_PROJECT_DIR") or "."
    at_terminal = not environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")
    transcript = str(payload.get("transcript_path") or "")
    return (
        payload.get("command_name") == PAUSE and at_terminal and not is_scheduled(typed, transcript, project)
    )
