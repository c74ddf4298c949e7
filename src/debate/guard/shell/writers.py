"""Programs that write the paths they are given: which ones."""

from __future__ import annotations

import os

from debate.guard.shell import names
from debate.guard.shell.options import Options
from debate.guard.shell.values import ANY, Arg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk


def each(
    short: str = "", skip: int = 0, safe: str = "", long: tuple[str, ...] = (), follows: bool = True
) -> Callable[[Walk, list[Arg]], None]:
    """Every operand after the first `skip` is written. Only with options that are known to do nothing else."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, short)
        if options.unsure or any(name not in safe + short and name not in long for name, _ in options.given):
            walk.ask("which paths it writes is not known")
            return
        for operand in options.operands[skip:]:
            walk.writes(ANY if operand.many else operand.text, follows)

    return rule


_PLAIN = names("f n v u p r R a force verbose no-clobber update recursive archive")


def copies(removes_source: bool) -> Callable[[Walk, list[Arg]], None]:
    """cp, mv: the last operand is written, or what lies in it under the sources' names."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments)
        operands = options.operands
        deep = options.has("r", "R", "a", "recursive", "archive")
        plain = all(name in _PLAIN for name, _ in options.given)
        if options.unsure or not plain or len(operands) < 2 or any(operand.many for operand in operands):
            walk.ask("which paths it writes is not known")
            return
        *sources, target = (operand.text for operand in operands)
        cwd = walk.state.cwd or ""
        for source in sources:
            inside = os.path.isdir(os.path.join(cwd, target)) or target.endswith("/")
            walk.writes(os.path.join(target, os.path.basename(source.rstrip("/"))) if inside else target)
            if removes_source:
                walk.writes(source)
        walk.links = walk.links or deep or removes_source  # what was copied may be a link

    return rule


def dd(walk: Walk, arguments: list[Arg]) -> None:
    targets = [a.text[3:] for a in arguments if a.text.startswith("of=")]
    if any(a.text[:1] == ANY for a in arguments):
        walk.ask("what dd writes is not known")
    for target in targets:
        walk.writes(target)


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "tee": each(safe="aip", long=("append",)),
    "rm": each(safe="rRfvdiI", long=("recursive", "force", "verbose"), follows=False),
    "rmdir": each(safe="pv", follows=False),
    "unlink": each(follows=False),
    "mkdir": each(short="m", safe="pv", long=("parents",)),
    "touch": each(short="dtr", safe="acmh"),
    "truncate": each(short="sr", safe="co"),
    "chmod": each(skip=1, safe="Rvcf"),
    "chown": each(skip=1, safe="Rvcfh"),
    "cp": copies(removes_source=False),
    "mv": copies(removes_source=True),
    "dd": dd,
}
