"""What bash does itself: the folder, variables, tests, traps."""

from __future__ import annotations

import os

from debate.guard.shell import Unclear, names
from debate.guard.shell.effects import Effects
from debate.guard.shell.marks import ANY, INT, TOKEN, Arg, is_digits, is_name
from debate.guard.shell.options import Options
from debate.guard.shell.state import POSITIONS, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.syntax import Node
    from debate.guard.shell.walk import Walk


_SHOPT = frozenset(("nullglob", "globstar", "dotglob", "nocaseglob", "nocasematch", "inherit_errexit"))


def command(walk: Walk, arguments: list[Arg]) -> None:
    if arguments and arguments[0].text in ("-v", "-V", "-pv", "-pV"):
        return
    rest = arguments[1:] if arguments and arguments[0].text in ("-p", "--") else arguments
    if rest and rest[0].text.startswith("-"):
        walk.ask("`command` gets an option that is not known")
        return
    before, walk.functions = walk.functions, {}
    walk.command(rest)
    walk.functions = before


def cd(walk: Walk, arguments: list[Arg]) -> None:
    state = walk.state
    rest = [a for a in arguments if a.text not in ("--", "-P", "-L")]
    physically = any(a.text == "-P" for a in arguments)
    place = rest[0].text if rest else state.environ.get("HOME", "")
    if len(rest) > 1 or (rest and not rest[0].known):
        state.go(None)
    elif place == "-":
        state.go(state.old)
    else:
        _go(walk, place, physically)


def _go(walk: Walk, place: str, physically: bool = False) -> None:
    """Nobody may make a folder unasked where there is none. We stay then, and what follows && does not run."""
    state = walk.state
    whole = os.path.isabs(place)
    searched = "CDPATH" in state.environ and not place.startswith(("/", "./", "../"))
    if searched or (not whole and (state.cwd is None or state.instead)):
        state.go(None)
        return
    find = os.path.realpath if physically else os.path.normpath  # `..` goes back over a link
    target = find(os.path.join(state.cwd or "", place))
    is_free = walk.is_free(os.path.join(target, "x"))
    if os.path.isdir(target) and os.access(target, os.X_OK) and not (is_free and walk.shaken):
        state.go(target)
    elif (
        is_free or state.cwd is None or state.instead or walk.is_free(f"{state.cwd}/x") or walk.verdict.writes
    ):
        state.go(None)
    else:
        state.go(target, instead=state.cwd)


def pushd(walk: Walk, arguments: list[Arg]) -> None:
    state = walk.state
    before, stack = state.cwd, state.stack
    if len(arguments) == 1 and arguments[0].known and arguments[0].text[:1] not in ("-", "+", ""):
        _go(walk, arguments[0].text)
        went = stack is not None and state.cwd is not None and not state.instead
        state.stack = (before, *(stack or ())) if went else None
    else:
        state.lose_place()


def popd(walk: Walk, arguments: list[Arg]) -> None:
    state = walk.state
    if arguments or state.stack is None:
        state.lose_place()
    elif state.stack:
        state.go(state.stack[0])
        state.stack = state.stack[1:]


def test(walk: Walk, arguments: list[Arg]) -> None:
    """The index of a variable that `-v` asks for is evaluated, and may run something."""
    for place, argument in enumerate(arguments):
        follows = arguments[place + 1] if place + 1 < len(arguments) else Arg("")
        may_ask = argument.text[:1] == ANY or argument.text[:2] == f"-{ANY}"
        asks = argument.text in ("-v", "-R") and not is_name(follows.text)
        index = ANY in follows.text or "[" in follows.text[1:]
        if asks or (may_ask and (index or argument.many)):
            raise Unclear("it may ask whether a computed variable is set")


def read(walk: Walk, arguments: list[Arg]) -> None:
    """One name gets the line; a name that is followed by others gets its first word."""
    options = Options(arguments, "er d: n: N: p: t: u: i: a: s")
    names = _reads_into(walk, options)
    whole = not options.has("-n", "-N", "-u", "-i", "-a") and options.values("-d") in ([], [""])
    if whole and names and (options.has("-r") or walk.stdin[:1] in (TOKEN, INT)):
        walk.state.set(names[0], [walk.stdin if len(names) == 1 else walk.stdin.split(" ")[0]])


def mapfile(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, "t d: n: O: s: u:")
    if options.unknown:
        raise Unclear("it may run something at each line")
    _reads_into(walk, options)


def _reads_into(walk: Walk, options: Options) -> list[str]:
    if options.strange:
        raise Unclear("where it reads to is not known")
    names = [operand.text for operand in options.operands] + options.values("-a")
    for name in names:
        walk.state.check_name(name)
        walk.state.set(name, [ANY])
    return names


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


