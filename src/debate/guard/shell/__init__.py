"""What would this bash command do? Provably nothing but read, provably write these paths, or it cannot be told.

    words.py, syntax.py     the text as a tree; whatever bash might read otherwise raises Unclear
    marks.py, values.py     what the words of the tree can become: the variables, substitutions and patterns in them
    walk.py, writing.py     the tree, command by command, with the folder and the variables as they are by then
    state.py, effects.py    what is known by then, and what is not any more
    programs.py, tables.py  which programs only read, by their options; builtins.py, git.py, sed.py, awk.py, runners.py
                            and writers.py know more of them
    prints.py               what a program prints, where that becomes the arguments of another one

Nothing is run and nothing is guessed: what is not known to read counts as able to write.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST = 100_000  # characters; a longer command is put before the person as it is


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Unclear(Exception):
    """What bash makes of this cannot be told from here."""


class Verdict:
    """`writes`: the paths it provably writes. `asks`: why it cannot be told. Neither: it only reads."""

    __slots__ = ("asks", "background", "writes")

    def __init__(self) -> None:
        self.writes: list[str] = []
        self.asks: list[str] = []
        self.background = False

    @property
    def reads_only(self) -> bool:
        return not self.writes and not self.asks

    @property
    def word(self) -> str:
        """read, writes or ask, as the strongest of its parts has it."""
        return "writes" if self.writes else "ask" if self.asks else "read"


def judge(command: str, cwd: str, environ: Mapping[str, str], is_free: Callable[[str], bool]) -> Verdict:
    """`is_free`: whether anyone may write this path."""
    from debate.guard.shell.syntax import parse
    from debate.guard.shell.walk import Walk

    walk = Walk(cwd, environ, is_free)
    walk.arrays = _may_hold_lists(command)
    try:
        if len(command) > LONGEST:
            raise Unclear("it is too long to be read here")
        nodes = parse(command)
        walk.script(nodes)
        if walk.links or walk.shaken or walk.closed or {"1", "2"} & walk.opened:
            walk = walk.again()  # what comes later may be there by then: in a loop, or side by side
            walk.script(nodes)
    except Unclear as unclear:
        walk.verdict.asks.append(str(unclear))
    except RecursionError:
        walk.verdict.asks.append("it is nested too deeply")
    return walk.verdict


def _may_hold_lists(command: str) -> bool:
    plain = "".join(character for character in command if character not in "'\"\\\n")
    return any(sign in plain for sign in ("=(", "]=", "mapfile", "readarray", "-a", "-A"))
