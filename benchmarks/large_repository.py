"""A repository of 100,000 files, made in seconds, and `git` with nothing of the tester's in it."""

import os
import subprocess
import sys
import time
from pathlib import Path

FILES = 100_000
BODY = (
    "import os\n\n\nclass Part{0}:\n    def work_{0}(self, value):\n        return value + {0}\n"
    + "# filler\n" * 40
)


def quiet_environment(folder: Path) -> dict[str, str]:
    """The tester's own settings would count for git; the assistant that they work in would count for the helper."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "GIT_"))}
    if sys.prefix != sys.base_prefix:  # in an environment, as under tests/run: the launcher need not make one
        own.setdefault("DEBATE_ENV", sys.prefix)
    person = {
        f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return own | person | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "XDG_STATE_HOME": str(folder / "state"),
    }  # fmt: skip


def make_repository(project: Path, environment: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], env=environment, check=True)
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=project, env=environment, stdin=subprocess.PIPE
    ) as importing:
        assert importing.stdin
        importing.stdin.write(
            b"commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 5\nBegin\n"
        )
        for number in range(FILES):
            body = BODY.format(number).encode()
            path = f"pkg{number % 40:02}/mod{number // 40 % 50:02}/file{number}.py"
            importing.stdin.write(f"M 100644 inline {path}\ndata {len(body)}\n".encode() + body + b"\n")
    for words in (["reset", "-q", "--hard"], ["checkout", "-q", "-b", "feature"]):
        run(["git", *words], project, environment)
    for number in range(3):
        (project / "pkg01" / "mod00" / "file1.py").write_text(f"changed = {number}\n")
        run(["git", "commit", "-qam", f"Change {number}"], project, environment)


def run(words: list[str], project: Path, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        words, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - began
