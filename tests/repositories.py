"""Git repositories for tests, made by plain `git` with nothing of the tester's in it."""

import os
import subprocess
from pathlib import Path

QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_COMMITTER_DATE": "1700000000 +0000",
}  # fmt: skip


class Repository:
    """A folder under git: `repo.write("a.py", "x = 1\\n")`, `repo.commit("Add a")`, `repo("log", "--oneline")`."""

    def __init__(self, folder: Path, *init: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main", *init)

    def __call__(self, *words: str | bytes) -> str:
        environment = {**os.environ, **QUIET}
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes = "text\n") -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def commit(self, subject: str, **files: str) -> str:
        """Commit everything, after writing these files; the new commit's id."""
        for name, content in files.items():
            self.write(name.replace("__", "."), content)
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", subject)
        return self("rev-parse", "HEAD")

    def branch(self, name: str) -> None:
        self("checkout", "-q", "-b", name)
