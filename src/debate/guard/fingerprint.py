"""What changed in the work tree while a command ran: taken before and after one that is not sure to read only.

git knows the tracked files quickly; of those that were changed already their content is compared. Repositories inside
this one, submodules or not, are looked into the same way. Where git does not answer every file counts. Records are
left out, and so is what lies in ignored and in new folders, but for the folders.
"""

from __future__ import annotations

import os

from debate.guard.git import Git, above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fingerprint = dict[str, Any]
    Repository = dict[str, Any]

MOST_FILES = 200_000
MOST_BYTES = 32 * 2**20  # of a changed file; of a larger one size and times are compared
RECORDS = ".debates"
SILENT = "(git no longer answers here as it did)"
_STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=normal",
    "--ignored=traditional", "--ignore-submodules=dirty", "--no-renames",
)  # fmt: skip


def take(root: str) -> Fingerprint:
    """The repositories from `top` down; of each what git says, or its `files` where it says nothing."""
    top = above(root) or os.path.abspath(root)
    found: dict[str, Repository] = {}
    _look(top, "", found, set(), set())
    return {"top": top, "repositories": found}


def compare(before: Fingerprint, root: str) -> tuple[list[str], list[str]]:
    """The tracked files that changed since, and the new or ignored ones that came; both seen from the root."""
    top, then = before["top"], before["repositories"]
    now: dict[str, Repository] = {}
    # What answered without git is compared without it, though it may have become a repository meanwhile.
    without_git = {inside for inside, old in then.items() if "files" in old}
    try:
        _look(top, "", now, without_git, set())
    except TimeoutError:
        return [SILENT], []
    changed: set[str] = set()
    came: set[str] = set()
    for inside in then.keys() | now.keys():
        if inside not in then:
            came.add(inside + "/")
        elif inside not in now:
            changed.add(inside)
        else:
            others, new = _compare(then[inside], now[inside], os.path.join(top, inside))
            changed |= {os.path.join(inside, path) for path in others}
            came |= {os.path.join(inside, path) for path in new}
    return _seen_from(root, top, changed), _seen_from(root, top, came - changed)


def _compare(old: Repository, new: Repository, place: str) -> tuple[set[str], set[str]]:
    if "files" in old:
        return _compare_files(old["files"], new["files"], place)
    if "files" in new:
        return {SILENT}, set()
    return _changed(old, new, place), {*new["new"], *new["added"]} - {*old["new"], *old["added"]}


# -- with git --------------------------------------------------------------------------------------------------------


def _look(top: str, inside: str, found: dict[str, Repository], without_git: set[str], seen: set[str]) -> None:
    """Put the repository at this place into `found`, and those inside it."""
    place = os.path.join(top, inside)
    seen.add(os.path.realpath(place))
    git = Git(place)
    told = None if inside in without_git else git.ask(*_STATUS)
    if told is None:
        found[inside] = {"files": _walk(place)}
        return
    tracked: dict[str, str] = {}
    new: list[str] = []
    added: list[str] = []
    found[inside] = {"head": "", "tracked": tracked, "new": new, "added": added}
    within = git.submodules()
    own = {path for path in within if os.path.exists(os.path.join(place, path, ".git"))}
    for entry in told.split("\0"):
        kind, _, rest = entry.partition(" ")
        if kind in ("1", "u"):
            fields = rest.split(" ", 7 if kind == "1" else 9)
            path = fields[-1]
            if path not in own:
                tracked[path] = _content(os.path.join(place, path))
            if kind == "1" and "A" in fields[0]:  # no commit knows it
                added.append(path)
        elif kind in ("?", "!"):
            new.append(rest)
            if rest.endswith("/"):
                within.append(rest[:-1])
        elif entry.startswith("# branch.oid ") and not entry.endswith("(initial)"):
            found[inside]["head"] = entry[13:]
    for path in within:
        deeper = os.path.join(place, path)
        if os.path.exists(os.path.join(deeper, ".git")) and os.path.realpath(deeper) not in seen:
            _look(top, os.path.join(inside, path), found, without_git, seen)


def _changed(old: Repository, new: Repository, place: str) -> set[str]:
    """What differed from its commit before is compared by content; nothing else did differ."""
    known: dict[str, str] = old["tracked"]
    changed: set[str] = {
        p for p in known if (new["tracked"].get(p) or _content(os.path.join(place, p))) != known[p]
    }
    put_out = (
        not new["tracked"].keys().isdisjoint(new["new"])
    )  # of the index, and still there: git compares it no more
    if old["head"] == new["head"] and not put_out:
        return changed | {p for p in new["tracked"] if p not in known}.difference(new["added"])
    told = Git(place).differing(old["head"]) if old["head"] else []
    return changed | ({SILENT} if told is None else {p for p in told if p not in known})


def _content(path: str) -> str:
    """Kind, whether it may be run, and content; git, too, looks at no other permission."""
    from hashlib import sha256

    try:
        found = os.lstat(path)
        mode = f"{found.st_mode & 0o170100:o}"
        if os.path.islink(path):
            return f"{mode} {os.readlink(path)}"
        if not os.path.isfile(path):
            return mode
        if found.st_size > MOST_BYTES:
            return f"{mode} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        with open(path, "rb") as file:
            return f"{mode} {sha256(file.read()).hexdigest()}"
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:
        return "unreadable"


# -- without ---------------------------------------------------------------------------------------------------------


def _walk(top: str) -> dict[str, str]:
    """In the order of names, so that another look at too many files ends where this one did."""
    found: dict[str, str] = {}
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            names = sorted(os.listdir(os.path.join(top, folder)))
        except OSError:
            continue
        folders = []
        for name in names:
            path = os.path.join(folder, name)
            state = _state(os.path.join(top, path)) if name != ".git" else "gone"
            if state.startswith("4"):
                folders.append(path)
            elif state != "gone":
                found[path] = state
            if len(found) >= MOST_FILES:
                return found
        waiting += reversed(folders)
    return found


def _state(path: str) -> str:
    try:
        found = os.lstat(path)
    except OSError:
        return "gone"
    return f"{found.st_mode:o} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def _compare_files(old: dict[str, str], new: dict[str, str], place: str) -> tuple[set[str], set[str]]:
    # One that is not found may only lie beyond the most files by now.
    changed = {p for p in old if (new.get(p) or _state(os.path.join(place, p))) != old[p]}
    return changed, new.keys() - old.keys() if len(old) < MOST_FILES else set()


def _seen_from(root: str, top: str, paths: set[str]) -> list[str]:
    """Without the records. Where the project is only a part of the repository, what lies beside it counts too."""
    records = (RECORDS, os.path.relpath(os.path.join(root, RECORDS), top))
    is_whole = os.path.realpath(top) == os.path.realpath(root)
    return sorted(
        path if is_whole or SILENT in path else os.path.relpath(os.path.join(top, path), root)
        for path in paths
        if not any(path.rstrip("/") == place or path.startswith(place + "/") for place in records)
    )
