"""The real shell entry of the hooks, run as the client runs it, by every shell that may stand behind `sh` somewhere."""

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armed import Armed
from helpers import ROOT

ENTRY = ROOT / "hooks" / "entry"
EVENTS = sorted(json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"])
# What may stand behind `sh` on one machine or another; each once.
_FOUND = {
    os.path.realpath(found): (name, [found, *more])
    for name, more in (("bash", ["--posix"]), ("dash", []), ("busybox", ["sh"]), ("sh", []))
    if (found := shutil.which(name))
}
SHELLS = dict(_FOUND.values())


class Client:
    """The real entry, run by a shell as the client runs it; the session is armed, has a ticket, or has nothing."""

    def __init__(self, armed: Armed, state: str = "armed") -> None:
        self.armed, self.shell, self.entry = armed, ["/bin/sh"], ENTRY
        self.log = armed.state / "sessions" / f"{armed.id}.armed"
        self.environ = {**armed.environ, "PATH": os.environ["PATH"]}
        self.python = armed.state / "python"
        self.python.symlink_to(sys.executable)
        if state == "ticket":
            self.log.write_text(
                json.dumps({"e": "ticket", "t": time.time(), "command": "debate:debate"}) + "\n"
            )
            self.log.rename(self.log.with_suffix(".ticket"))
        elif state == "nothing":
            self.log.unlink()

    def starts(self, event: str = "PreToolUse", **how: Any) -> subprocess.Popen[bytes]:
        given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        command = [*self.shell, str(self.entry), event]
        return subprocess.Popen(command, env=self.environ, cwd=self.armed.project, **given)

    def run(self, payload: bytes, event: str = "PreToolUse", **how: Any) -> tuple[int, str, str]:
        """Its exit code and what it said, once nobody holds its output any more."""
        process = self.starts(event, **how)
        out, err = process.communicate(payload, timeout=120)
        return process.returncode, out.decode(), err.decode()

    def before(self, tool: str, **given: Any) -> str:
        """pass, ask, deny; or refused, where it could not decide; or blown, where the client would go on unwarned."""
        code, out, err = self.run(self.payload(tool, **given))
        if code == 2:
            assert not out and "/debate:pause" in err
            return "refused"
        if code:
            return "blown"
        return json.loads(out)["hookSpecificOutput"]["permissionDecision"] if out else "pass"  # type: ignore[no-any-return]

    def payload(self, tool: str, **given: Any) -> bytes:
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": self.armed._id("toolu")}
        base = {"session_id": self.armed.id, "cwd": str(self.armed.project), "hook_event_name": "PreToolUse"}
        return json.dumps(base | call).encode()

    def edit(self) -> str:
        return self.before("Write", file_path="app.py", content="x")

    def pauses(self, **how: Any) -> tuple[int, str, str]:
        payload = {"command_name": "debate:pause", "command_args": "", "session_id": self.armed.id}
        return self.run(json.dumps(payload).encode(), "UserPromptExpansion", **how)

    def runs_instead(self, script: str) -> None:
        """What stands where the guard's Python should be."""
        self.python.unlink(missing_ok=True)
        self.python.write_text(f"#!/bin/sh\n{script}\n")
        self.python.chmod(0o755)

    def changed(self, folder: Path, *changes: tuple[str, str, str]) -> None:
        """Run a copy of the plugin that differs in this."""
        for part in ("hooks", "src/debate/guard"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "src/debate/__init__.py", folder / "src/debate")
        for path, old, new in changes:
            text = (folder / path).read_text()
            assert text.count(old) == 1, f"{path} has no {old}"
            (folder / path).write_text(text.replace(old, new))
        self.entry = folder / "hooks/entry"


def powerless() -> None:
    """Root reads everything, but for a process that gave this up."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2) if hasattr(libc, "prctl") else ():
        libc.prctl(24, capability, 0, 0, 0)


def full_disk(log: Path) -> Callable[[], None]:
    """No file may grow beyond the log as it is."""
    size = log.stat().st_size if log.exists() else 0
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
