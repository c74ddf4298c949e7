"""Asking plain `git`, so that it runs nothing and writes nothing.

A repository can name programs that git starts while it only looks: file-system monitors, filters, text converters,
diff drivers, signature checkers, the `git` of its submodules, and what fetches a missing object. `git status` by
itself rewrites the index. None of that happens here. Names come and go as bytes between NULs, never quoted.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

SECONDS = 60.0
MOST_BYTES = 64 * 1024 * 1024

_SAFE = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.bigFileThreshold=4m"),  # a larger file is not diffed, whatever it holds
    *("-c", "log.showSignature=false"),
)
# For every command that compares: `dirty` keeps git out of submodules, whose own settings would count there.
DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "-M",
    "-l200",
)
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")


class GitFailed(Exception):
    """git could not answer; the message says why, in git's own words where it has some."""


class Call:
    """One git command that is running. Several may run at once; each is read when its answer is needed."""

    def __init__(self, words: list[str], folder: str, environment: dict[str, str], most: int) -> None:
        self._what, self._most = next(word for word in words[len(_SAFE) + 1 :] if word[0] != "-"), most
        self.is_cut = False
        try:
            self.process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except FileNotFoundError:
            raise GitFailed("git is not installed") from None
        except OSError as error:
            raise GitFailed(f"git cannot be started: {error.strerror}") from None
        self._watch = threading.Timer(SECONDS, self.process.kill)
        self._watch.daemon = True
        self._watch.start()
        self._stderr = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def answer(self, *fine: int) -> bytes:
        """What it printed. Exit codes other than 0 are failures unless they are said to be fine."""
        assert self.process.stdout
        data = self.process.stdout.read(self._most)
        self.is_cut = len(data) == self._most
        if self.is_cut:
            self.process.kill()
        self.process.stdout.close()
        code = self.process.wait()
        timed_out = not self._watch.is_alive()
        self._watch.cancel()
        self._listener.join()
        if code == 0 or code in fine or self.is_cut:
            return data
        if timed_out:
            raise GitFailed(f"git {self._what} took more than {SECONDS:.0f} s")
        words = self._stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise GitFailed(words[:300] or f"git {self._what} failed with exit code {code}")

    def _listen(self) -> None:
        """Read all of stderr, so that a talkative git does not wait for us; the beginning is enough."""
        assert self.process.stderr
        self._stderr = self.process.stderr.read(4096)
        while self.process.stderr.read(65536):
            pass
        self.process.stderr.close()


class Git:
    """The git of one folder. Close it, and what still runs is ended."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._off: list[str] = []
        self._calls: list[Call] = []
        self._environment = {
            **{
                key: value
                for key, value in os.environ.items()
                if not key.startswith("GIT_") or key.startswith(_KEPT)
            },
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",  # for a git that does not know the line above
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def start(self, *words: str, most: int = MOST_BYTES) -> Call:
        call = Call(["git", *_SAFE, *self._off, *words], self.folder, self._environment, most)
        self._calls.append(call)
        return call

    def ask(self, *words: str, most: int = MOST_BYTES) -> bytes:
        return self.start(*words, most=most).answer()

    def switch_off_filters(self, configured: bytes) -> None:
        """Before the work tree is compared: whatever `git config -z --get-regexp ^filter` names must not run."""
        for name in {entry.partition("\n")[0][7:].rpartition(".")[0] for entry in split(configured)}:
            if "=" in name:  # `-c` would take it for the end of the name
                raise GitFailed(f"the filter {name!r} in its configuration cannot be switched off")
            for setting in ("clean=", "process=", "required=false"):
                self._off += ["-c", f"filter.{name}.{setting}"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        for call in self._calls:
            if call.process.poll() is None:
                call.process.kill()
                call.process.wait()


def split(data: bytes) -> list[str]:
    """NUL-terminated names as text; bytes that are no UTF-8 survive the way there and back."""
    return data.decode("utf-8", "surrogateescape").removesuffix("\0").split("\0") if data else []


def quoted(path: str) -> str:
    """As git shows a name: in quotes, with escapes, if it holds what would break a line or the quotes.

    Letters that nobody sees, or that are none, are escaped, too.
    """
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _octal(c)) for c in path) + '"'


def as_in_patch(path: str) -> str:
    """The same, to the letter as it stands in the head of a patch."""
    if not any(c < " " or c in '"\\\x7f' for c in path):
        return path
    return '"' + "".join(_ESCAPES.get(c) or (_octal(c) if c < " " or c == "\x7f" else c) for c in path) + '"'


def some(paths: Sequence[str]) -> str:
    """The first few of many names."""
    shown = ", ".join(map(quoted, paths[:5]))
    return f"{shown} and {len(paths) - 5:,} more" if len(paths) > 5 else shown


_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}


def _octal(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
