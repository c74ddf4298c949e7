"""A change: what differs from what, in which files, and the command that shows it.

A clean branch is compared with its merge base and a tree with uncommitted work with HEAD; where neither differs
from anything, the last commit is what is looked at.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from debate.context.details import MOST_FILES, Details, Question, look, uncommitted
from debate.context.git import DIFF, Call, Git, quoted, some, split
from debate.context.listing import Files
from debate.context.page import Page
from debate.context.survey import Entry, Survey, between
from debate.context.topic import Topic
from debate.secrets import find, is_secret_file

MOST_COMMITS = 30
MOST_EXCLUDED = 30


@dataclass(frozen=True)
class Comparison:
    says: str
    command: str  # what shows it; "" if no diff does
    questions: list[Question]  # what git is asked for the details
    entries: list[Entry]
    count: int  # of all files, of which there may be more than entries


def write(page: Page, git: Git, state: Survey, topic: Topic, base: str | None) -> None:
    chosen = _comparison(git, state, topic, base)
    log = _start_log(git, state)
    details = look(git, chosen.questions, chosen.entries, chosen.count)
    hidden = {
        entry.path: entry.old
        for entry in chosen.entries
        if is_secret_file(entry.path) or is_secret_file(entry.old)
    }
    hidden |= {entry.path: entry.old for entry in chosen.entries if entry.path in details.secrets}
    page.add(chosen.says)
    if chosen.command:
        _write_command(page, chosen.command, hidden)
    if state.uncommitted and not base and state.commits and not state.is_last_commit:
        page.add(f"Apart from that, the branch has commits: debate context --base {shlex.quote(state.base)}")
    page.add_list(
        f"Changed files, {chosen.count:,}:",
        [_line(entry, details) for entry in chosen.entries],
        0.6,
        "changed files",
        chosen.count,
    )
    _write_untracked(page, state)
    if log:
        told = log.answer().decode("utf-8", "replace").removesuffix("\n")
        subjects = told.split("\n") if told else []
        page.add_list("Commits, newest first:", subjects[:MOST_COMMITS], 0.9, "commits")
        if len(subjects) > MOST_COMMITS:
            page.leave_out(f"commits before the newest {MOST_COMMITS}")
    _say_what_is_missing(page, state, chosen, details, hidden)


def _comparison(git: Git, state: Survey, topic: Topic, base: str | None) -> Comparison:
    where = f"branch `{state.branch}`" if state.branch else "a detached HEAD"
    work = state.uncommitted
    if state.head is None:
        says = f"The change: {where} has no commit yet, and this is what is staged."
        nothing = git.ask("hash-object", "-t", "tree", os.devnull).decode().strip()
        return Comparison(says, "git diff --cached" if work else "", uncommitted(nothing), work, len(work))
    if work and base:
        both = {entry.path: entry for entry in [*_committed(git, state, topic), *work]}
        says = f"The change: {where} and its uncommitted work against `{base}`, from {state.since[:12]}."
        questions = [("diff-tree", *between(state)), *uncommitted("HEAD")]
        return Comparison(says, f"git diff {state.since}", questions, [*both.values()], len(both))
    own = state.commits and not state.is_last_commit
    if work or (state.untracked and not own and not base):
        says = f"The change: uncommitted work on {where}, against HEAD ({state.head[:12]})."
        return Comparison(says, "git diff HEAD" if work else "", uncommitted("HEAD"), work, len(work))
    if state.is_last_commit:
        nothing = f"nothing that `{state.base}` lacks" if state.base else "nothing uncommitted"
        says = f"The change: {where} has {nothing}, so this is its last commit, {state.head[:12]}."
    else:
        since = "straight from" if state.is_unrelated else "from their merge base"
        says = f"The change: {where} against `{state.base}`, {since} {state.since[:12]}."
    entries = _committed(git, state, topic)
    count = len(state.commits) // 2  # where they are few, a renamed file counts once
    count = count if count > MOST_FILES else len(entries)
    return Comparison(says, state.command, [("diff-tree", *between(state))], entries, count)


def _committed(git: Git, state: Survey, topic: Topic) -> list[Entry]:
    """The files of a range of commits: with their renames if they are few, else the most relevant ones."""
    paths = state.commits[1::2]
    if len(paths) <= MOST_FILES:
        parts = iter(split(git.ask("diff-tree", *between(state), "-z", "--raw", *DIFF)))
        return [_raw_entry(description, parts) for description in parts]
    files = Files(state.top, paths)
    first = [path for word in (*topic.names, *topic.words) for path in files.containing(word.lower(), 20)]
    chosen = dict.fromkeys([*files.made_for_secrets(), *first, *paths[:MOST_FILES]])
    letters = dict(zip(paths, state.commits[::2], strict=True))
    return [Entry(letters[path], path) for path in chosen]


def _raw_entry(description: str, names: Iterator[str]) -> Entry:
    modes, letter = description[1:].split(" ")[:2], description.rsplit(" ", 1)[1][0]
    old = next(names) if letter in "RC" else ""
    return Entry(letter, next(names), old, "160000" in modes)


def _write_command(page: Page, command: str, hidden: dict[str, str]) -> None:
    """The command as it is typed, without the files whose changed lines must not be shown."""
    names = dict.fromkeys(name for pair in hidden.items() for name in pair if name)
    excluded = " ".join(shlex.quote(_excluding(name)) for name in names)
    if len(names) > MOST_EXCLUDED or not page.add(
        f"See it with: {command}{' -- ' if names else ''}{excluded}"
    ):
        page.add(f"See it file by file, since many of them may hold secrets: {command} -- PATH")


def _excluding(path: str) -> str:
    """A pathspec for everything but this file. What a terminal would not show, or nobody may see, is matched by `?`."""
    unseen = {at for secret in find(path) for at in range(secret.start, secret.end)}
    if path.isprintable() and not unseen:
        return f":(top,exclude,literal){path}"
    escaped = "".join(
        "?" if at in unseen or not c.isprintable() else f"\\{c}" if c in "\\*?[" else c
        for at, c in enumerate(path)
    )
    return f":(top,exclude,glob){escaped}"


def _write_untracked(page: Page, state: Survey) -> None:
    files = Files(state.top, state.untracked)
    hidden = set(files.made_for_secrets())
    lines, looked_at = [], 0
    for path in state.untracked[: 10 * MOST_FILES]:
        if path in hidden:
            continue
        looked_at += 1
        kinds = {secret.kind for secret in find(_text(files, path))} if looked_at <= MOST_FILES // 4 else None
        lines.append(
            quoted(path)
            + (f" (holds what looks like a {', '.join(sorted(kinds))}: do not quote it)" if kinds else "")
        )
    title = "New files, which git does not track and no diff shows; read them:"
    page.add_list(title, lines, 0.5, "untracked files", len(state.untracked) - len(hidden))
    if hidden:
        page.leave_out(f"untracked, made for secrets, not to be opened: {some(sorted(hidden))}")


def _text(files: Files, path: str) -> str:
    return (files.read(path) or b"").decode("utf-8", "replace")


def _start_log(git: Git, state: Survey) -> Call | None:
    """The commits that belong to the change; the last one does not if there is uncommitted work."""
    if state.head is None or (state.is_last_commit and (state.uncommitted or state.untracked)):
        return None
    which = (
        ["--max-count=1", "HEAD"]
        if state.is_last_commit
        else [f"--max-count={MOST_COMMITS + 1}", f"{state.since}..HEAD"]
    )
    return git.start("log", "--encoding=UTF-8", "--format=%h %s", *which, "--")


def _line(entry: Entry, details: Details) -> str:
    name = f"{quoted(entry.old)} -> {quoted(entry.path)}" if entry.old else quoted(entry.path)
    facts = [
        details.lines.get(entry.path, ""),
        "submodule" if entry.is_submodule else "",
        "conflict" if entry.letter == "U" else "",
    ]
    if kinds := details.secrets.get(entry.path):
        facts.append(f"holds what looks like a {kinds}")
    told = ", ".join(filter(None, facts))
    return f"{entry.letter} {name}" + (f" ({told})" if told else "")


def _say_what_is_missing(
    page: Page, state: Survey, chosen: Comparison, details: Details, hidden: Iterable[str]
) -> None:
    made = [path for path in hidden if path not in details.secrets]
    if made:
        page.leave_out(f"not in the command, since made for secrets: {some(made)}")
    holding = [f"{path} ({kinds})" for path, kinds in details.secrets.items() if path]
    if holding:
        page.leave_out(
            f"not in the command, since their changed lines seem to hold a secret: {some(holding)}"
        )
    if "" in details.secrets:
        page.leave_out(f"do not quote what looks like a {details.secrets['']} in the diff")
    if details.why_not_all:
        page.leave_out(f"a whole search for secrets in the diff, and numbers of lines: {details.why_not_all}")
    if any(entry.is_submodule for entry in chosen.entries):
        page.leave_out("what changed inside submodules")
    for note in state.notes:
        page.leave_out(note)
