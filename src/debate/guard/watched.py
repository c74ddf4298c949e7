"""A command that the person let run: what changed while it did, and what is said of it."""

from __future__ import annotations

import json
import os

from debate.guard.fingerprint import compare, take
from debate.guard.places import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from debate.guard.log import Line
    from debate.guard.replies import Answer
    from debate.guard.session import Session


def before(session: Session, cwd: str) -> str:
    """The fingerprint of what it might change, to be noted."""
    return json.dumps([[tree, take(tree)] for tree in _trees(session.root or cwd, cwd)])


def after(session: Session, asked: Line, failed: bool) -> Answer:
    """A tracked file that changed without consent is a violation: it is noted, told, and stops the turn."""
    _note(session, "ran", id=asked["id"], failed=failed)
    noted = session.log.text(asked.get("before"))
    changed, came = _since(session, noted) if noted else ([], [])
    if not changed:
        told = f"debate: new files while that command ran: {_few(came)}." if came else ""
        return {"systemMessage": told} if told else None
    command = " ".join(session.log.text(asked.get("command")).split())[:200]
    _note(session, "violation", files=changed, command=command, id=asked["id"], d=asked.get("d"))
    told = (
        f"debate: {_few(changed)} changed while this ran, without your consent: {command} — nothing was undone, "
        "and the record says so. Say how to go on; until then nothing else runs."
    )
    if failed:  # the client ignores a stop here, so that every further call is refused instead
        return {"systemMessage": told, "hookSpecificOutput": {
            "hookEventName": "PostToolUseFailure", "additionalContext": told}}  # fmt: skip
    return {"continue": False, "stopReason": told, "systemMessage": told}


def _note(session: Session, event: str, **what: Any) -> None:
    """The command may have filled the disk; the person is told all the same."""
    from contextlib import suppress

    with suppress(OSError):
        session.log.add(event, **what)


def _since(session: Session, noted: str) -> tuple[list[str], list[str]]:
    """What changed without consent, and what came new, as paths from the project's root."""
    changed: list[str] = []
    came: list[str] = []
    root = session.root or "/"
    for tree, fingerprint in json.loads(noted):
        inside = os.path.relpath(tree, root)
        lead = "" if inside == "." else inside + os.sep
        here, new = compare(fingerprint, tree)
        changed += [lead + path for path in here]
        came += [lead + path for path in new]
    granted = session.granted
    # A repository inside the project is seen twice where the command ran in it.
    changed = [p for p in dict.fromkeys(changed) if os.path.realpath(os.path.join(root, p)) not in granted]
    return changed, list(dict.fromkeys(came))


def _trees(root: str, cwd: str) -> list[str]:
    """The project, and the other work tree that the command runs in, if it does: what `git worktree add` made, say."""
    folder = os.path.realpath(cwd)
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, from_here = os.path.dirname(folder), folder
        if folder == from_here:
            return [root]
    seen_already = below(os.path.realpath(root), folder) or _is_submodule(folder)
    return [root] if seen_already else [root, folder]


def _is_submodule(folder: str) -> bool:
    """Those are looked at with the project itself."""
    try:
        with open(os.path.join(folder, ".git"), encoding="utf-8", errors="surrogateescape") as file:
            return "/modules/" in file.read(4096)
    except OSError:
        return False


def _few(paths: list[str]) -> str:
    """A name is anything; one that could break the line, or write on in our words, is shown as a literal."""
    shown = [path if path.isprintable() else ascii(path) for path in paths[:5]]
    return ", ".join(shown) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
