"""What bash does itself: the folder, variables, tests, traps."""

from __future__ import annotations

import os

from debate.guard.shell import Unclear
from debate.guard.shell.options import Options
from debate.guard.shell.values import ANY, Arg, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk


_SHOPT = frozenset(
    ("nullglob", "globstar", "dotglob", "nocaseglob", "nocasematch", "failglob", "inherit_errexit")
)


def command(walk: Walk, arguments: list[Arg]) -> None:
    if arguments and arguments[0].text in ("-v", "-V"):
        return
    rest = arguments[1:] if arguments and arguments[0].text in ("-p", "--") else arguments
    if rest and rest[0].text.startswith("-"):
        walk.ask("`command` gets an option that is not known")
        return
    before, walk.functions = walk.functions, set()
    walk.command(rest)
    walk.functions = before


def cd(walk: Walk, arguments: list[Arg]) -> None:
    rest = [a for a in arguments if a.text not in ("--", "-P", "-L")]
    place = rest[0].text if rest else walk.state.environ.get("HOME", "")
    cwd = walk.state.cwd
    target = place if os.path.isabs(place) else os.path.join(cwd, place) if cwd is not None else None
    known = len(rest) <= 1 and (not rest or rest[0].known) and place != "-"
    walk.state.cwd = os.path.realpath(target) if known and target and os.path.isdir(target) else None


def test(walk: Walk, arguments: list[Arg]) -> None:
    """The index of a variable that `-v` asks for is evaluated, and may run something."""
    for place, argument in enumerate(arguments):
        follows = arguments[place + 1].text if place + 1 < len(arguments) else ""
        if argument.text in ("-v", "-R") and not is_name(follows):
            raise Unclear("it asks whether a computed variable is set")
    unknown = [a for a in arguments if a.text[:1] == ANY]
    if unknown and any("[" in a.text for a in arguments if a.text != "]" and a.text != "["):
        raise Unclear("it tests a value that is not known")


def read(walk: Walk, arguments: list[Arg]) -> None:
    _reads_into(walk, Options(arguments, "dnNptuia"))


def mapfile(walk: Walk, arguments: list[Arg]) -> None:
    _reads_into(walk, Options(arguments, "dnOsuCc"))


def _reads_into(walk: Walk, options: Options) -> None:
    if options.unsure or options.has("C", "c"):
        raise Unclear("where it reads to is not known")
    names = [operand.text for operand in options.operands] + options.values("a")
    for name in names:
        walk.state.check_name(name)
        walk.state.set(name, [walk.stdin if len(names) == 1 and options.has("r") else ANY])


def getopts(walk: Walk, arguments: list[Arg]) -> None:
    name = arguments[1].text if len(arguments) > 1 else ""
    walk.state.check_name(name)
    walk.state.set(name, [ANY])


def printf(walk: Walk, arguments: list[Arg]) -> None:
    first = arguments[0].text if arguments else ""
    if first.startswith("-v") or (first[:1] == ANY and len(arguments) > 1):
        name = first[2:] or (arguments[1].text if len(arguments) > 1 else "")
        if not first.startswith("-v") or not is_name(name):
            raise Unclear("printf sets a variable that is not known")
        walk.state.check_name(name)
        walk.state.set(name, [ANY])


def declare(walk: Walk, arguments: list[Arg]) -> None:
    """The assignments among its words are judged already; what is left are names and letters."""
    for argument in arguments:
        letters = argument.text[1:] if argument.text[:1] in ("-", "+") else ""
        if letters:
            if not set(letters) <= set("aArgxpfF"):
                raise Unclear("a variable is declared in a way that may run something")
        elif not is_name(argument.text):
            raise Unclear("which variable it declares is not known")
        else:
            walk.state.check_name(argument.text)
            walk.state.set(argument.text, [ANY])


def unset(walk: Walk, arguments: list[Arg]) -> None:
    for argument in arguments:
        if argument.text not in ("-v", "-f"):
            if not is_name(argument.text):
                raise Unclear("which variable it drops is not known")
            walk.state.check_name(argument.text)
            walk.state.variables.pop(argument.text, None)


def set_(walk: Walk, arguments: list[Arg]) -> None:
    for argument in arguments:
        if argument.text == "--":
            return  # what follows are the script's own arguments
        letters = argument.text[1:] if argument.text[:1] in ("-", "+") else None
        known = argument.text in ("pipefail", "errexit", "nounset", "xtrace", "noglob")
        if not known and (letters is None or not set(letters) <= set("euxof")):
            raise Unclear("the shell is set to something that is not known")


def shopt(walk: Walk, arguments: list[Arg]) -> None:
    if not all(a.text in ("-s", "-u", "-q", "-p") or a.text in _SHOPT for a in arguments):
        raise Unclear("the shell is set to something that is not known")


def trap(walk: Walk, arguments: list[Arg]) -> None:
    from debate.guard.shell.syntax import parse

    words = [a.text for a in arguments if a.text != "--"]
    if words and words[0] not in ("-", "-p", "-l", ""):
        if not all(a.known for a in arguments):
            raise Unclear("what a trap runs is not known")
        walk.apart(parse(words[0]))


def alias(walk: Walk, arguments: list[Arg]) -> None:
    if any("=" in a.text or not a.known for a in arguments):
        walk.ask("a name is given another meaning")


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "command": command, "builtin": command, "cd": cd, "pushd": cd, "popd": cd, "test": test, "[": test, "read": read,
    "mapfile": mapfile, "readarray": mapfile, "getopts": getopts, "printf": printf, "export": declare,
    "declare": declare, "typeset": declare, "local": declare, "readonly": declare, "unset": unset, "set": set_,
    "shopt": shopt, "trap": trap, "alias": alias,
}  # fmt: skip
