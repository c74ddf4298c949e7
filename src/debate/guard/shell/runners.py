"""Programs that run another one: which, and with what."""

from __future__ import annotations

import os

from debate.guard.shell import Unclear, names
from debate.guard.shell.marks import ANY, INT, PATH, TOKEN, Arg, has_marks, is_digits
from debate.guard.shell.options import Options
from debate.guard.shell.state import State, check_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk


_FIND_VALUED = names(
    """
    -name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin
    -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -maxdepth -mindepth
    -printf -links -inum -samefile -fstype -lname -ilname -regextype -used -context -newermt -newerat
    -newerct
    """
)
_FIND_TESTS = names(
    """
    ( ) ! , -not -a -and -o -or -true -false -print -print0 -ls -prune -quit -depth -d -follow -xdev -mount -x -empty
    -executable -readable -writable -daystart -noleaf -nouser -nogroup -ignore_readdir_race -nowarn -warn
    """
)
_FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")


def find(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    follows = False
    while rest and (rest[0].text in ("-H", "-L", "-P", "-E", "-X", "-s") or rest[0].text.startswith("-O")):
        follows = rest.pop(0).text in ("-H", "-L") or follows
    places: list[str] = []
    while rest and not (rest[0].text.startswith(("-", "(", "!", ",")) and rest[0].text != "-"):
        places.append(rest.pop(0).text)
        if places[-1][:1] == ANY:
            walk.ask("find gets a place that is not known and may be an option")
            return
    printed = _found(walk, places, follows)
    while rest:
        test = rest.pop(0)
        if test.known and test.text in _FIND_VALUED and rest and not rest[0].many:
            rest.pop(0)
        elif test.known and test.text in _FIND_RUNS:
            rest = _find_runs(walk, test.text, rest)
        elif not (test.known and test.text in _FIND_TESTS):
            walk.ask("find may be told to write or to delete")
            return
        if test.text in ("-printf", "-ls", *_FIND_RUNS):
            printed = ANY
    walk.prints = printed


def _found(walk: Walk, places: list[str], follows: bool) -> str:
    """What it finds begins as the place does. No name in the user's own folders is taken to look like an option behind
    a blank: nothing that was not allowed can make one there. In the temporary folder anything can be made."""
    places = places or ["."]
    if not all(place[:1].isalnum() or place[:1] in ("/", ".", "_", "~", PATH, TOKEN) for place in places):
        return ANY
    if follows or walk.state.cwd is None or any(map(has_marks, places)):
        return PATH
    temporary = (
        "/tmp",
        *(walk.state.environ.get(name) or "/tmp" for name in ("TMPDIR", "CLAUDE_CODE_TMPDIR")),
    )
    for place in places:
        whole = os.path.realpath(os.path.join(walk.state.cwd, place))
        if walk.is_free(whole) or any(
            f"{os.path.realpath(t)}/".startswith(f"{whole.rstrip('/')}/") for t in temporary
        ):
            return PATH
    return TOKEN


def _find_runs(walk: Walk, test: str, rest: list[Arg]) -> list[Arg]:
    """Its command ends at a `;`, or at a `+` behind `{}`; what stands behind that is given back."""
    texts = [argument.text if argument.known else ANY for argument in rest]
    ends = [i for i, text in enumerate(texts) if text == ";" or (text == "+" and texts[i - 1 : i] == ["{}"])]
    end = ends[0] if ends else len(rest)
    if test in ("-execdir", "-okdir"):
        walk.ask("find runs a program in other folders")
    walk.outside(
        [Arg(PATH + ANY if a.text == "{}" else a.text.replace("{}", ANY), a.many) for a in rest[:end]]
    )
    return rest[end + 1 :]


_XARGS = """
    0rtx n: P: L: s: d: a: E: I: i? --null --no-run-if-empty --verbose --exit --max-args= --max-procs= --max-lines?
    --max-chars= --delimiter= --arg-file= --replace?
"""


def xargs(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, _XARGS, permutes=False)
    if options.strange:
        walk.ask("xargs gets an option that is not known")
        return
    replaced = [value or "{}" for name, value in options.given if name in ("-I", "-i", "--replace")][-1:]
    lines = options.has("-0", "--null") or bool(replaced)  # a line is one argument, blanks in it or not
    split = [value for value in options.values("-d", "--delimiter") if value not in ("\n", "\\n")]
    lines = lines or options.has("-d", "--delimiter")
    fed = options.has("-a", "--arg-file")
    taken = ANY if fed or split or not (lines or walk.stdin in (INT, TOKEN)) else walk.stdin
    rest = options.operands
    if not rest:
        return
    if replaced and has_marks(replaced[0]):
        walk.ask("what xargs puts into its command is not known")
    elif replaced:
        walk.outside([Arg(a.text.replace(replaced[0], taken), a.many) for a in rest])
    else:
        walk.outside([*rest, Arg(taken, many=True)])
    walk.prints = ANY


def behind(known: str = "", lasts: bool = False) -> Callable[[Walk, list[Arg]], None]:
    """A program that runs the command behind its options, and behind how long that may take."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, known, permutes=False)
        rest = options.operands
        if options.strange:
            walk.ask("it gets an option that is not known")
            return
        if lasts:
            time = rest[0].text.rstrip("smhd").replace(".", "", 1) if rest and not rest[0].many else ""
            if not is_digits(time.replace(INT, "0")):
                walk.ask("how long it may take is not known")
                return
            rest = rest[1:]
        walk.outside(rest)

    return rule


def env(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    if rest and rest[0].known and rest[0].text == "-":
        rest.pop(0)
    options = Options(rest, "i0 u: --ignore-environment --null --unset=", permutes=False)
    if options.has("-u", "--unset"):
        raise Unclear("env takes a variable away")
    rest = options.operands
    while rest and "=" in rest[0].text and rest[0].text[:1] != ANY:
        name, _, value = rest.pop(0).text.partition("=")
        walk.state.check_exported(name, [value])
        check_language(name, [value])
    if options.strange or (rest and rest[0].text[:1] == ANY):
        walk.ask("what env runs is not known")
        return
    walk.outside(rest)


_NOT_SH = ("((", "[[", "$'", '$"', "&>", "<(", ">(", "<<<", "|&", ">&", "{", "=(", "]=", "+=", "declare", "export ",
           "function", "let ", "local", "popd", "printf -v", "pushd", "read -", "select", "shopt", "source",
           "typeset")  # fmt: skip


def shell(posix: bool) -> Callable[[Walk, list[Arg]], None]:
    """`sh -c` with a script that is known, and `bash -n`, which runs nothing. What sh reads otherwise is refused."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        words = [a.text for a in arguments]
        if words[:1] == ["-n"] and all(not a.may_be_option for a in arguments[1:]):
            return
        script = words[1] if len(words) > 1 and arguments[1].known else ANY
        plain = words[:1] and arguments[0].known and words[0][:1] == "-" and words[0][-1:] == "c"
        if not plain or set(words[0][1:-1]) - set("lexuf") or has_marks(script):
            walk.ask("what this shell runs is not known")
        elif posix and _is_not_sh(script):
            walk.ask("this script is not read alike by every sh")
        else:
            _script(walk, script, arguments[3:])

    return rule


def _is_not_sh(script: str) -> bool:
    text = script
    for same in (">&1", ">&2", "${", "$((", "read -r "):
        text = text.replace(same, "")
    return any(mark in text for mark in _NOT_SH)


def _script(walk: Walk, script: str, arguments: list[Arg]) -> None:
    """In a shell of its own: it knows no function, and of the variables only those that were exported."""
    from debate.guard.shell.syntax import parse

    before, functions, calling = walk.state, walk.functions, walk.calling
    walk.state, walk.functions, walk.calling = State(before.cwd, before.environ, lost=True), {}, []
    walk.set_positions(arguments)
    walk.script(parse(script))
    walk.state, walk.functions, walk.calling = before, functions, calling
    walk.prints = ANY


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "find": find, "xargs": xargs, "env": env, "sh": shell(posix=True), "bash": shell(posix=False), "nohup": behind(),
    "exec": behind("cl a:"), "stdbuf": behind("i: o: e: --input= --output= --error="),
    "timeout": behind("v k: s: --signal= --kill-after= --preserve-status --foreground --verbose", lasts=True),
    "nice": behind("n: # --adjustment="), "ionice": behind("t c: n: --class= --classdata= --ignore"),
    "chronic": behind("ve"),
}  # fmt: skip
