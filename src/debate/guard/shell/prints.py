"""What a program prints, as far as that matters for whoever takes it as arguments: each of its lines, with marks."""

from __future__ import annotations

import os

from debate.guard.shell.marks import ANY, INT, PATH, TOKEN, Arg, has_marks, is_number
from debate.guard.shell.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk

_GREP = (
    "aBCEFGHIPRchilnoqrsvwxyzZ A: B: C: e: f: m: --include= --exclude= --exclude-dir= --color? --extended-regexp "
    "--fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --line-regexp --line-number --count "
    "--files-with-matches --files-without-match --recursive --no-messages --no-filename --with-filename --null"
)


def of(walk: Walk, name: str, arguments: list[Arg]) -> str:
    rule = RULES.get(name)
    return rule(walk, arguments) if rule else ANY


def pwd(walk: Walk, arguments: list[Arg]) -> str:
    return walk.state.cwd if walk.state.cwd and not walk.state.instead else PATH


def realpath(walk: Walk, arguments: list[Arg]) -> str:
    return ANY if any(a.may_be_option for a in arguments) else PATH


def readlink(walk: Walk, arguments: list[Arg]) -> str:
    return realpath(walk, arguments[1:]) if arguments and arguments[0].text in ("-f", "-e") else ANY


def seq(walk: Walk, arguments: list[Arg]) -> str:
    return INT if all(not a.many and is_number(a.text) for a in arguments) else ANY


def wc(walk: Walk, arguments: list[Arg]) -> str:
    options = Options(arguments, "lwcmL --lines --words --bytes --chars --max-line-length")
    if options.strange:
        return ANY
    return INT if not options.operands else f"{INT} {ANY}"


def date(walk: Walk, arguments: list[Arg]) -> str:
    return INT if [a.text for a in arguments] in ([f"+%{letter}"] for letter in "sYmdHMSj") else ANY


def keeps(known: str) -> Callable[[Walk, list[Arg]], str]:
    """Some of the lines that come in, whole."""

    def rule(walk: Walk, arguments: list[Arg]) -> str:
        options = Options(arguments, known)
        return ANY if options.strange or options.operands else walk.stdin

    return rule


def grep(walk: Walk, arguments: list[Arg]) -> str:
    options = Options(arguments, _GREP)
    files = options.operands if options.has("-e", "-f") else options.operands[1:]
    given = {name for name, _ in options.given}
    if options.strange or given & {"-A", "-B", "-C", "-o", "-z", "-Z", "--null"}:
        return ANY
    deep = bool(given & {"-r", "-R", "--recursive"})
    if given & {"-l", "-L", "--files-with-matches", "--files-without-match"}:
        return listed(walk, files) if files or deep else ANY
    one = not deep and len(files) <= 1 and not any(file.many for file in files)
    if one and not given & {"-H", "--with-filename"}:
        if given & {"-c", "--count"}:
            return INT
        if given & {"-n", "--line-number"}:
            return f"{INT}:{ANY}"
        return ANY if files else walk.stdin
    if given & {"-h", "--no-filename"} or not (files or deep):
        return ANY
    name = listed(walk, files)
    return ANY if name == ANY else f"{name}:{ANY}"


def listed(walk: Walk, places: list[Arg]) -> str:
    """Names that begin as these places do, or that lie here. None in the user's own folders is taken to look like an
    option behind a blank: nothing that was not allowed can make one there."""
    if not places:
        return TOKEN if walk.has_plain_files(walk.state.cwd) else ANY
    if any(place.may_be_option or place.text[:1] == "-" for place in places) or walk.state.cwd is None:
        return ANY
    if any(ANY in place.text for place in places):
        return PATH
    free = any(walk.is_free(os.path.join(walk.state.cwd, place.text, "x")) for place in places)
    return ANY if free else TOKEN


def ls(walk: Walk, arguments: list[Arg]) -> str:
    options = Options(arguments, "1aAdrtSpFh --color? --all --almost-all --reverse")
    operands = options.operands
    if options.strange or walk.state.cwd is None:
        return ANY
    if not operands or options.has("-d"):
        return listed(walk, operands)
    for operand in operands:
        place = os.path.join(walk.state.cwd, operand.text)
        if not all(walk.has_plain_files(folder) for folder in _folders(place)):
            return ANY
    return listed(walk, operands)


def _folders(place: str) -> list[str]:
    """Those whose files `ls` would name: the place itself, or what may match a pattern."""
    if not place.endswith(TOKEN):
        return [place] if os.path.isdir(place) else [] if not has_marks(place) else [ANY]
    above = os.path.dirname(place)
    if has_marks(above) or not os.path.isdir(above):
        return [ANY]
    with os.scandir(above) as entries:
        return [above, *(entry.path for entry in entries if entry.is_dir())]


def dirname(walk: Walk, arguments: list[Arg]) -> str:
    text = arguments[0].text.rstrip("/") if arguments else ""
    known = len(arguments) == 1 and arguments[0].known and text[:1] not in ("-", "")
    return os.path.dirname(text) or "." if known else ANY


def basename(walk: Walk, arguments: list[Arg]) -> str:
    text = arguments[0].text.rstrip("/") if arguments else ""
    known = len(arguments) == 1 and arguments[0].known and text[:1] not in ("-", "")
    return os.path.basename(text) if known else ANY


def cut(walk: Walk, arguments: list[Arg]) -> str:
    options = Options(arguments, "d: f: s")
    if options.strange or options.operands or options.values("-f") not in (["1"], ["1-"]):
        return ANY
    return _first(walk.stdin, (options.values("-d") or ["\t"])[-1])


_NUMBERS = ("printNR}", "printFNR}", "printNR;exit}", "printFNR;exit}")


def awk(walk: Walk, arguments: list[Arg]) -> str:
    """`awk '{print $1}'` of what comes in, at most with another separator, or the number of a line."""
    options = Options(arguments, "F:", permutes=False)
    programs = [operand.text.replace(" ", "") for operand in options.operands]
    if options.strange or not programs:
        return ANY
    pattern, _, action = programs[0].partition("{")
    if action in _NUMBERS and not set(";\n") & set(pattern):
        return INT
    return _first(walk.stdin, (options.values("-F") or [" "])[-1]) if programs == ["{print$1}"] else ANY


def tr(walk: Walk, arguments: list[Arg]) -> str:
    return INT if walk.stdin == INT and arguments and arguments[0].text == "-d" else ANY


def _first(line: str, separator: str) -> str:
    first = line.split(separator)[0] if len(separator) == 1 else ANY
    return first.replace(PATH, TOKEN) if separator == " " and first else first or ANY


_SORT = "bcCdfghiMmnrRsuVz k: t: S: --reverse --unique --numeric-sort --human-numeric-sort --version-sort"
RULES: dict[str, Callable[[Walk, list[Arg]], str]] = {
    "pwd": pwd, "realpath": realpath, "readlink": readlink, "seq": seq, "wc": wc, "date": date, "grep": grep,
    "egrep": grep, "fgrep": grep, "head": keeps("q n: #"), "tail": keeps("q n: #"), "sort": keeps(_SORT),
    "uniq": keeps("u"), "cat": keeps(""), "tac": keeps(""), "ls": ls, "cut": cut, "tr": tr,
    "dirname": dirname, "basename": basename,
    "nproc": lambda walk, arguments: ANY if arguments else INT,
}  # fmt: skip
