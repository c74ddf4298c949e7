"""What changed in the work tree while a command ran: taken before and after one that is not sure to read only.

git knows the tracked files quickly; of those that were changed already their content is compared. Elsewhere every file
counts. Records and the helper's own files are left out, and so is what lies in ignored folders, but for the folders.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_FILES = 200_000
MOST_BYTES = 32 * 2**20  # of a changed file; of a larger one size and time are compared
SECONDS = 8
_ASIDE = (".debates",)

Fingerprint = dict[str, "Any"]


def take(root: str) -> Fingerprint:
    """`head`, `tracked` (what differs from it, with its content's hash) and `new` (names only)."""
    found: Fingerprint = {"root": root, "head": "", "tracked": {}, "new": []}
    if not _take_git(root, "", found):
        found["tracked"] = _walk(root)
        found["whole"] = True
    return found


def compare(before: Fingerprint, root: str) -> tuple[list[str], list[str]]:
    """The tracked files that changed since, and the new or ignored ones that came."""
    after = take(root)
    if bool(before.get("whole")) != bool(after.get("whole")):
        return ["(git no longer answers here as it did)"], []
    old, new = before["tracked"], after["tracked"]
    changed = [
        path for path in old.keys() | new.keys() if path in old and path in new and old[path] != new[path]
    ]
    for path in old.keys() - new.keys():
        if after.get("whole") or _content(os.path.join(root, path)) != old[path]:
            changed.append(path)
    came = sorted(new.keys() - old.keys())
    if after.get("whole"):
        return sorted(changed), came
    if came and before["head"] != after["head"] and before["head"]:
        # Another commit is checked out, or was made: what differs from the old one has changed.
        told = _git(root, "diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", before["head"], "--")
        came = sorted(set(came) & set(told.split("\0"))) if told is not None else came
    elif before["head"] != after["head"] and before["head"]:
        told = _git(root, "diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", before["head"], "--")
        came = sorted(set((told or "").split("\0")) - {""} - set(old))
    return sorted({*changed, *came}), sorted(set(after["new"]) - set(before["new"]))


def _take_git(root: str, inside: str, found: Fingerprint) -> bool:
    place = os.path.join(root, inside)
    told = _git(
        place, "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=normal", "--ignored=traditional",
        "--ignore-submodules=none", "--no-renames",
    )  # fmt: skip
    if told is None:
        return False
    for entry in told.split("\0"):
        kind, _, rest = entry.partition(" ")
        if entry.startswith("# branch.oid ") and not inside:
            found["head"] = entry[13:] if not entry.endswith("(initial)") else ""
        elif kind in ("1", "u"):
            fields = rest.split(" ", 7 if kind == "1" else 9)
            path = os.path.join(inside, fields[-1])
            if path.split("/", 1)[0] in _ASIDE:
                continue
            if fields[1].startswith("S"):  # a submodule: what is in it counts, not only that it differs
                found["tracked"][path] = fields[1] + (fields[5] if kind == "1" else "")
                _take_git(root, path, found)
            else:
                found["tracked"][path] = _content(os.path.join(root, path))
        elif kind in ("?", "!") and rest.split("/", 1)[0] not in _ASIDE:
            found["new"].append(os.path.join(inside, rest))
    return True


def _content(path: str) -> str:
    """Mode and content; `gone` where there is none."""
    from hashlib import sha256

    try:
        found = os.lstat(path)
        mode = f"{found.st_mode:o}"
        if os.path.islink(path):
            return f"{mode} {os.readlink(path)}"
        if not os.path.isfile(path):
            return mode
        if found.st_size > MOST_BYTES:
            return f"{mode} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        with open(path, "rb") as file:
            return f"{mode} {sha256(file.read()).hexdigest()}"
    except OSError:
        return "gone"


def _walk(root: str) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.name in (*_ASIDE, ".git"):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
                continue
            if len(found) >= MOST_FILES:
                return found
            stat = entry.stat(follow_symlinks=False)
            found[os.path.relpath(entry.path, root)] = (
                f"{stat.st_mode:o} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"
            )
    return found


def _git(place: str, *words: str) -> str | None:
    """One plain call that runs nothing of the repository's and writes nothing; None where git says no."""
    import subprocess

    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-C", place, *words],
            capture_output=True, encoding="utf-8", errors="surrogateescape", timeout=SECONDS,
            env={**environ, "GIT_OPTIONAL_LOCKS": "0"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
