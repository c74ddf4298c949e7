"""The changed lines themselves: how many there are in each file, and whether they hold what looks like a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from debate.context.git import DIFF, Call, Git, GitFailed, as_in_patch, split
from debate.context.survey import Entry
from debate.secrets import find

MOST_FILES = 400
MOST_BYTES = 1024 * 1024  # of changed lines
MOST_PATHS = 40  # with more of them, git is faster if it looks at everything

# How git is asked: for a range of commits, or for what is staged and what is not. One question for both, `diff-index`
# with the names of a few files, takes git seconds where there are very many others.
Question = tuple[str, ...]


@dataclass
class Details:
    """By path."""

    lines: dict[str, str] = field(default_factory=dict)  # "+3 -1", or "binary or large"
    secrets: dict[str, str] = field(
        default_factory=dict
    )  # the kinds that seem to stand there; "" is an unknown path
    why_not_all: str = ""  # why some or all is missing


def uncommitted(head: str) -> list[Question]:
    return [("diff-index", "--cached", head), ("diff-files", "--ours")]


def look(git: Git, questions: Iterable[Question], entries: Sequence[Entry], count: int) -> Details:
    """Where that does not cost too much."""
    details = Details()
    if not entries:
        return details
    if count > MOST_FILES:
        details.why_not_all = "too many files"
        return details
    calls = [_ask(git, question, entries) for question in questions]
    known = {entry.path for entry in entries}
    for call in calls:
        try:
            counts, _, patch = call.answer().partition(b"\0\0")
        except GitFailed as failed:
            details.why_not_all = str(failed)
            continue
        if call.is_cut:
            details.why_not_all = f"more than {MOST_BYTES // 2**20} MB of changed lines"
        for path, lines in _numbers(split(counts)):
            if path in known:
                # staged and changed again: the sum of both would not be what the diff shows
                details.lines[path] = "" if path in details.lines else lines
        details.secrets |= _secrets(patch.decode("utf-8", "surrogateescape"), entries)
    return details


def _ask(git: Git, question: Question, entries: Sequence[Entry]) -> Call:
    paths = [entry.path for entry in entries] if question[0] == "diff-files" else []
    few = paths if len(paths) <= MOST_PATHS else []
    return git.start(
        question[0], "-z", "--numstat", "-p", "-U0", *DIFF, *question[1:], "--", *few, most=MOST_BYTES
    )


def _numbers(parts: list[str]) -> Iterable[tuple[str, str]]:
    rest = iter(parts)
    for part in rest:
        added, _, more = part.partition("\t")
        deleted, _, path = more.partition("\t")
        if not path:  # renamed: the old and the new name follow
            path = (next(rest, ""), next(rest, ""))[1]
        yield path, "binary or large" if added == "-" else f"+{added} -{deleted}"


def _secrets(patch: str, entries: Sequence[Entry]) -> dict[str, str]:
    paths = {}
    for entry in entries:
        for old in (entry.path, entry.old):
            paths[f"{as_in_patch(f'a/{old}')} {as_in_patch(f'b/{entry.path}')}"] = entry.path
    found = {}
    for piece in re.split(r"(?:\A|\n)diff --git ", patch):
        if kinds := {secret.kind for secret in find(piece)}:
            found[paths.get(piece.partition("\n")[0], "")] = ", ".join(sorted(kinds))
    return found
