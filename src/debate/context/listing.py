"""The files of a project: what git knows and does not ignore, or what lies in the folder where there is no git.

There may be 100,000 of them, so nothing here looks at each one in turn: names are searched as one long text, and
since they are sorted, what a folder holds is found by bisection.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from operator import eq

from debate.context.git import Git, GitFailed, split
from debate.secrets import is_secret_file, secret_files

MOST_WALKED = 20_000
MOST_READ = 256 * 1024
# Folders that are made, not written: passed over where there is no git to say so.
MADE = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "target", "dist", "build", ".tox"}
)
RECORDS = ".debates/"


class Files:
    def __init__(self, root: str, paths: list[str], is_cut: bool = False, without_git: str = "") -> None:
        self.root, self.paths, self.is_cut, self.without_git = root, paths, is_cut, without_git

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def are_ascii(self) -> bool:
        return self._lower.isascii()

    @cached_property
    def _lower(self) -> str:
        return "\0" + "\0".join(self.paths).lower() + "\0"

    @cached_property
    def _joined(self) -> str:
        """The same without what people put between words: `rate_limiter` and `RateLimiter` are alike."""
        return self._lower.replace("_", "").replace("-", "")

    def containing(self, part: str, most: int, joined: bool = False) -> list[str]:
        """Paths that hold this part, at most so many; `joined`: whatever stands between its words."""
        text = self._joined if joined else self._lower
        skip = part.startswith("\0")  # it begins with the end of the path before
        found: list[str] = []
        index, seen, at = -1, 0, text.find(part)
        while at >= 0 and len(found) < most:
            index += text.count("\0", seen, at + skip)
            seen = at + skip
            found.append(self.paths[index])
            at = text.find(part, text.find("\0", seen))  # on in the next path
        return found

    def named(self, name: str, most: int = 50) -> list[str]:
        """Paths whose last parts are this name."""
        return self.containing(f"/{name.lower()}\0", most) + self.containing(f"\0{name.lower()}\0", 1)

    def made_for_secrets(self) -> list[str]:
        return secret_files(self.paths)

    def children(self, folder: str) -> Iterator[tuple[str, int]]:
        """What lies directly in a folder ("" or "a/b/"): each name with the number of files in it; a file's is 0."""
        at, end = self.span(folder)
        while at < end:
            name, slash, _ = self.paths[at][len(folder) :].partition("/")
            if not slash:
                yield name, 0
                at += 1
                continue
            after = bisect_left(self.paths, f"{folder}{name}0", at, end)  # "0" comes right after "/"
            yield f"{name}/", after - at
            at = after

    def count(self, folder: str) -> int:
        at, end = self.span(folder)
        return end - at

    def span(self, folder: str) -> tuple[int, int]:
        if not folder:
            return 0, len(self.paths)
        return bisect_left(self.paths, folder), bisect_left(self.paths, f"{folder[:-1]}0")

    def read(self, path: str) -> bytes | None:
        """A text file of the project, if it is one: no link, no device, nothing binary, huge, or made for secrets."""
        if is_secret_file(path):
            return None
        try:
            opened = os.open(f"{self.root}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (OSError, ValueError):
            return None
        try:
            entry = os.fstat(opened)
            if not stat.S_ISREG(entry.st_mode) or entry.st_size > MOST_READ:
                return None
            data = os.read(opened, MOST_READ)
        except OSError:
            return None
        finally:
            os.close(opened)
        return None if b"\0" in data else data

    def lies_inside(self, path: str) -> bool:
        """No folder on the way to it is a link out of the project."""
        base = os.path.realpath(self.root)
        return os.path.realpath(f"{self.root}/{path}").startswith(base.rstrip(os.sep) + os.sep)


def files(git: Git) -> Files:
    """What git lists, or the reason that it does not and what lies there."""
    root = git.folder
    try:
        call = git.start("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        paths = sorted(split(call.answer()))
        if any(map(eq, paths, islice(paths, 1, None))):  # a file in conflict is listed more than once
            paths = list(dict.fromkeys(paths))
        return Files(root, paths[:-1] if call.is_cut else paths, call.is_cut)
    except GitFailed as failed:
        walked = sorted(_walk(root))
        return Files(root, walked, len(walked) >= MOST_WALKED, without_git=str(failed))


def _walk(root: str) -> list[str]:
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in MADE)
        inside = "" if folder == root else f"{folder[len(root) + 1 :]}/"
        found += [inside + name for name in names[: MOST_WALKED - len(found)]]
        if len(found) >= MOST_WALKED:
            break
    return found
