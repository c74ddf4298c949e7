"""Which programs only read, by their options. A program that is not here may do anything."""

from __future__ import annotations

from debate.guard.shell import builtins, filters, git, names, runners, writers
from debate.guard.shell.options import Options
from debate.guard.shell.values import ANY, INT, PATH, TEMP, Arg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk

# Whatever their arguments are.
_ALWAYS = names(
    """
    : true false cat tac head tail wc ls dir vdir cut tr nl stat echo pwd basename dirname realpath
    readlink comm paste help join fold expand unexpand fmt pr rev md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum cksum sum md5 shasum base32 base64 basenc seq id whoami groups logname
    uname arch nproc uptime free df du ps pgrep lscpu lsblk lsof which whereis type grep egrep fgrep
    zgrep zcat bzcat xzcat zstdcat zegrep zfgrep jq diff cmp colordiff od hexdump hd strings column expr
    sleep getconf locale tput cal numfmt tsort look factor yes printenv tty bc exit return break
    continue shift wait jobs times umask caller dirs nm objdump readelf size ncal zipinfo lsb_release
    sw_vers getent users who w last
    """
)
# A program whose only argument is this says what it is, and that it is there.
_VERSIONS = names(
    """
    python python3 python2 node npm npx pnpm yarn ruby gem perl php java javac go rustc cargo gcc g++
    clang cc make cmake docker pip pip3 uv poetry pipx deno bun tsc rg fd bat sed gawk bash sh zsh curl
    wget ssh tar zip unzip gh kubectl terraform sqlite3 psql mysql redis-cli ruff black mypy swift
    kotlin scala dotnet elixir erl ghc lua R
    """
)
# name -> short and long options that write or run something; short ones that take a value; long ones
_FLAGGED: dict[str, tuple[str, tuple[str, ...], str, tuple[str, ...]]] = {
    "sort": ("oT", ("output", "compress-program", "temporary-directory"), "kStTo",
             ("key", "field-separator", "buffer-size", "parallel", "batch-size", "random-source", "output",
              "temporary-directory", "compress-program")),
    "tree": ("oR", ("output",), "LPIoT", ("filelimit", "charset")),
    "file": ("C", ("compile",), "mfFePS", ("magic-file", "files-from", "separator", "exclude", "parameter")),
    "fd": ("xX", ("exec", "exec-batch"), "etEdSgcjIo", ("type", "extension", "exclude", "max-depth")),
    "fdfind": ("xX", ("exec", "exec-batch"), "etEdS", ("type", "extension", "exclude", "max-depth")),
    "ag": ("", ("pager",), "ABCGm", ("ignore",)),
    "less": ("oOkT", ("log-file", "LOG-FILE", "lesskey-file", "lesskey-src", "tag-file"), "bhjpPtxyz", ()),
    "more": ("", (), "n", ()),
    "sdiff": ("o", ("output", "diff-program"), "wo", ("output", "diff-program", "width")),
    "iconv": ("o", ("output",), "ftoc", ("from-code", "to-code", "output")),
    "shuf": ("o", ("output",), "neioa", ("output", "head-count", "input-range", "random-source")),
    "bat": ("", ("pager", "diagnostic", "generate-config-file", "map-syntax"), "lrHm",
            ("language", "line-range", "style", "theme", "color", "paging", "wrap", "highlight-line", "file-name")),
}  # fmt: skip
_FLAGGED["batcat"] = _FLAGGED["bat"]
_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_TELLS = ("--version", "--help")


def judge(walk: Walk, name: str, arguments: list[Arg]) -> None:
    folder, slash, base = name.rpartition("/")
    if slash:
        if f"{folder}/" not in _FOLDERS:
            walk.ask(f"`{name}` may do anything")
            return
        name = base
    tells = len(arguments) == 1 and arguments[0].known and arguments[0].text in _TELLS
    if name in _ALWAYS:
        _note_output(walk, name, arguments)
    elif name in _FLAGGED:
        _flagged(walk, name, arguments)
    elif (
        tells
        and (name in RULES or name in _VERSIONS)
        and name not in (*builtins.RULES, "env", "xargs", "exec")
    ):
        pass
    elif name in RULES:
        RULES[name](walk, arguments)
    elif not (
        name in _VERSIONS and len(arguments) == 1 and arguments[0].text in ("-V", "-v", "version", "-version")
    ):
        walk.ask(f"`{name}` may do anything")


def _note_output(walk: Walk, name: str, arguments: list[Arg]) -> None:
    if name in ("pwd", "realpath"):
        walk.prints = PATH
    elif name in ("seq", "nproc") or (
        name == "wc" and all(a.known and a.text.startswith("-") for a in arguments)
    ):
        walk.prints = INT
    elif name in ("head", "tail", "tac", "grep") and not any(a.many for a in arguments):
        operands = sum(1 for a in arguments if not a.text.startswith("-")) - (name == "grep")
        letters = "".join(a.text for a in arguments if a.text.startswith("-"))
        if name == "grep" and "c" in letters and operands <= 1:
            walk.prints = INT
        elif operands <= 0 and "o" not in letters:
            walk.prints = walk.stdin  # some of the lines that came in


def _flagged(walk: Walk, name: str, arguments: list[Arg]) -> None:
    short, long, valued, valued_long = _FLAGGED[name]
    options = Options(arguments, valued, valued_long)
    if options.unsure:
        walk.ask(f"{name} gets an argument that is not known and may be an option")
    elif name == "sort" and options.has_any("o", ("output",)) and not options.has_any("T", long[1:]):
        for target in options.values(
            "o", *(given for given, _ in options.given if len(given) > 1 and "output".startswith(given))
        ):
            walk.writes(target)
    elif options.has_any(short, long) or any(operand.text.startswith("+") for operand in options.operands):
        walk.ask(f"{name} is told to write or to run something")
    elif name in ("bat", "batcat") and options.operands and options.operands[0].text == "cache":
        walk.ask(f"{name} writes its cache")


