"""The concrete brief for a partner: what in the repository a topic is about, within a budget and without secrets.

Three kinds. *change*: the changed files, what they are compared with and the command that shows it. *code*: files
and the places in them that the topic names. *architecture*: how the files lie and what depends on what.
It only looks: nothing is written, and nothing that the repository names is run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from debate.context import listing
from debate.context.git import Git, GitFailed, some
from debate.context.listing import Files
from debate.context.page import Context, Page
from debate.context.survey import Survey, survey
from debate.context.topic import Topic, read
from debate.model import BadInput

if TYPE_CHECKING:
    from debate.context.code import Search

__all__ = ["KINDS", "SHORT_OF_CONTEXT", "Context", "gather"]

KINDS = ("code", "architecture", "change")
SMALLEST_BUDGET = 800
SHORT_OF_CONTEXT = (
    "If this is not enough context, look for what is missing yourself, and report what you found."
)


def gather(
    root: Path, topic: str, kind: str | None = None, base: str | None = None, budget: int = 12_000
) -> Context:
    """The context of a topic in the project at `root`; its text has at most `budget` characters."""
    if kind not in (None, *KINDS):
        raise BadInput(
            f"There is no context of kind {kind!r}.", suggestion=f"Choose one of: {', '.join(KINDS)}."
        )
    if budget < SMALLEST_BUDGET:
        raise BadInput(
            f"A context of {budget:,} characters says nothing.",
            suggestion=f"Allow at least {SMALLEST_BUDGET:,}.",
        )
    if base and kind not in (None, "change"):
        raise BadInput(
            f"A context of kind {kind} has no base.", suggestion="Leave out --base, or take --kind change."
        )
    page = Page(budget)
    with Git(os.path.realpath(root)) as git:
        look = _Look(git, read(topic), base)
        kind = kind or _choose(look)
        if kind == "change":
            _write_change(page, look)
        else:
            _write_files(page, look, kind)
    return page.finished(kind)


@dataclass
class _Look:
    """What is known about the project. Each part costs something, so it is asked for when it is needed."""

    git: Git
    topic: Topic
    base: str | None
    why_no_state: str = ""

    @cached_property
    def state(self) -> Survey | None:
        try:
            return survey(self.git, self.base)
        except GitFailed as failed:
            self.why_no_state = str(failed)
            return None

    @property
    def is_changed(self) -> bool:
        return bool(self.state and self.state.is_real)

    @property
    def has_history(self) -> bool:
        return bool(self.state and self.state.commits)

    @cached_property
    def files(self) -> Files:
        return listing.files(self.git)

    @cached_property
    def found(self) -> Search:
        from debate.context import code

        return code.search(self.files, self.topic)


def _choose(look: _Look) -> str:
    """By what the topic speaks of, as far as the repository has it."""
    topic = look.topic
    if look.base:
        return "change"
    if not topic.text.strip():
        return "change" if look.is_changed else "architecture"
    architectural = topic.speaks_of_architecture
    if topic.speaks_of_change:
        is_change = look.is_changed or (look.has_history and not architectural)
    else:
        verb_alone = topic.may_speak_of_change and not architectural and not look.found.is_named
        is_change = verb_alone and (look.is_changed or look.has_history)
    if is_change:
        return "change"
    if look.found.is_named:
        return "code"
    return "code" if not architectural and look.found.is_likely else "architecture"


def _write_change(page: Page, look: _Look) -> None:
    if look.state is None:
        if look.base:
            raise BadInput(
                f"Nothing can be compared with {look.base!r}: {look.why_no_state}.",
                suggestion="Leave out --base.",
            )
        page.add("There is no change to show, since git cannot be asked here.")
        page.leave_out(f"what has changed: {look.why_no_state}")
        return
    from debate.context import change  # late, as the other kinds: each is paid for by those who need it

    try:
        change.write(page, look.git, look.state, look.topic, look.base)
    except GitFailed as failed:
        page.leave_out(f"part of the change: {failed}")


def _write_files(page: Page, look: _Look, kind: str) -> None:
    from debate.context import architecture, code

    files = look.files
    if kind == "code":
        code.write(page, files, look.topic, look.found)
    else:
        architecture.write(page, files)
    if files.without_git:
        page.leave_out(f"what git knows, since it cannot be asked: {files.without_git}")
    if files.is_cut:
        page.leave_out(f"files beyond the first {len(files):,}")
    if hidden := files.made_for_secrets():
        page.leave_out(f"what is in files made for secrets, not to be opened: {some(hidden)}")
