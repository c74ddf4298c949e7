"""What a tool call may do while a debate is on: pass, be put before the person, or be refused with the way out.

Before a tool the guard answers deny, ask or nothing; never allow, which would override the user's own settings.
"""

from __future__ import annotations

import os

from debate.guard import plain
from debate.guard.places import Places, below, meant, readings
from debate.guard.replies import referenced
from debate.guard.shell import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from debate.guard.session import Session

# Which of their arguments names the file.
EDITS = {"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
# Work that would go on where no hook of this session sees it.
ELSEWHERE = names(
    """
    Workflow CronCreate CronDelete ScheduleWakeup Monitor RemoteTrigger TeamCreate TeamDelete SendFile
    """
)
# Tools that change nothing of the user's; Bash, Agent, SendMessage, Skill and AskUserQuestion have rules of their own.
HARMLESS = names(
    """
    Read Glob Grep LS LSP WebFetch WebSearch ToolSearch ListAgents ReportFindings AskUserQuestion Skill
    Agent Task SendMessage TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite TodoRead
    BashOutput KillShell KillBash CronList EnterPlanMode ExitPlanMode ListMcpResourcesTool
    ReadMcpResourceTool SendUserMessage StructuredOutput
    """
)
READING = ("get", "list", "search", "read", "fetch", "find", "query", "view")
ASKED_AT_MOST = 1  # a subagent's answer may stop for the person so often, for a tool that is not Bash


class Decision:
    """`deny`, `ask` or pass; `key` is what a yes is remembered for."""

    __slots__ = ("key", "verdict", "why")

    def __init__(self, verdict: str = "pass", why: str = "", key: str = "") -> None:
        self.verdict, self.why, self.key = verdict, why, key


class Policy:
    def __init__(self, session: Session, cwd: str, agent: str, environ: Mapping[str, str]) -> None:
        self.session, self.cwd, self.agent = session, cwd, agent
        self.environ = environ
        self.root = session.root or environ.get("CLAUDE_PROJECT_DIR") or cwd
        self.places = Places(self.root, session.log.folder, environ)

    def decide(self, tool: str, given: Mapping[str, Any]) -> Decision:
        if self.session.stopped and not self._is_helper(tool, given):
            return Decision(
                "deny",
                "A file changed while the last command ran, and the user has not said yet what is to become of it. "
                "Tell them what changed, end your turn, and wait for their word.",
            )
        if tool in EDITS:
            return self._edit(str(given.get(EDITS[tool]) or ""))
        if tool == "Bash":
            return self._bash(str(given.get("command") or ""), bool(given.get("run_in_background")))
        if tool in ELSEWHERE or (tool in ("Agent", "Task") and given.get("isolation")):
            return Decision(
                "deny",
                f"While a debate is on nothing is started elsewhere, and {tool} would be.{self._way_out}",
            )
        if tool in ("Agent", "Task") and self.session.lifted:
            return Decision("deny", "The debate is set aside: start nobody any more, and give your answer.")
        if tool == "SendMessage" and not self._is_for_an_agent(given):
            return Decision(
                "deny", "While a debate is on messages go to agents of this session only." + self._way_out
            )
        if tool in HARMLESS:
            return Decision()
        server_tool = tool.split("__", 2)
        if server_tool[0] == "mcp" and server_tool[2:] and server_tool[2].lower().startswith(READING):
            return Decision()
        return self._ask(tool, f"{tool} may change something, and a debate is on.")

    # -- files ------------------------------------------------------------------------------------------------------

    def _edit(self, path: str) -> Decision:
        paths = [p for p in meant(path, self.cwd, self.places.home) if not self.places.is_free(p)]
        return self._refused(paths, [os.path.realpath(p) for p in paths]) or Decision()

    def _refused(self, paths: list[str], files: list[str]) -> Decision | None:
        """Why these may not be written; None if a grant covers all the files that they stand for."""
        if not paths:
            return None
        never = [path for path in paths if self.places.is_never(path)]
        if never:
            return Decision(
                "deny",
                f"{_named(never, self.root)}: nobody writes there while a debate is on; records are written by the "
                f"helper's own commands.{self._way_out}",
            )
        if self.agent:
            return Decision(
                "deny", "While a debate is on a subagent changes no file. Say what you would change, and why."
            )
        missing = [path for path in dict.fromkeys(files) if path not in self.session.granted]
        if not missing:
            return None
        root = self.places.root
        foreign = [
            path for path in missing if not below(path, root) or below(path, os.path.join(root, ".git"))
        ]
        if foreign:
            return Decision(
                "deny",
                f"A debate is on, and {_named(foreign, root)} is no file of the project that the user could be asked "
                f"about: it stays as it is.{self._way_out}",
            )
        options = " ".join(f"--file {_word(_shown(path, root))}" for path in missing)
        return Decision(
            "deny",
            f"A debate is on: {_named(missing, root)} may not change before the user has agreed. To ask them: debate "
            f"propose {self.session.debate or 'ID'} {options} (the summary on stdin), then the question that it gives."
            f"{self._way_out}",
        )

    # -- commands ---------------------------------------------------------------------------------------------------

    def _bash(self, command: str, background: bool) -> Decision:
        words = plain.helper_command(command)
        if words and words[0] in (plain.SUBAGENT_MAY if self.agent else plain.MAIN_MAY):
            return Decision()
        if plain.advances(command) and not (words and words[0] in plain.ASKED):
            if self.agent:
                return Decision(
                    "deny",
                    "Only the main agent advances the debate; you may read it (debate show, list, prompt). What you "
                    "say last is your answer, and it is filed as it stands.",
                )
            if words is None:
                return Decision(
                    "deny",
                    "The helper's commands work as one plain command each: no pipe, list, loop or variable around it, "
                    f"at most a quoted here-document.{self._way_out}",
                )
        from debate.guard.shell import judge

        verdict = judge(command, self.cwd, self.environ, self.places.is_free)
        if verdict.reads_only:
            return Decision()
        files = [file for path in verdict.writes for file in readings(path)]
        refused = self._refused(verdict.writes, files)
        if refused:
            return refused
        if verdict.asks and self._names_state(command):
            return Decision("deny", "The guard's own files are for nobody to touch." + self._way_out)
        if background or verdict.background:
            return Decision(
                "deny",
                "While a debate is on only what is sure to read runs in the background: nobody would see what the rest "
                f"changed. Run it in the foreground.{self._way_out}",
            )
        if not verdict.asks:
            return Decision()
        if self.agent:  # were it allowed and then changed a file, a stop would end the agent and tell nobody
            return Decision(
                "deny",
                f"While a debate is on a subagent runs only what is sure to read: {verdict.asks[0]}. Name the run in "
                "your answer, and what it would settle; the main agent can make it.",
            )
        return self._ask(
            f"{self.cwd}\0{command}", f"A debate is on, and nothing may change unasked: {verdict.asks[0]}."
        )

    def _ask(self, what: str, why: str) -> Decision:
        from hashlib import sha256

        key = sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        if key in self.session.allowed:
            return Decision("remembered", key=key)
        if self.agent and self.session.dialogs.get(self.agent, 0) >= ASKED_AT_MOST:
            return Decision(
                "deny",
                "The user was asked about a call of yours already, and is not asked twice for one answer. Say in your "
                "answer what you would call, and what it would settle.",
            )
        if self.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk"):
            why += self._way_out  # there the client refuses what would be asked, and the model reads why
        return Decision("ask", why, key)

    # -- words ------------------------------------------------------------------------------------------------------

    @property
    def _way_out(self) -> str:
        return (
            ""
            if self.agent
            else " The user can turn the guard off by typing /debate:pause (Esc first, in mid-turn)."
        )

    def _names_state(self, command: str) -> bool:
        """Whether it speaks of the folder that says which sessions are armed."""
        spelled = (self.session.log.folder, ".local/state/debate", "XDG_STATE_HOME")
        return any(name in command for name in spelled)

    def _is_for_an_agent(self, given: Mapping[str, Any]) -> bool:
        """One of this session's; a call that the helper gave is checked word for word elsewhere."""
        return bool(referenced(given.get("message"))) or str(given.get("to")) in self.session.known_agents

    def _is_helper(self, tool: str, given: Mapping[str, Any]) -> bool:
        return tool == "Bash" and plain.may_run(str(given.get("command") or ""), bool(self.agent))


def _shown(path: str, root: str) -> str:
    inside = path.startswith(root.rstrip(os.sep) + os.sep)
    return os.path.relpath(path, root) if inside else path


def _word(path: str) -> str:
    """As it is typed into a shell."""
    return path if all(c.isalnum() or c in "_./-" for c in path) else "'" + path.replace("'", "'\\''") + "'"


def _named(paths: list[str], root: str) -> str:
    names = [_shown(path, root) for path in dict.fromkeys(paths)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
