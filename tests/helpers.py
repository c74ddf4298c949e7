"""What tests of every kind need: a clean environment, what a refusal looks like, waiting for a condition."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
DEBATE = ROOT / "bin" / "debate"

Value = TypeVar("Value")


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """A person's shell with nothing of the tester's in it: not their home, not the assistant they work in.

    DEBATE_ENV names the environment the tests run in, so that the launcher has nothing to build.
    """
    folders = {
        "HOME": home,
        "XDG_DATA_HOME": home / ".local/share",
        "XDG_STATE_HOME": home / ".local/state",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
    }
    always = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "DEBATE_ENV": sys.prefix}
    return {**always, **{name: str(path) for name, path in folders.items()}, **more}


def run(
    *command: str | Path, env: Mapping[str, str], cwd: Path, stdin: str = "", seconds: float = 120
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        env=env,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
    )


def refused(result: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The words of a refusal. A crash is not one, and neither is silence."""
    assert result.returncode == code, f"exit {result.returncode}: {result.stdout}{result.stderr}"
    assert result.stderr.strip(), "it refused without a word on stderr"
    assert "Traceback" not in result.stderr, result.stderr
    return result.stderr


def wait_until(condition: Callable[[], Value], what: str, seconds: float = 60) -> Value:
    """The first true value of the condition; fails, naming what was waited for, when the time is up."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(0.02)
    return value
