"""What a debate stands on: the commit it was argued on, and which of the cited files have changed since."""

from __future__ import annotations

import os
import re
from pathlib import Path

from debate.model import Debate

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_MOST_AT_ONCE = 200  # names in one command


def commit(root: Path) -> str | None:
    from debate.context.git import Git, GitFailed

    with Git(str(root)) as git:
        try:
            return git.ask("rev-parse", "--verify", "-q", "HEAD").decode().strip() or None
        except GitFailed:
            return None


def changed(root: Path, debate: Debate) -> list[str]:
    """The cited files that are no longer what they were at the debate's commit."""
    from debate.evidence import path_of

    named = (
        os.path.normpath(path_of(entry["cited"]))
        for turn in debate.turns
        for entry in turn.citations
        if entry["verdict"] != "no such file"
    )
    # git would answer nothing at all if one of them led out of the project
    cited = {path for path in named if not os.path.isabs(path) and path.split(os.sep)[0] != os.pardir}
    return sorted({path for path in cited if not os.path.lexists(root / path)} | _differ(root, debate, cited))


def _differ(root: Path, debate: Debate, cited: set[str]) -> set[str]:
    """By git, as far as it knows. The commit stands in a file that people edit: it may not be an option of git's."""
    from debate.context.git import DIFF, Git, GitFailed, split

    if not cited or not _COMMIT.fullmatch(debate.commit or ""):
        return set()
    names, found = sorted(cited), set[str]()
    with Git(str(root)) as git:
        try:
            git.switch_off_filters(git.start("config", "-z", "--get-regexp", r"^filter\.").answer(1))
            for at in range(0, len(names), _MOST_AT_ONCE):
                told = git.ask(
                    "diff", "--name-only", "-z", "--relative", *DIFF, str(debate.commit), "--",
                    *names[at : at + _MOST_AT_ONCE],
                )  # fmt: skip
                found |= set(split(told))
        except GitFailed:
            pass
    return found
