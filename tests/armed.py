"""A session with a debate on, and what its calls come to: pass, ask or deny."""

from pathlib import Path
from typing import Any

from sessions import Data, Session


class Armed(Session):
    """A session with a debate on, in a project below the system's temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.home, self.elsewhere = folder / "people/home", folder / "elsewhere"
        for place in (self.home, self.elsewhere, folder / "work/project/.git"):
            place.mkdir(parents=True)
        super().__init__(self.home, folder / "work/project", TMPDIR=str(folder))
        self.start("Cache the roster?")
        self.call = ""

    def decided(
        self, tool: str, agent: str | None = None, cwd: Path | None = None, **given: Any
    ) -> tuple[str, str]:
        """pass, ask or deny, and why."""
        self.call = self._id("toolu")
        inside = {"agent_id": agent, "agent_type": "general-purpose"} if agent else {}
        place = {"cwd": str(cwd)} if cwd else {}
        answer = self.hook(
            "PreToolUse", tool_name=tool, tool_input=given, tool_use_id=self.call, **inside, **place
        )
        decided = (answer or {}).get("hookSpecificOutput", {})
        return decided.get("permissionDecision", "pass"), decided.get("permissionDecisionReason", "")

    def edit(self, path: Path | str, agent: str | None = None, cwd: Path | None = None) -> str:
        return self.decided("Write", agent, cwd, file_path=str(path), content="x")[0]

    def bash(self, command: str, agent: str | None = None, cwd: Path | None = None, **more: Any) -> str:
        return self.decided("Bash", agent, cwd, command=command, **more)[0]

    def ran(self, failed: bool = False, tool: str = "Bash") -> Data | None:
        """The person said yes to the last call; what the hook says after it."""
        if failed:
            return self.hook("PostToolUseFailure", tool_name=tool, tool_use_id=self.call, error="exit 1")
        return self.hook("PostToolUse", tool_name=tool, tool_use_id=self.call, tool_response={})

    def agrees_to(self, *files: str) -> None:
        questions = self.host.propose(self.debate, files, "It is simpler.")["questions"]
        yes = {questions[0]["question"]: questions[0]["options"][0]["label"]}
        self.answers(self.asks(questions), yes)
