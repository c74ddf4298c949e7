"""Which programs only read, by their options. A program that is not here may do anything."""

from __future__ import annotations

from debate.guard.shell import builtins, names, runners
from debate.guard.shell.marks import ANY, Arg, is_digits
from debate.guard.shell.options import Options
from debate.guard.shell.tables import ALLOWED, ALWAYS, PACKERS, VERSIONS, WANTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk

_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_MODES = (
    "-d",
    "-z",
    "--compress",
    "--decompress",
    "--uncompress",
)  # a later one takes the place of an earlier one
# Some of these are builtins, which take it for a name or a value, and some would run it.
_NO_HELP = frozenset(builtins.RULES) | {"env", "xargs", "exec", "erl", "lua"}


def judge(walk: Walk, name: str, arguments: list[Arg]) -> None:
    folder, slash, base = name.rpartition("/")
    if slash:
        if f"{folder}/" not in _FOLDERS:
            walk.ask(f"`{name}` may do anything")
            return
        name = base
    if name in ALWAYS:
        _note_output(walk, name, arguments)
    elif _says_what_it_is(walk, name, arguments):
        pass
    elif name in ALLOWED:
        _allowed(walk, name, arguments)
    elif rule := _rule(name):
        rule(walk, arguments)
    else:
        walk.ask(f"`{name}` may do anything")


def _rule(name: str) -> Callable[[Walk, list[Arg]], None] | None:
    """What only some commands need is imported for them."""
    if name in builtins.RULES:
        return builtins.RULES[name]
    if name in RULES:
        return RULES[name]
    if name == "git":
        from debate.guard.shell import git

        return git.judge
    if name in ("sed", "gsed"):
        from debate.guard.shell import sed

        return sed.judge if name == "sed" else sed.judge_gnu
    if name in ("awk", "gawk", "mawk", "nawk"):
        from debate.guard.shell import awk

        return awk.judge
    if name in _WRITING:
        from debate.guard.shell import writers

        return writers.RULES[name]
    return None


def _note_output(walk: Walk, name: str, arguments: list[Arg]) -> None:
    from debate.guard.shell import prints

    walk.prints = prints.of(walk, name, arguments)


def _says_what_it_is(walk: Walk, name: str, arguments: list[Arg]) -> bool:
    if len(arguments) != 1 or not arguments[0].known:
        return False
    text = arguments[0].text
    if name in VERSIONS.get(text, ()):
        # Some look for a file here that names another program to run instead.
        return walk.state.cwd is not None and not walk.is_free(f"{walk.state.cwd}/x")
    return (
        text in ("--version", "--help")
        and name not in _NO_HELP
        and (name in ALLOWED or _rule(name) is not None)
    )


def _allowed(walk: Walk, name: str, arguments: list[Arg]) -> None:
    if name == "unzip" and arguments and arguments[0].known and arguments[0].text.startswith("-Z"):
        return  # it is zipinfo then
    options = Options(arguments, ALLOWED[name])
    operands = [operand.text for operand in options.operands]
    if options.unsure:
        walk.ask(f"{name} gets an argument that is not known and may be an option")
    elif options.unknown:
        walk.ask(f"{name} gets {options.unknown[0]}, by which it may write or run something")
    elif name in WANTED and not options.has(*WANTED[name].split()):
        walk.ask(f"{name} writes, or runs something, without an option that makes it print")
    elif name in PACKERS and options.has(*_MODES) and not options.has("-c", "--stdout", "--to-stdout"):
        walk.ask(f"{name} writes what it packs or unpacks")
    elif name in ("less", "more") and any(operand.startswith("+") for operand in operands):
        walk.ask(f"{name} is told to run something")
    elif name in ("nm", "objdump", "size") and any(operand.startswith("@") for operand in operands):
        walk.ask(f"{name} reads its options from a file")
    elif name in ("arch", "hostname", "crontab") and operands:
        walk.ask(f"{name} changes something, or runs it")
    elif name in ("bat", "batcat") and operands[:1] == ["cache"]:
        walk.ask(f"{name} writes its cache")
    elif name == "tree" and any(_goes_on(argument.text) for argument in arguments):
        walk.ask("tree may take another word than this for the value of an option")
    else:
        for target in options.values("-o", "--output") if name == "sort" else ():
            walk.writes(target)
        _note_output(walk, name, arguments)


