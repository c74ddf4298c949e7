"""Where anyone may write while a debate is on, where nobody ever may, and everything else, which needs consent."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PACK = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Places:
    def __init__(self, root: str, state: str, environ: Mapping[str, str]) -> None:
        home = environ.get("HOME") or os.path.expanduser("~")
        settings = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        temporary = [environ.get("TMPDIR") or "", environ.get("CLAUDE_CODE_TMPDIR") or "", "/tmp"]
        self.root = _real(root)
        self.home = _real(home)
        self.temporary = [_real(folder) for folder in temporary if os.path.isabs(folder)]
        self.plans = _real(os.path.join(settings, "plans"))
        self.records = os.path.join(self.root, ".debates")
        # The client's settings, hooks, plugins and transcripts, the guard's own state, and the guard itself.
        self.never = [_real(settings), _real(settings) + ".json", _real(state), _real(_PACK), self.records]
        self._settings = os.path.join(self.root, ".claude")

    def is_free(self, path: str) -> bool:
        """The temporary folder, but not the project or the home where it lies in it; and the client's plan."""
        path = _real(path)
        if below(path, self.plans) and path != self.plans:
            return True
        if self.is_never(path) or below(path, self.root) or below(path, _git_folder(self.root)):
            return False
        if not any(self._is_inside(path, folder) for folder in self.temporary):
            return False
        try:
            found = os.lstat(path)
        except OSError:
            return True
        return not (
            found.st_nlink > 1 and (found.st_mode & 0o170000) == 0o100000
        )  # another name of some other file

    def _is_inside(self, path: str, temporary: str) -> bool:
        at_home = below(path, self.home) and not below(temporary, self.home)
        return below(path, temporary) and path != temporary and not at_home

    def is_never(self, path: str) -> bool:
        path = _real(path)
        return any(below(path, place) for place in self.never) or below(path, self._settings)


def _real(path: str) -> str:
    return os.path.realpath(path)


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _git_folder(root: str) -> str:
    """Where the repository itself lies: a linked worktree has only a file that says where."""
    try:
        with open(os.path.join(root, ".git"), encoding="utf-8", errors="surrogateescape") as file:
            named = file.read(4096).removeprefix("gitdir:").strip()
    except (OSError, ValueError):
        return os.path.join(root, ".git")
    folder = _real(os.path.join(root, named))
    return os.path.dirname(os.path.dirname(folder)) if "/worktrees/" in folder else folder
