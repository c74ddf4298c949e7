"""What a debate stands on: the commit it was argued on, and which of the cited files have changed since."""

from __future__ import annotations

import os
from pathlib import Path

from debate.model import Debate


def commit(root: Path) -> str | None:
    return _git(root, "rev-parse", "--verify", "-q", "HEAD").strip() or None


def changed(root: Path, debate: Debate) -> list[str]:
    """The cited files that are no longer what they were at the debate's commit."""
    from debate.evidence import citations

    cited = {c.path for turn in debate.turns if turn.citations for c in citations(turn.content, root)}
    gone = {path for path in cited if not os.path.lexists(root / path)}
    if not debate.commit or not cited:
        return sorted(gone)
    named = _git(root, "diff", "--name-only", "-z", "--no-ext-diff", debate.commit, "--", *sorted(cited))
    known = {
        entry["cited"]
        for turn in debate.turns
        for entry in turn.citations
        if entry["verdict"] != "no such file"
    }
    gone = {path for path in gone if any(place.startswith(path) for place in known)}
    return sorted(gone | {path for path in named.split("\0") if path})


def _git(root: Path, *words: str) -> str:
    """One plain call that runs nothing of the repository's and writes nothing; empty where git says no."""
    import subprocess  # late: few commands need it

    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-c", "core.fsmonitor=false", "-C", str(root), *words],
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=30,
            env={**environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
