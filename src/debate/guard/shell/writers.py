"""Programs that write the paths they are given: which ones."""

from __future__ import annotations

import os

from debate.guard.shell.marks import ANY, TEMP, Arg, has_marks, is_digits
from debate.guard.shell.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk


MOST_FILES = 10_000  # that are looked at for a link among them


def each(
    known: str, skip: int = 0, follows: bool = True, shakes: bool = False
) -> Callable[[Walk, list[Arg]], None]:
    """Every operand after the first `skip` is written. Only with options that are known to do nothing else."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, known)
        if options.strange:
            walk.ask("which paths it writes is not known")
            return
        for operand in options.operands[skip:]:
            walk.writes(ANY if operand.many else operand.text, follows)
        walk.shaken = walk.shaken or shakes

    return rule


def copies(removes_source: bool) -> Callable[[Walk, list[Arg]], None]:
    """cp, mv: the last operand is written, or what lies in it under the sources' names."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, "fnvuprRa --force --verbose --no-clobber --update --recursive --archive")
        operands = options.operands
        deep = options.has("-r", "-R", "-a", "--recursive", "--archive")
        if options.strange or len(operands) < 2 or any(operand.many for operand in operands):
            walk.ask("which paths it writes is not known")
            return
        *sources, target = (operand.text for operand in operands)
        cwd = walk.state.cwd or ""
        for source in sources:
            inside = os.path.isdir(os.path.join(cwd, target)) or target.endswith("/")
            walk.writes(os.path.join(target, os.path.basename(source.rstrip("/"))) if inside else target)
            if removes_source:
                walk.writes(source)
            if deep or removes_source:
                walk.links = walk.links or walk.state.cwd is None or _holds_link(os.path.join(cwd, source))
        walk.shaken = walk.shaken or deep or removes_source

    return rule


def _holds_link(path: str) -> bool:
    """Nothing else that passes makes one."""
    if os.path.islink(path) or path.startswith("/proc"):
        return True
    count = 0
    for folder, folders, files in os.walk(path):
        count += len(folders) + len(files)
        if count > MOST_FILES or any(
            os.path.islink(os.path.join(folder, name)) for name in (*folders, *files)
        ):
            return True
    return False


def dd(walk: Walk, arguments: list[Arg]) -> None:
    for argument in arguments:
        name, equals, target = argument.text.partition("=")
        if not equals or has_marks(name) or argument.many:
            walk.ask("what dd writes is not known")
        elif name == "of":
            walk.writes(target)


def uniq(walk: Walk, arguments: list[Arg]) -> None:
    """Its second operand is a file that it writes; on some systems an option behind the first one is, too."""
    options = Options(
        arguments,
        "cdDiuz f: s: w: --count --repeated --unique --ignore-case --zero-terminated --all-repeated? --group? "
        "--skip-fields= --skip-chars= --check-chars=",
    )
    files = options.operands
    late = bool(files) and arguments[-1] is not files[-1]
    if options.strange or late or len(files) > 2 or (len(files) == 2 and any(file.many for file in files)):
        walk.ask("uniq may be given a file to write")
    elif len(files) == 2 and files[1].text != "-":
        walk.writes(files[1].text)
    elif files and files[0].many:
        walk.ask("uniq may be given a file to write")


_XXD = {*"pridbeuaCEv", "ps", "plain", "postscript"}


def xxd(walk: Walk, arguments: list[Arg]) -> None:
    """It has a way of its own with options: their first letter counts, and values are mostly apart."""
    rest = list(arguments)
    while rest and rest[0].known and rest[0].text.startswith("-") and rest[0].text != "-":
        option = rest.pop(0).text[1:]
        if option in ("c", "cols", "g", "l", "len", "s", "seek", "o") and rest and not rest[0].many:
            rest.pop(0)
        elif option not in _XXD and not (option[:1] in "cgls" and is_digits(option[1:])):
            walk.ask("xxd gets an option that is not known")
            return
    if len(rest) == 2 and rest[0].text[:1] not in ("-", ANY) and not rest[0].many:
        walk.writes(ANY if rest[1].many else rest[1].text)
    elif rest and (len(rest) > 1 or rest[0].many or rest[0].text[:1] == ANY):
        walk.ask("xxd may be given a file to write")


def mktemp(walk: Walk, arguments: list[Arg]) -> None:
    """In the temporary folder, by a pattern that cannot fail: a path that is empty would lead elsewhere."""
    options = Options(arguments, "dqu t")
    folder = walk.state.environ.get("TMPDIR") or "/tmp"
    templates = [operand.text for operand in options.operands]
    for template in templates:
        inside, name = os.path.split(template)
        folder = inside or folder
        if "XXX" not in name or (not inside and not options.has("-t")):
            folder = ""
    known = not options.strange and len(templates) <= 1 and all(operand.known for operand in options.operands)
    if known and folder and os.path.isdir(folder):
        walk.writes(os.path.join(folder, "x"), follows=False)
        walk.prints = TEMP if walk.is_free(os.path.join(folder, "x")) else ANY
    else:
        walk.ask("mktemp makes a file")


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "tee": each("aip --append"),
    "rm": each("rRfvdiI --recursive --force --verbose", follows=False, shakes=True),
    "rmdir": each("pv", follows=False, shakes=True),
    "unlink": each("", follows=False, shakes=True),
    "mkdir": each("pv m: --parents"),
    "touch": each("acmh d: t: r:"),
    "truncate": each("co s: r:"),
    "chmod": each("Rvcf", skip=1, shakes=True),
    "chown": each("Rvcfh", skip=1, shakes=True),
    "cp": copies(removes_source=False),
    "mv": copies(removes_source=True),
    "dd": dd,
    "uniq": uniq,
    "xxd": xxd,
    "mktemp": mktemp,
}
