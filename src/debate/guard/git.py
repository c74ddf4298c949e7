"""Asking plain `git` about a work tree, so that it runs nothing of the repository's and writes nothing.

A repository can name programs that git starts while it only looks. A file-system monitor is switched off by name; the
filters through which a changed file is compared have names of the repository's own, which are asked for first.
Submodules are looked into one by one: git's own look there would follow their settings.
"""

from __future__ import annotations

import os

SECONDS = 8
_KEPT = ("GIT_CONFIG", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
_SAFE = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    f"core.hooksPath={os.devnull}",
)


def above(folder: str) -> str | None:
    """The work tree that this folder lies in."""
    folder = os.path.abspath(folder)
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return folder


def folder_of(place: str) -> str:
    """Where its repository lies: a linked worktree and a submodule have only a file that says where."""
    folder = os.path.join(place, ".git")
    try:
        with open(folder, encoding="utf-8", errors="surrogateescape") as file:
            return os.path.realpath(os.path.join(place, file.read(4096).removeprefix("gitdir:").strip()))
    except (OSError, ValueError):
        return folder


class Git:
    def __init__(self, place: str) -> None:
        self.place = place
        self._off: list[str] | None = None

    def ask(self, *words: str, index: str | None = None) -> str | None:
        """What it prints; None where it is missing, or says no."""
        if self._off is None and not self._switch_off_filters():
            return None
        told = self._run(*self._off or (), *words, index=index)
        return None if told is None else told.decode("utf-8", "surrogateescape")

    def differing(self, commit: str) -> list[str] | None:
        """The files of this commit that are in the work tree no more, or otherwise, tracked by now or not."""
        from shutil import copy2
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            copy = os.path.join(folder, "index")
            try:
                copy2(self._index, copy)  # with its time: what was written at that moment is read again
            except OSError:
                return None
            # What the commit and the index agree about need not be read again.
            if self.ask("read-tree", "--reset", commit, index=copy) is None:
                return None
            told = self.ask(
                "diff",
                "--name-only",
                "-z",
                "--no-ext-diff",
                "--no-textconv",
                "--ignore-submodules=all",
                index=copy,
            )
        return None if told is None else told.split("\0")[:-1]

    @property
    def _index(self) -> str:
        return os.path.join(folder_of(self.place), "index")

    def submodules(self) -> list[str]:
        """Whatever stands in the index as one, be it named in `.gitmodules` or not."""
        if not self._may_have_submodules():
            return []
        told = self._run("ls-files", "--stage", "-z") or b""
        entries = (entry for entry in told.split(b"\0") if entry.startswith(b"160000 "))
        return [entry.partition(b"\t")[2].decode("utf-8", "surrogateescape") for entry in entries]

    def _may_have_submodules(self) -> bool:
        """Asking git costs a quarter of a look at the work tree, and there are rarely any."""
        try:
            with open(self._index, "rb") as file:
                index = file.read()
        except OSError:
            return True
        return (
            b"\0\0\xe0\0" in index or b"link\0" in index
        )  # such an entry's mode; the rest lies in another file

    def _switch_off_filters(self) -> bool:
        told = self._run("config", "-z", "--get-regexp", r"^filter\.", fine=(0, 1))
        if told is None:
            return False
        self._off = []
        settings = told.decode("utf-8", "surrogateescape").split("\0")
        for name in {setting.partition("\n")[0][7:].rpartition(".")[0] for setting in settings if setting}:
            if "=" in name:
                return False  # `-c` would take it for the end of the name
            for value in ("clean=", "process=", "required=false"):
                self._off += ["-c", f"filter.{name}.{value}"]
        return True

    def _run(self, *words: str, fine: tuple[int, ...] = (0,), index: str | None = None) -> bytes | None:
        import subprocess

        environ = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("GIT_") or key.startswith(_KEPT)
        }
        environ |= {
            "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(self.place)),
        }  # fmt: skip
        if index:
            environ["GIT_INDEX_FILE"] = index
        safe = ["--no-pager", "--literal-pathspecs"]
        for setting in _SAFE:
            safe += ["-c", setting]
        try:
            done = subprocess.run(
                ["git", *safe, *words], cwd=self.place, env=environ, timeout=SECONDS, stdin=subprocess.DEVNULL,
                capture_output=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"git took more than {SECONDS} s to say what changed here") from None
        except OSError:
            return None
        return done.stdout if done.returncode in fine else None
