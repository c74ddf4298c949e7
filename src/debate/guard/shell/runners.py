"""Programs that run another one: which, and with what."""

from __future__ import annotations

from debate.guard.shell import Unclear, names
from debate.guard.shell.values import ANY, INT, PATH, TOKEN, Arg, has_marks

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


def find(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    while rest and not (rest[0].text.startswith(("-", "(", "!", ",")) and rest[0].text != "-"):
        place = rest.pop(0)
        if place.text[:1] == ANY:
            walk.ask("find gets a place that is not known and may be an option")
            return
    while rest:
        test = rest.pop(0)
        if not test.known:
            walk.ask("find gets a test that is not known")
            return
        if test.text in _FIND_VALUED:
            rest = rest[1:]
        elif test.text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i, a in enumerate(rest) if a.known and a.text in (";", "+")), len(rest))
            command = [
                Arg(PATH + ANY if a.text == "{}" else a.text.replace("{}", ANY), a.many) for a in rest[:end]
            ]
            if test.text in ("-execdir", "-okdir"):
                walk.ask("find runs a program in other folders")
            walk.command(command)
            rest = rest[end + 1 :]
        elif test.text in ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"):
            walk.ask("find is told to write or to delete")
            return
    walk.prints = PATH


def xargs(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    replaced = ""
    whole = False  # a line is one argument, blanks in it or not
    while rest and rest[0].text.startswith("-") and rest[0].text != "-":
        option = rest.pop(0)
        whole = whole or option.text.startswith(
            ("-I", "-0", "-d", "--null", "--delimiter", "-i", "--replace", "-r0")
        )
        if not option.known:
            walk.ask("xargs gets an option that is not known")
            return
        text = option.text
        if text == "--":
            break
        if text in ("-I", "--replace"):
            replaced = rest.pop(0).text if rest and text == "-I" else "{}"
        elif text.startswith("-I"):
            replaced = text[2:]
        elif text.startswith("--replace="):
            replaced = text[10:]
        elif text in ("-i",):
            replaced = "{}"
        elif text in (
            "-n",
            "-P",
            "-L",
            "-s",
            "-d",
            "-a",
            "-E",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
        ):
            rest = rest[1:]
        elif text.startswith(
            ("-n", "-P", "-L", "-s", "-d", "-a", "-E", "--max-", "--delimiter=", "--arg-file=")
        ):
            pass
        elif not set(text.lstrip("-")) <= set("0rtxp") and text not in (
            "--null",
            "--no-run-if-empty",
            "--verbose",
        ):
            walk.ask("xargs gets an option that is not known")
            return
    if not rest:
        return
    taken = walk.stdin if whole or walk.stdin in (INT, TOKEN) else ANY
    if replaced:
        walk.command(
            [Arg(a.text.replace(replaced, taken), a.many) if replaced in a.text else a for a in rest]
        )
    else:
        walk.command([*rest, Arg(taken, many=True)])


def behind(
    short: str = "", operands: int = 0, long: tuple[str, ...] = ()
) -> Callable[[Walk, list[Arg]], None]:
    """A program that runs the command behind its options and operands."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        rest = list(arguments)
        while rest and rest[0].text.startswith("-"):
            option = rest.pop(0)
            if not option.known:
                walk.ask("an option is not known")
                return
            if option.text == "--":
                break
            if option.text in tuple(f"-{letter}" for letter in short) or option.text in long:
                rest = rest[1:]
        for operand in rest[:operands]:
            if not operand.known and set(operand.text) - {INT} and not operand.text[:1].isdigit():
                walk.ask("what it runs is not known")
                return
        walk.command(rest[operands:])

    return rule


def env(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    while rest:
        text = rest[0].text
        if text in ("-i", "-", "--ignore-environment", "-0", "--null"):
            rest = rest[1:]
        elif text in ("-u", "--unset") and len(rest) > 1:
            raise Unclear("env takes a variable away")
        elif text.startswith("-"):
            walk.ask("env gets an option that is not known")
            return
        elif "=" in text:
            name, _, value = text.partition("=")
            walk.state.check_exported(name, [value])
            rest = rest[1:]
        else:
            break
    if rest and rest[0].text[:1] == ANY:
        walk.ask("what env runs is not known")
        return
    walk.command(rest)


def shell(walk: Walk, arguments: list[Arg]) -> None:
    """`sh -c` with a script that is known, and `bash -n`, which runs nothing."""
    from debate.guard.shell.syntax import parse

    words = [a.text for a in arguments]
    if words[:1] == ["-n"] and all(not a.may_be_option for a in arguments[1:]):
        return
    script = words[1] if len(words) > 1 else ""
    if (
        words[:1] not in (["-c"], ["-lc"])
        or has_marks(script)
        or any(mark in script for mark in ("$'", "&>", "<(", ">("))
    ):
        walk.ask("what this shell runs is not known")
        return
    walk.apart(parse(script))


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "find": find, "xargs": xargs, "env": env, "sh": shell, "bash": shell, "nohup": behind(), "exec": behind("a"),
    "timeout": behind("ks", 1, ("--signal", "--kill-after")), "nice": behind("n", 0, ("--adjustment",)),
    "stdbuf": behind("ioe"), "ionice": behind("cn"), "chronic": behind(),
}  # fmt: skip
