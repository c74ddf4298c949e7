"""The state of a repository as far as a change is concerned: what is uncommitted, and what HEAD is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from debate.context.git import DIFF, Git, split
from debate.context.listing import RECORDS
from debate.model import BadInput

_DEFAULTS = ("main", "master", "trunk", "develop")


@dataclass(frozen=True, slots=True)
class Entry:
    """One changed file."""

    letter: str  # as git has it: M A D R C T, U for a conflict
    path: str
    old: str = ""  # its name before, if it was renamed or copied
    is_submodule: bool = False


@dataclass
class Survey:
    top: str
    head: str | None  # None: there is no commit yet
    branch: str | None = None  # None: HEAD is detached
    uncommitted: list[Entry] = field(default_factory=list)
    untracked: list[str] = field(default_factory=list)
    base: str = ""  # what people call what HEAD is compared with
    since: str = ""  # the commit that HEAD is compared with; "" if it is the first of all
    commits: list[str] = field(default_factory=list)  # what HEAD changed since: pairs of a letter and a path
    is_unrelated: bool = False  # no commit is known from which both come
    is_last_commit: bool = False  # HEAD has nothing of its own, so its last commit stands for the change
    notes: list[str] = field(default_factory=list)

    @property
    def command(self) -> str:
        if not self.since:
            return "git show HEAD"
        return f"git diff {self.since}{' ' if self.is_unrelated else '...'}HEAD"

    @property
    def is_real(self) -> bool:
        """There is something to decide about, not just history."""
        return bool(self.uncommitted or self.untracked or (self.commits and not self.is_last_commit))


def survey(git: Git, base: str | None) -> Survey:
    """What costs time is the status, so all else is asked while it runs. Raises GitFailed where git cannot say."""
    place = git.start("rev-parse", "--show-toplevel", "--is-shallow-repository")
    filters = git.start("config", "-z", "--get-regexp", r"^filter\.")
    head = git.start("rev-parse", "--verify", "--quiet", "HEAD")
    refs = git.start(
        "for-each-ref", "--format=%(refname)%00%(HEAD)%00%(upstream)%00%(symref)", "refs/heads", "refs/remotes/*/HEAD",
        *(f"refs/remotes/origin/{name}" for name in _DEFAULTS),
    )  # fmt: skip
    top, shallow = place.answer().decode("utf-8", "surrogateescape").rstrip("\n").rsplit("\n", 1)
    git.switch_off_filters(filters.answer(1))
    status = git.start(
        "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--find-renames",
        "--ignore-submodules=dirty",
    )  # fmt: skip
    state = Survey(top, head=head.answer(1).decode().strip() or None)
    if shallow == "true":
        state.notes.append("history from before this shallow clone begins")
    if state.head:
        lines = refs.answer().decode("utf-8", "surrogateescape").splitlines()
        known = {ref.name: ref for ref in (_Ref(*line.split("\0")) for line in lines)}
        against, state.base = _named(git, base) if base else _bases(git, known)
        _compare(git, state, against, is_given=bool(base))
    elif base:
        raise _unknown(base, "there is no commit yet")
    tracked, _, new = status.answer().partition(b"\0? ")  # untracked files come last
    parts = split(tracked)
    name = next(line for line in parts if line.startswith("# branch.head "))[14:]
    state.branch = None if name == "(detached)" else name
    state.uncommitted = [entry for entry in _entries(iter(parts)) if not entry.path.startswith(RECORDS)]
    state.untracked = [path for path in split(new.replace(b"\0? ", b"\0")) if not path.startswith(RECORDS)]
    return state


class _Ref(NamedTuple):
    name: str
    is_head: str  # "*" if it is checked out
    upstream: str
    target: str  # of refs/remotes/origin/HEAD: the default branch there


def _entries(parts: Iterator[str]) -> Iterator[Entry]:
    """The lines of `status --porcelain=v2`: what differs from HEAD, whether it is staged or not."""
    for line in parts:
        kind, _, rest = line.partition(" ")
        if kind not in ("1", "2", "u"):
            continue
        fields = rest.split(" ", {"1": 7, "2": 8, "u": 9}[kind])
        staged, unstaged = fields[0][0], fields[0][1]
        old = next(parts) if kind == "2" else ""
        if staged == "A" and unstaged == "D":
            continue  # came and went
        letter = "U" if kind == "u" else "D" if unstaged == "D" else staged if staged != "." else unstaged
        yield Entry(letter, fields[-1], old if letter in "RC" else "", fields[1].startswith("S"))


def _named(git: Git, base: str) -> tuple[list[str], str]:
    if base.startswith("-") or not base.isprintable():
        raise _unknown(base, "no commit can be called so")
    found = _commit(git, base)
    if not found:
        raise _unknown(base, "git knows no such commit here")
    return [found], base


def _commit(git: Git, name: str) -> str:
    return git.start("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").answer(1, 128).decode().strip()


def _bases(git: Git, known: dict[str, _Ref]) -> tuple[list[str], str]:
    """The references to compare with, and what they are called: the branch that this one came from.

    Its upstream is that one only if it has another name, or if this is the default branch: else it is its own copy.
    """
    own = next((ref for ref in known.values() if ref.is_head == "*"), None)
    targets = {ref.name: ref.target for ref in known.values() if ref.target}
    default = targets.get("refs/remotes/origin/HEAD") or next(iter(targets.values()), "")
    if not default:
        likely = (f"refs/{kind}/{name}" for name in _DEFAULTS for kind in ("remotes/origin", "heads"))
        default = next((name for name in likely if name in known), "")
    name, own_name = _branch(default), _branch(own.name) if own else ""
    upstream = own.upstream if own else ""
    is_base = upstream and (own_name == name or _branch(upstream) != own_name)
    if is_base and _commit(git, upstream):  # it may have been deleted
        return [upstream], upstream.split("/", 2)[2]
    if name == own_name or not default:
        return [], ""
    local = f"refs/heads/{name}"
    there = list(dict.fromkeys([local, default] if local in known else [default]))
    return there, there[0].split("/", 2)[2]


def _branch(ref: str) -> str:
    """The branch that a reference is about, here or on a server: refs/heads/x, refs/remotes/origin/x."""
    return ref.split("/", 3 if ref.startswith("refs/remotes/") else 2)[-1]


def _compare(git: Git, state: Survey, against: list[str], is_given: bool) -> None:
    if against:
        # of several, git takes the nearest: a branch may have left main before or after it was last fetched
        state.since = git.start("merge-base", "HEAD", *against).answer(1).decode().strip()
        if not state.since:
            state.since = _commit(git, against[0])
            state.is_unrelated = True
            state.notes.append(f"where HEAD and {state.base} part: no common commit is known here")
    if not is_given and state.since in ("", state.head):
        state.is_last_commit = True
        state.since = git.start("rev-parse", "--verify", "--quiet", "HEAD^1").answer(1).decode().strip()
    # Renames would cost too much if there are very many files; they are found later if there are not.
    state.commits = split(git.ask("diff-tree", *between(state), "-z", "--name-status", *DIFF, "--no-renames"))


def between(state: Survey) -> tuple[str, ...]:
    """For diff-tree: from the commit that HEAD is compared with to HEAD."""
    return ("-r", state.since, "HEAD") if state.since else ("-r", "--root", "--no-commit-id", "HEAD")


def _unknown(base: str, why: str) -> BadInput:
    return BadInput(
        f"Nothing can be compared with {base!r}: {why}.",
        suggestion="Name a branch, tag or commit: git branch --all",
    )
