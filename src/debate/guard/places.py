"""Where anyone may write while a debate is on, where nobody ever may, and everything else, which needs consent."""

from __future__ import annotations

import os

from debate.guard.git import folder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PACK = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_MOST_LINKS = 40
# What the client's own language takes for white space, and cuts off the ends of a path.
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Places:
    def __init__(self, root: str, state: str, environ: Mapping[str, str]) -> None:
        home = environ.get("HOME") or os.path.expanduser("~")
        settings = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        temporary = [environ.get("TMPDIR") or "", environ.get("CLAUDE_CODE_TMPDIR") or "", "/tmp"]
        self.root = os.path.realpath(root)
        self.home = os.path.realpath(home)
        self.temporary = [os.path.realpath(folder) for folder in temporary if os.path.isabs(folder)]
        self.plans = os.path.realpath(os.path.join(settings, "plans"))
        # The client's settings, hooks, plugins and transcripts, the guard's own state, and the guard itself.
        never = [settings, settings + ".json", state, _PACK]
        self.never = [os.path.realpath(place) for place in never]
        self.never += [os.path.join(self.root, ".debates"), os.path.join(self.root, ".claude")]
        self._theirs = [self.root, _repository(self.root), *self.never]

    def is_free(self, path: str) -> bool:
        """The temporary folder, but not the project or the home where it lies in it; and the client's plan."""
        return not leads_elsewhere(path) and all(map(self._is_free, readings(path)))

    def is_never(self, path: str) -> bool:
        return leads_elsewhere(path) or any(map(self._is_never, readings(path)))

    def _is_free(self, path: str) -> bool:
        if not (below(path, self.plans) and path != self.plans):
            if any(stands_in(path, place) or below(place, path) for place in self._theirs):
                return False
            if not any(self._is_inside(path, folder) for folder in self.temporary):
                return False
        try:
            found = os.lstat(path)
        except OSError:
            return True
        is_file = found.st_mode & 0o170000 == 0o100000
        return not (is_file and found.st_nlink > 1)  # else it may be another name of the user's

    def _is_never(self, path: str) -> bool:
        return any(stands_in(path, place) for place in self.never)

    def _is_inside(self, path: str, temporary: str) -> bool:
        at_home = stands_in(path, self.home) and not below(temporary, self.home)
        return below(path, temporary) and path != temporary and not at_home and not below(self.home, path)


def meant(path: str, cwd: str, home: str) -> list[str]:
    """What an editing tool may take this path for, once it has cut blanks off, filled `~` in and gone up every `..`.

    Shells and system calls follow a link before a `..` after it; the client, which works on the letters, does not.
    """
    found: list[str] = []
    for spelled in dict.fromkeys((path, path.strip(_BLANKS), _composed(path.strip(_BLANKS)))):
        if spelled == "~" or spelled.startswith("~/"):
            spelled = home + spelled[1:]
        spelled = os.path.join(cwd, spelled)
        found += [os.path.normpath(spelled), os.path.realpath(spelled)] if ".." in spelled else [spelled]
    return list(dict.fromkeys(found))


def readings(path: str) -> list[str]:
    """The file that the name leads to, and the name itself, which may be removed or replaced."""
    above, name = os.path.split(path.rstrip(os.sep) or os.sep)
    leads_to = os.path.realpath(path)
    itself = leads_to if name in ("", ".", "..") else os.path.join(os.path.realpath(above), name)
    return list(dict.fromkeys((leads_to, itself)))


def leads_elsewhere(path: str) -> bool:
    """Through /proc/self and its like, which lead every process somewhere else."""
    waiting, at = path.split(os.sep)[::-1], os.sep
    links = 0
    while waiting:
        name = waiting.pop()
        at = os.path.dirname(at) if name == ".." else os.path.join(at, name) if name not in ("", ".") else at
        if below(at, "/proc") or below(at, "/dev/fd"):
            return True
        if name not in ("", ".", "..") and os.path.islink(at):
            links += 1
            if links > _MOST_LINKS:
                return True
            leads_to = os.readlink(at)
            waiting += leads_to.split(os.sep)[::-1]
            at = os.sep if os.path.isabs(leads_to) else os.path.dirname(at)
    return False


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def stands_in(path: str, place: str) -> bool:
    """Below it, whatever it is called: some file systems tell no capitals apart, and mounts give second names."""
    if below(path.casefold(), place.casefold()):
        return True
    try:
        its = os.stat(place)
    except OSError:
        return False
    while True:
        try:
            found = os.stat(path)
        except OSError:
            pass
        else:
            if (found.st_dev, found.st_ino) == (its.st_dev, its.st_ino):
                return True
        if path == os.path.dirname(path):
            return False
        path = os.path.dirname(path)


def _composed(path: str) -> str:
    if path.isascii():
        return path
    from unicodedata import normalize

    return normalize("NFC", path)


def _repository(root: str) -> str:
    """The whole of it, of which a linked worktree has only a part."""
    folder = folder_of(root)
    return os.path.dirname(os.path.dirname(folder)) if "/worktrees/" in folder else folder
