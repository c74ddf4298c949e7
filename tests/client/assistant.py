"""Claude Code as a person has it: a home with the plugin installed, a project, a terminal or print mode."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client.clients import Client
from client.loopback import Loopback
from client.terminal import Terminal
from helpers import ROOT, run

KEY = "sk-ant-scripted-for-tests"
WITNESS = Path(__file__).with_name("witness.py")
EVENTS = [
    "SessionStart",
    "UserPromptExpansion",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
]


def client_environment(base: Mapping[str, str], url: str) -> dict[str, str]:
    return {
        **base,
        "TERM": "xterm-256color",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "IS_SANDBOX": "1",  # lets root use every permission mode
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


@dataclass(frozen=True)
class Printed:
    """What `claude -p` left."""

    exit_code: int
    messages: list[dict[str, Any]]  # the lines of stream-json
    stderr: str

    @property
    def text(self) -> str:
        """The last word."""
        return str(next(line["result"] for line in reversed(self.messages) if line["type"] == "result"))

    @property
    def session(self) -> str:
        return str(self.messages[0]["session_id"])


class Assistant:
    def __init__(
        self, client: Client, loopback: Loopback, home: Path, project: Path, env: dict[str, str]
    ) -> None:
        self.client, self.home, self.project, self.env = client, home, project, env
        self._loopback = loopback
        self._log = home / "events.jsonl"
        self._terminals: list[Terminal] = []
        self._get_past_the_first_start()
        self._place_witness()

    def claude(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return run(*self._loopback.command(self.client.program, *words), env=self.env, cwd=self.project)

    def install(self, pack: Path) -> None:
        """As a person does, from a clone."""
        for words in (("marketplace", "add", pack), ("install", "debate@debate")):
            done = self.claude("plugin", *words)
            assert done.returncode == 0, done.stdout + done.stderr

    def set(self, **values: Any) -> None:
        """What the user has in their settings."""
        self._merge(self.home / ".claude/settings.json", **values)

    def print_mode(self, prompt: str, *options: str) -> Printed:
        done = self.claude("-p", prompt, "--output-format", "stream-json", "--verbose", *options)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Printed(done.returncode, lines, done.stderr)

    def terminal(self, *options: str) -> Terminal:
        """In default permission mode unless the options say otherwise, ready for the first prompt."""
        options = options if "--permission-mode" in options else ("--permission-mode", "default", *options)
        terminal = Terminal(self._loopback.command(self.client.program, *options), self.project, self.env)
        self._terminals.append(terminal)
        terminal.wait_for("❯")
        return terminal

    def events(self, name: str = "", **fields: Any) -> list[dict[str, Any]]:
        """The payloads that hooks got so far: of this event, with these values."""
        if not self._log.exists():
            return []
        wanted = {"hook_event_name": name, **fields} if name else fields
        payloads = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [payload for payload in payloads if wanted.items() <= payload.items()]

    def transcript(self) -> list[dict[str, Any]]:
        """The lines of the latest session's transcript."""
        path = Path(self.events()[-1]["transcript_path"])
        whole, _, _ = path.read_text().rpartition("\n")  # the client may be in the middle of a line
        return [json.loads(line) for line in whole.splitlines()]

    def close(self) -> None:
        for terminal in self._terminals:
            terminal.close()

    def _get_past_the_first_start(self) -> None:
        """Answers beforehand what the client asks once."""
        self._merge(
            self.home / ".claude.json",
            hasCompletedOnboarding=True,
            theme="dark",
            customApiKeyResponses={"approved": [KEY[-20:]]},
            hasSeenAutoModeEntryWarning=True,
            hasSeenAutoDefaultNotice=True,
            projects={str(self.project): {"hasTrustDialogAccepted": True}},
        )
        asked_once = {"skipDangerousModePermissionPrompt": True, "tui": "default"}
        self._merge(self.home / ".claude/settings.json", **asked_once)

    def _place_witness(self) -> None:
        arguments = ["-I", "-S", str(WITNESS), str(self._log)]
        hook = {"type": "command", "command": sys.executable, "args": arguments}
        on_every_event = {event: [{"hooks": [hook]}] for event in EVENTS}
        self._merge(self.home / ".claude/settings.json", hooks=on_every_event)

    @staticmethod
    def _merge(file: Path, **values: Any) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        known = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps(known | values))


def copy_home(installed: Path, home: Path) -> None:
    """What `plugin install` wrote there, but not its copy of the pack: the client runs it where the clone is."""
    shutil.copytree(installed, home, dirs_exist_ok=True, ignore=shutil.ignore_patterns("cache", "backups"))


def copy_pack(folder: Path, *without: str) -> Path:
    """The plugin without its hooks on these events: the control that shows what they are for."""
    beside = shutil.ignore_patterns(".*", "tests", "docs", "benchmarks", "__pycache__")
    shutil.copytree(ROOT, folder, ignore=lambda path, names: beside(path, names) - {".claude-plugin"})
    hooks = folder / "hooks/hooks.json"
    settings = json.loads(hooks.read_text())
    for event in without:
        del settings["hooks"][event]
    hooks.write_text(json.dumps(settings))
    return folder