def declared(walk: Walk, node: Node) -> set[str]:
    """The letters that this declaration is given, or that its name stands for; `a`: it may be of a list."""
    name, *words = (word.text() for word in node.words)
    letters: set[str] = set()
    for word in words:
        if word is None:
            raise Unclear("what it declares is not known")
        if word[:1] in ("-", "+"):
            letters |= set(word[1:])
    if not letters <= set("aAgrxpfF"):
        raise Unclear("a variable is declared in a way that may run something")
    letters |= {"readonly": {"r"}, "export": {"x"}}.get(name or "", set())
    if "A" in letters or walk.arrays:
        letters.add("a")
    if name == "local" and not walk.state.in_function:
        raise Unclear("`local` fails outside of a function")
    if {"f", "x"} <= letters or ({"f", "F", "p"} & letters and node.assigns):
        raise Unclear("a function is declared, or nothing")
    return letters


def declare(walk: Walk, arguments: list[Arg]) -> None:
    """The assignments among its words are judged already; what is left are names and letters."""
    for argument in arguments:
        if argument.text[:1] not in ("-", "+"):
            if not is_name(argument.text):
                raise Unclear("which variable it declares is not known")
            walk.state.check_name(argument.text)
            walk.state.set(argument.text, [ANY])


def readonly(walk: Walk, arguments: list[Arg]) -> None:
    declare(walk, arguments)
    walk.state.fixed.update(argument.text for argument in arguments)


def unset(walk: Walk, arguments: list[Arg]) -> None:
    for argument in arguments:
        if argument.text not in ("-v", "-f"):
            if not is_name(argument.text) or argument.text in walk.functions:
                raise Unclear("which variable it drops is not known")
            walk.state.check_name(argument.text)
            walk.state.set(argument.text, [ANY])


def shift(walk: Walk, arguments: list[Arg]) -> None:
    for name in POSITIONS:
        walk.state.set(name, [ANY])


def set_(walk: Walk, arguments: list[Arg]) -> None:
    for place, argument in enumerate(arguments):
        if argument.text == "--" and not argument.many:
            walk.set_positions(arguments[place + 1 :])
            return
        letters = argument.text[1:] if argument.text[:1] in ("-", "+") else None
        known = argument.text in ("pipefail", "errexit", "nounset", "xtrace", "noglob")
        if not known and (letters is None or not set(letters) <= set("euxof")):
            raise Unclear("the shell is set to something that is not known")


def shopt(walk: Walk, arguments: list[Arg]) -> None:
    if not all(a.text in ("-s", "-u", "-q", "-p") or a.text in _SHOPT for a in arguments):
        raise Unclear("the shell is set to something that is not known")


def trap(walk: Walk, arguments: list[Arg]) -> None:
    """It runs at any time: with whatever the variables hold by then, and between any two commands."""
    from debate.guard.shell.syntax import parse

    words = [a.text for a in arguments if a.text != "--"]
    if not words or words[0] in ("-", "-p", "-l", ""):
        return
    nodes = parse(words[0])
    if not all(a.known for a in arguments) or walk.calling or Effects(nodes, walk.functions):
        raise Unclear("what a trap runs, or changes, is not known")
    before, walk.state = walk.state, State(None, walk.state.environ, lost=True)
    walk.perhaps += 1
    walk.script(nodes)
    walk.perhaps -= 1
    walk.state, walk.trapped = before, True


def alias(walk: Walk, arguments: list[Arg]) -> None:
    if any("=" in a.text or not a.known for a in arguments):
        walk.ask("a name is given another meaning")


def only(letters: str, operands: bool = True) -> Callable[[Walk, list[Arg]], None]:
    """Those that run, set or change nothing with these letters."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, letters)
        if options.strange or (options.operands and not operands):
            walk.ask("it gets an option, or a value, that is not known")

    return rule


def kill(walk: Walk, arguments: list[Arg]) -> None:
    first, *rest = [a.text for a in arguments] or [""]
    plain = all(is_digits(text.removeprefix("%")) or text == INT for text in rest)
    if first not in ("-l", "-L") and not (
        first == "-0" and (plain or (len(rest) == 1 and not arguments[1].many))
    ):
        walk.ask("it sends a signal")


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "command": command, "builtin": command, "cd": cd, "pushd": pushd, "popd": popd, "test": test, "[": test,
    "read": read, "mapfile": mapfile, "readarray": mapfile, "getopts": getopts, "printf": printf, "export": declare,
    "declare": declare, "typeset": declare, "local": declare, "readonly": readonly, "unset": unset, "set": set_,
    "shift": shift, "shopt": shopt, "trap": trap, "alias": alias, "jobs": only("lpnrs"), "wait": only("fn"),
    "hash": only("ltr"), "dirs": only("lpv"), "ulimit": only("acdefilmnpqrstuvxSH", operands=False), "kill": kill,
}  # fmt: skip
# A function of one of these names would take from us what we know of it.
NAMES = frozenset(RULES) | names(
    """
    : . break continue eval exec exit return source bg bind compgen complete compopt disown enable fc fg history
    let logout suspend umask unalias
    """
)
