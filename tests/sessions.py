"""A session of the assistant without the assistant: the events that its client raises, in the order of either version.

session = Session(home, project, old=True)
debate_id = session.start("Cache the roster?")
session.partner_answers("My own position …")
"""

import json
import uuid
from pathlib import Path
from typing import Any

from debate.drivers.host import Host
from debate.guard import hook

Data = dict[str, Any]


class Session:
    def __init__(
        self, home: Path, project: Path, old: bool = False, entry: str = "cli", **environ: str
    ) -> None:
        self.id, self.project, self.old = str(uuid.uuid4()), project, old
        self.cwd = project
        self.environ = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "CLAUDE_CODE_SESSION_ID": self.id,
            "CLAUDE_CODE_ENTRYPOINT": entry,
            "CLAUDE_PROJECT_DIR": str(project),
            **environ,
        }
        self.state = home / ".local/state/debate"
        self.transcript = home / f"{self.id}.jsonl"
        self.debate = ""
        self._calls = 0

    # -- what the client raises ----------------------------------------------------------------------------------

    def hook(self, event: str, **payload: Any) -> Data | None:
        """One event, as the client raises it; what the hook answers."""
        base = {
            "session_id": self.id,
            "transcript_path": str(self.transcript),
            "cwd": str(self.cwd),
            "hook_event_name": event,
            "permission_mode": "default",
        }
        said = hook.run(event, json.dumps({**base, **payload}).encode(), self.environ)
        answer: Data | None = json.loads(said) if said else None
        return answer

    def types_command(self, name: str, words: str = "") -> None:
        """A slash command. Old expands it before the prompt is submitted, new after."""
        prompt_id = self._id("prompt")
        expansion = {
            "command_name": name,
            "command_args": words,
            "command_source": "plugin",
            "prompt_id": prompt_id,
        }
        submitted = {"prompt": f"/{name} {words}", "prompt_id": prompt_id}
        if self.old:
            self.hook("UserPromptExpansion", **expansion)
            self.hook("UserPromptSubmit", **submitted)
        else:
            self.hook("UserPromptSubmit", **submitted)
            self.hook("UserPromptExpansion", **expansion)

    def types(self, words: str) -> Data | None:
        return self.hook("UserPromptSubmit", prompt=words, prompt_id=self._id("prompt"))

    def is_notified(self) -> None:
        """What the client submits by itself when a background agent is done: nobody typed it."""
        self.types("<task-notification>\n<task-id>a1</task-id>\n<result>done</result>\n</task-notification>")

    def before(self, tool: str, agent: str | None = None, **given: Any) -> tuple[str, Data]:
        """PreToolUse: the call's id, and what the hook decided."""
        call = self._id("toolu")
        inside = {"agent_id": agent, "agent_type": "general-purpose"} if agent else {}
        answer = self.hook("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=call, **inside) or {}
        decided: Data = answer.get("hookSpecificOutput", {})
        return call, decided

    def launched(self, call: str, agent: str, continued: bool = False) -> None:
        """The result of Agent or SendMessage. Old's Agent has waited for the answer; everything else has not."""
        if continued:
            response: Data = {"success": True, "resumedAgentId": agent}
        else:
            response = {"agentId": agent, "resolvedModel": "model-b[1m]"}
            response["status"] = "completed" if self.old else "async_launched"
        tool = "SendMessage" if continued else "Agent"
        self.hook("PostToolUse", tool_name=tool, tool_use_id=call, tool_response=response)

    def failed(self, call: str, error: str) -> None:
        self.hook("PostToolUseFailure", tool_name="Agent", tool_use_id=call, error=error)

    def stopped(self, agent: str, words: str, kind: str = "general-purpose") -> None:
        self.hook("SubagentStop", agent_id=agent, agent_type=kind, last_assistant_message=words)

    # -- what the main agent does --------------------------------------------------------------------------------

    @property
    def host(self) -> Host:
        """The helper, as the main agent's shell runs it."""
        return Host(self.environ, self.project)

    def start(self, topic: str, agent: str | None = None) -> str:
        self.types_command("debate:debate", f'"{topic}"')
        self.before("Bash", command="debate start")
        self.debate = str(self.host.start(None, "dialectic", agent, "")["id"])
        return self.debate

    def resume(self, debate: str) -> None:
        self.types_command("debate:resume", debate)
        self.before("Bash", command="debate resume")
        self.debate = str(self.host.resume(None)["id"])

    def next(self) -> Data:
        """The one request that is open, with its call."""
        (request,) = self.host.next(self.debate)["requests"]
        return dict(request)

    def speaks(self, words: str) -> None:
        """The main agent's own view."""
        self.host.submit(self.debate, "main", words)

    def calls_partner(self) -> tuple[str, str]:
        """The call that `debate next` gives; its id, and the agent that it starts or continues."""
        given = self.next()["call"]
        call, decided = self.before(given["tool"], **given["input"])
        assert "updatedInput" in decided, decided
        return call, str(given["input"].get("to") or f"agent{self._calls}")

    def partner_answers(self, words: str) -> None:
        """A whole exchange with the partner, in the order in which this version's events come."""
        given = self.next()["call"]["tool"]
        call, agent = self.calls_partner()
        if self.old and given == "Agent":
            self.stopped(agent, words)
            self.launched(call, agent)
        else:
            self.launched(call, agent, continued=given == "SendMessage")
            self.stopped(agent, words)

    # -- what the person answers -----------------------------------------------------------------------------------

    def asks(self, questions: list[Data]) -> str:
        """The main agent shows a question; the call's id."""
        call, decided = self.before("AskUserQuestion", questions=questions)
        assert not decided, decided
        return call

    def answers(self, call: str, answers: dict[str, str]) -> Data | None:
        response = {"answers": answers, "annotations": {}}
        return self.hook("PostToolUse", tool_name="AskUserQuestion", tool_use_id=call, tool_response=response)

    def passes_start(self) -> None:
        """The person dismisses the start's question and types something else."""
        self.asks(self.next()["call"]["input"]["questions"])
        self.types("go on")

    def _id(self, kind: str) -> str:
        self._calls += 1
        return f"{kind}_{self.id[:4]}{self._calls}"
