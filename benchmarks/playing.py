"""What is measured: a program from its start to its end, and an assistant's session in which it runs."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEBATE = ROOT / "bin" / "debate"
SESSION = "11111111-2222-3333-4444-555555555555"
VIEW = b"The queue decides it: `queue.py:12` blocks.\n\n### Stance\npartly\n\n### Because\nIt was measured.\n"


class Command:
    """A program with its input, timed from its start to its end with as little as possible of our own around it."""

    def __init__(self, words: list[str], environment: dict[str, str], cwd: Path, stdin: bytes = b"") -> None:
        program = shutil.which(words[0], path=environment["PATH"])
        assert program, f"there is no {words[0]} here"
        self.words, self.program, self.environment, self.cwd, self.stdin = (
            words,
            program,
            environment,
            cwd,
            stdin,
        )

    def run(self) -> float:
        os.chdir(self.cwd)
        reading, writing = os.pipe()
        os.write(writing, self.stdin)  # it fits: the client, too, hands it over in a pipe
        os.close(writing)
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        began = time.perf_counter()
        child = os.posix_spawn(self.program, self.words, self.environment, file_actions=actions)
        _, status = os.waitpid(child, 0)
        took = time.perf_counter() - began
        os.close(reading)
        assert status == 0, f"{' '.join(self.words)} failed"
        return took

    def said(self) -> str:
        done = subprocess.run(
            self.words,
            env=self.environment,
            cwd=self.cwd,
            input=self.stdin,
            stdout=subprocess.PIPE,
            check=True,
        )
        return done.stdout.decode()


class Session:
    """An assistant's session in the middle of a debate: so many rounds are on record, and the main agent speaks."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.project, self.state, self._kept = folder / "project", folder / "state", folder / "kept"
        (self.project / ".git").mkdir(parents=True)
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLAUDE", "DEBATE_LANG"))
        }
        self.environment = own | {
            "XDG_STATE_HOME": str(self.state),
            "CLAUDE_CODE_SESSION_ID": SESSION,
            "CLAUDE_CODE_ENTRYPOINT": "cli",
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        self._run(str(DEBATE), "--version")  # leaves a link to its interpreter
        self.python = os.readlink(self.state / "debate" / "python")
        made = self._run(self.python, str(ROOT / "benchmarks" / "make_record.py"), ".", str(rounds), SESSION)
        self.debate = debate = Path(made.stdout.strip()).stem
        self._hook("UserPromptExpansion", command_name="debate:resume", command_args=debate, prompt_id="1")
        given = {"command": f"debate resume {debate}"}
        self._hook("PreToolUse", tool_name="Bash", tool_use_id="1", tool_input=given)
        self._run(str(DEBATE), "resume", debate)
        for part in (self.project, self.state):
            shutil.copytree(part, self._kept / part.name, symlinks=True)
        words = [str(DEBATE), "submit", debate, "--role", "main"]
        self._submit = Command(words, self.environment, self.project, VIEW)

    def submit(self) -> float:
        for part in (self.project, self.state):  # each time the same turn is added
            shutil.rmtree(part)
            shutil.copytree(self._kept / part.name, part, symlinks=True)
        return self._submit.run()

    def argue(self, rounds: int) -> None:
        """So many rounds of which this session saw everything, with a command that was asked about in each."""
        for number in range(rounds):
            self._run(str(DEBATE), "submit", self.debate, "--role", "main", stdin=VIEW.decode())
            told = self._run(str(DEBATE), "next", self.debate, "--json").stdout
            call = json.loads(told)["data"]["requests"][0]["call"]
            asked = {"tool_name": call["tool"], "tool_input": call["input"], "tool_use_id": f"call{number}"}
            self._hook("PreToolUse", **asked)
            self._hook("PostToolUse", **asked, tool_response={"agentId": "a1", "resolvedModel": "model"})
            make = {
                "tool_name": "Bash",
                "tool_input": {"command": f"make part{number}"},
                "cwd": str(self.project),
            }
            self._hook("PreToolUse", **make, tool_use_id=f"make{number}")
            self._hook("PostToolUse", **make, tool_use_id=f"make{number}", tool_response={})
            answer = {"agent_id": "a1", "agent_type": "partner", "last_assistant_message": VIEW.decode() * 10}
            self._hook("SubagentStop", **answer)
            self._run(str(DEBATE), "wait", self.debate, "--seconds", "1")

    def before(self, tool: str, **given: str) -> Command:
        """The guard's decision about a call, as the client asks for it."""
        payload: dict[str, Any] = {
            "session_id": SESSION, "cwd": str(self.project), "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": given, "tool_use_id": "toolu_1", "permission_mode": "default",
        }  # fmt: skip
        words = ["sh", str(ROOT / "hooks" / "entry"), "PreToolUse"]
        return Command(words, self.environment, self.project, json.dumps(payload).encode() + b"\n")

    def _hook(self, event: str, **payload: object) -> None:
        self._run("sh", str(ROOT / "hooks" / "entry"), event, stdin=json.dumps(payload))

    def _run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            input=stdin,
            env=self.environment,
            cwd=self.project,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )


def wired_hooks(environment: dict[str, str], cwd: Path) -> Iterator[tuple[str, Command]]:
    """Every hook that a session without a debate runs, as the client runs it."""
    wired = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    for event, entries in wired.items():
        for entry in entries:
            matcher = str(entry.get("matcher") or "")
            if matcher.startswith("debate:"):
                continue  # runs when the person asks for a debate
            tool = matcher.split("|")[-1]
            given = {"skill": "commit"} if tool == "Skill" else {"command": "ls -la", "description": "look"}
            payload = {"session_id": "another", "hook_event_name": event, "cwd": str(cwd), "tool_name": tool}
            stdin = json.dumps(payload | {"tool_input": given}).encode() + b"\n"
            for hook in entry["hooks"]:
                args = [word.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)) for word in hook["args"]]
                yield args[-1], Command([hook["command"], *args], environment, cwd, stdin)
