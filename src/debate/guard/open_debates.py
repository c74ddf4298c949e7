"""The one line that a new session is told: which debates of this project are open and nobody drives."""

from __future__ import annotations

import os

from debate.guard.log import Log, every_log
from debate.guard.session import Session

MOST = 3
OLDEST_SECONDS = 14 * 24 * 3600


def line(project: str, own: Log, now: float) -> str:
    folder = records_folder(project)
    if not folder:
        return ""
    driven = _driven_elsewhere(os.path.dirname(folder), own, now)
    found = []
    for name in os.listdir(folder):
        stem, ending = os.path.splitext(name)
        if ending == ".md" and not name.startswith(".") and stem not in driven:
            changed = _open_since(os.path.join(folder, name))
            if now - changed <= OLDEST_SECONDS:
                found.append((changed, stem))
    if not found:
        return ""
    names = [stem for _, stem in sorted(found, reverse=True)]
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return (
        f"Open debates here: {', '.join(names[:MOST])}{more}. The user takes one up with /debate:resume ID."
    )


def records_folder(project: str) -> str | None:
    folder = os.path.abspath(project)
    while True:
        if os.path.isdir(os.path.join(folder, ".debates")):
            return os.path.join(folder, ".debates")
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = above


def _open_since(path: str) -> float:
    """When an open record with at least one turn was last written; 0 for every other file."""
    try:
        with open(path, "rb") as file:
            data = file.read(16 * 1024)
            if b"\nstatus: in-progress\n" not in data:
                return 0
            if b"\n<!-- turn " not in data and b"\n<!-- turn " not in file.read():
                return 0
            return os.fstat(file.fileno()).st_mtime
    except OSError:
        return 0


def _driven_elsewhere(root: str, own: Log, now: float) -> set[str]:
    driven = set()
    for log in every_log(own.folder):
        if log.session != own.session and not log.is_lifted:
            other = Session(log)
            if other.debate and not other.ended and other.root == root and other.is_live(now):
                driven.add(other.debate)
    return driven