def rg(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(
        arguments, "efgtTABCmMrjEd", ("regexp", "file", "glob", "iglob", "type", "type-not", "max-depth")
    )
    if options.unsure:
        walk.ask("rg gets an argument that is not known and may be an option")
    elif options.has("pre", "hostname-bin"):
        walk.ask("rg is told to run a program")


def date(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, "drfI", ("date", "reference", "file"))
    if (
        options.unsure
        or options.has_any("s", ("set",))
        or any(not o.text.startswith("+") for o in options.operands)
    ):
        walk.ask("date may set the clock")


def one_input(short: str = "") -> Callable[[Walk, list[Arg]], None]:
    """Programs whose second operand is a file that they write."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments, short)
        if len(options.operands) > 1 and options.operands[1].text != "-":
            walk.writes(options.operands[1].text if not options.operands[1].many else ANY)
        elif any(operand.many for operand in options.operands):
            walk.ask("it may be given a file to write")

    return rule


def archive(walk: Walk, arguments: list[Arg]) -> None:
    """tar: only to list, or to print what is in it."""
    first = arguments[0].text.lstrip("-") if arguments and arguments[0].known else ""
    listing = "t" in first and set(first) <= set("tvzjJaf")
    printing = "x" in first and "O" in first and set(first) <= set("xvzjJafO")
    others = [a.text for a in arguments[1:]]
    harmless = all(
        not a.startswith("-") or a == "-" or a.startswith(("--exclude=", "--wildcards", "-C")) for a in others
    )
    if not (listing or printing) or not harmless or any(a[:1] == ANY or ":" in a for a in others):
        walk.ask("tar may write or run something")


def only_with(*wanted: str, operands: int | None = None) -> Callable[[Walk, list[Arg]], None]:
    """Programs that only read when one of these letters or words is among their options."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        options = Options(arguments)
        too_many = operands is not None and len(options.operands) > operands
        if options.unsure or too_many or not options.has(*wanted):
            walk.ask("without an option that makes it print it writes files")

    return rule


def subcommands(*reading: str, never: tuple[str, ...] = ()) -> Callable[[Walk, list[Arg]], None]:
    """Programs of which only these commands read; a command of two words stands here with its blank."""

    def rule(walk: Walk, arguments: list[Arg]) -> None:
        words = " ".join(a.text for a in arguments)
        reads = any(words == known or words.startswith(known + " ") for known in reading)
        if not reads or any(a.text[:1] == ANY or a.text.startswith(never or ("\0",)) for a in arguments):
            walk.ask("this command may change something")

    return rule


def mktemp(walk: Walk, arguments: list[Arg]) -> None:
    if all(
        a.known and (a.text in ("-d", "-q", "-t", "-dt") or a.text.startswith(("-t", "/tmp/")))
        for a in arguments
    ) and (not any(".." in a.text for a in arguments)):
        walk.prints = TEMP
    else:
        walk.ask("mktemp makes a file")


def kill(walk: Walk, arguments: list[Arg]) -> None:
    if not (arguments and arguments[0].text in ("-l", "-0", "-L")):
        walk.ask("it sends a signal")


def helper(walk: Walk, arguments: list[Arg]) -> None:
    from debate.guard.plain import SUBAGENT_MAY

    if not (arguments and arguments[0].text in SUBAGENT_MAY | {"verify", "--version", "--help", "agents"}):
        walk.ask("it advances the debate, or starts a program")


def hostname(walk: Walk, arguments: list[Arg]) -> None:
    if not all(a.text in ("-f", "-s", "-i", "-I", "-d", "-A") for a in arguments):
        walk.ask("hostname may be set")


def python(walk: Walk, arguments: list[Arg]) -> None:
    words = [a.text for a in arguments]
    versions = len(words) == 1 and words[0] in ("--version", "-V", "-VV")
    if not versions:
        walk.ask("what a Python program does cannot be told")


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    **builtins.RULES, **runners.RULES, **filters.RULES, **writers.RULES,
    "rg": rg, "git": git.judge, "debate": helper, "date": date, "uniq": one_input("fsw"), "xxd": one_input("clgso"),
    "tar": archive, "mktemp": mktemp, "kill": kill, "hostname": hostname, "python": python, "python3": python,
    "gzip": only_with("c", "l", "stdout", "list"), "gunzip": only_with("c", "l", "stdout", "list"),
    "bzip2": only_with("c", "stdout"), "bunzip2": only_with("c", "stdout"), "unxz": only_with("c", "stdout"),
    "xz": only_with("c", "l", "stdout", "list"), "zstd": only_with("c", "l", "stdout"),
    "unzip": only_with("l", "p", "v", "Z", "t"), "man": only_with("k", "f", "w", "K"), "crontab": only_with("l"),
    "ulimit": only_with("a", "n", "u", "s", "c", operands=0), "hash": only_with("t", "l"),
    "pip": subcommands("list", "show", "freeze", "--version", "check", "-V"),
    "pip3": subcommands("list", "show", "freeze", "--version", "check", "-V"),
    "go": subcommands("version", "env", never=("-w", "-u")),
    "ip": subcommands("addr", "a", "addr show", "route", "r", "link show", "-br a", "-br addr"),
    "ss": subcommands("-t", "-l", "-tl", "-tln", "-tlnp", "-lntp", "-ltn", "-ltnp", "-a", "-s", "-n"),
}  # fmt: skip