def _goes_on(text: str) -> bool:
    """Letters behind one that takes the next word: tree reads them as options of their own."""
    if text[:1] != "-" or text[:2] == "--":
        return False
    place = min((text.find(letter) for letter in "LPI" if letter in text), default=len(text))
    return bool(text[place + 1 :]) and not is_digits(text[place + 1 :])


_DATE = """
    uRnj I? d: r: f: v: --utc --universal --rfc-email --debug --resolution --date= --reference= --file= --rfc-3339=
    --iso-8601?
"""


def date(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, _DATE)
    shows = options.has("-j") or all(operand.text.startswith("+") for operand in options.operands)
    if options.strange or not shows:
        walk.ask("date may set the clock")
    _note_output(walk, "date", arguments)


def tar(walk: Walk, arguments: list[Arg]) -> None:
    """Only to list, or to print what is in it."""
    first = arguments[0].text if arguments and arguments[0].known else ""
    letters = set(first.lstrip("-"))
    file_ends = not first.startswith("-") or first.find("f") in (-1, len(first) - 1)
    shows = "t" in letters or {"x", "O"} <= letters
    others = [a.text for a in arguments[1:]]
    harmless = all(
        not a.startswith("-") or a == "-" or a.startswith(("--exclude=", "--wildcards", "-C")) for a in others
    )
    if not (shows and file_ends and letters <= set("txOvzjJaf") and harmless) or any(
        a[:1] == ANY or ":" in a for a in others
    ):
        walk.ask("tar may write or run something")


def words(**known: str) -> Callable[[Walk, list[Arg]], None]:
    """Programs of which these commands read, with these options."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        first = arguments[0] if arguments else Arg("")
        if not first.known or first.text not in known or Options(arguments[1:], known[first.text]).strange:
            walk.ask("this command may change something")

    return rule


_IP_OPTIONS = names("-br -brief -4 -6 -j -json -o -oneline -p -pretty -s -stats -d -details -c -color")
_IP_OBJECTS = names("a addr address l link r ro route n neigh neighbour ru rule")
_IP_SHOWS = ("", "show", "list", "ls", "lst", "get")


def ip(walk: Walk, arguments: list[Arg]) -> None:
    said = [argument.text if argument.known else ANY for argument in arguments]
    while said and said[0] in _IP_OPTIONS:
        said.pop(0)
    shows = said and said[0] in _IP_OBJECTS and (said[1:2] or [""])[0] in _IP_SHOWS
    if not shows or ANY in said:
        walk.ask("ip may change something")


def getent(walk: Walk, arguments: list[Arg]) -> None:
    if not (arguments and arguments[0].text in ("passwd", "group", "services", "protocols")):
        walk.ask("getent may ask another machine")


def helper(walk: Walk, arguments: list[Arg]) -> None:
    from debate.guard.plain import SUBAGENT_MAY

    if not (arguments and arguments[0].text in SUBAGENT_MAY | {"verify", "--version", "--help", "agents"}):
        walk.ask("it advances the debate, or starts a program")


def python(walk: Walk, arguments: list[Arg]) -> None:
    if [a.text for a in arguments] not in (["-VV"],):
        walk.ask("what a Python program does cannot be told")


_PIP = "v q --verbose --quiet --disable-pip-version-check"
_pip = words(
    list=_PIP + " l --local --user --not-required --editable e --format= --exclude= --path= --pre",
    show=_PIP + " f --files", freeze=_PIP + " l r: --local --user --all --exclude= --exclude-editable --path=",
    check=_PIP,
)  # fmt: skip
RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    **runners.RULES, "debate": helper, "date": date, "tar": tar, "python": python, "python3": python, "pip": _pip,
    "pip3": _pip, "go": words(version="mv", env="jsonchaged"), "ip": ip, "getent": getent,
}  # fmt: skip
_WRITING = names("tee rm rmdir unlink mkdir touch truncate chmod chown cp mv dd uniq xxd mktemp")
