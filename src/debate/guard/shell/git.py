"""Which git commands only read. What is not listed may change something; an alias is not known at all."""

from __future__ import annotations

import os

from debate.guard.shell import names
from debate.guard.shell.options import Options
from debate.guard.shell.values import INT, PATH, TOKEN, Arg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from debate.guard.shell.walk import Walk

# They print. Options that write a file or run a program are refused below, whatever the command.
_READS = names(
    """
    annotate blame cat-file check-attr check-ignore check-mailmap check-ref-format cherry count-objects
    describe diff diff-files diff-index diff-tree for-each-ref get-tar-commit-id grep log ls-files
    ls-tree merge-base name-rev patch-id range-diff rev-list rev-parse shortlog show show-branch
    show-index show-ref status stripspace var verify-pack version whatchanged
    """
)
_RISKY_LONG = (
    "output", "output-directory", "ext-diff", "textconv", "filters", "open-files-in-pager", "exec", "upload-pack",
    "receive-pack", "ext-grep", "lost-found", "show-signature", "paginate", "web", "edit-description", "edit",
)  # fmt: skip
_HARMLESS = names(
    "--no-pager -P --literal-pathspecs --no-optional-locks --bare --glob-pathspecs --icase-pathspecs"
)
_VALUED = {
    "log": "SGnLO", "diff": "SGO", "show": "SGO", "grep": "efABCm", "blame": "LSC", "shortlog": "w", "ls-files": "xX",
    "for-each-ref": "", "describe": "", "ls-tree": "", "rev-list": "n", "cat-file": "",
}  # fmt: skip
_CONFIGS = ("color.", "core.quotepath=", "core.quotePath=", "advice.", "diff.renames=", "diff.algorithm=", "log.date=",
            "column.ui=", "diff.renameLimit=", "diff.noprefix=", "diff.mnemonicPrefix=", "log.showSignature=false",
            "core.pager=cat", "core.fsmonitor=false", "grep.lineNumber=", "blame.")  # fmt: skip
_LISTS = {  # options that make these print instead of change; an operand is then a pattern or a revision
    "branch": ("l", "list", "a", "all", "r", "remotes", "show-current", "contains", "no-contains", "merged",
               "no-merged", "points-at", "format", "sort"),
    "tag": ("l", "list", "n", "contains", "no-contains", "points-at", "merged", "no-merged"),
}  # fmt: skip
_QUIET = {
    "branch": ("v", "vv", "verbose", "color", "no-color", "column", "no-column", "abbrev", "no-abbrev", "q", "i",
               "ignore-case", "omit-empty"),
    "tag": ("sort", "format", "column", "no-column", "color", "i", "ignore-case", "omit-empty"),
}  # fmt: skip
_SUBCOMMANDS = {  # first operand -> whether it reads; "" is none
    "stash": ("list", "show"),
    "reflog": ("", "show", "exists", "list"),
    "worktree": ("list",),
    "submodule": ("", "status", "summary"),
    "notes": ("", "list", "show"),
    "bisect": ("log", "terms"),
    "bundle": ("verify", "list-heads"),
    "remote": ("", "get-url"),
    "rerere": ("status", "diff", "remaining"),
    "sparse-checkout": ("list",),
    "lfs": ("ls-files", "status", "env", "version"),
    "config": ("get", "list"),
}


def judge(walk: Walk, arguments: list[Arg]) -> None:
    folder, rest = _own_options(walk, arguments)
    if not rest:
        return  # refused by now, or it prints how it is used
    if not rest[0].known:
        walk.ask("which git command it runs is not known")
        return
    name, rest = rest[0].text, rest[1:]
    options = Options(rest, short=_VALUED.get(name, ""))
    cannot_tell = f"git {name} may change something"
    if any(a.known and a.text == "--" for a in rest):
        before = rest[: next(i for i, a in enumerate(rest) if a.known and a.text == "--")]
    else:
        before = rest
    if Options(before, short=_VALUED.get(name, "")).unsure:
        walk.ask(f"git {name} gets an argument that is not known and may be an option")
        return
    signs = any(
        "%G" in (value or "") for _, value in options.given
    )  # a signature is checked by another program
    if signs or options.has_any("", _RISKY_LONG) or (name == "grep" and options.has("O")):
        walk.ask(cannot_tell)
        return
    if name in _READS:
        _note_output(walk, name, options, folder)
        return
    if not _reads(name, options):
        walk.ask(cannot_tell)


def _own_options(walk: Walk, arguments: list[Arg]) -> tuple[str, list[Arg]]:
    """The folder and what stands behind git's own options; nothing if one of them is not harmless."""
    rest = list(arguments)
    folder = walk.state.cwd
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0)
        if option.known and option.text in _HARMLESS:
            continue
        if option.known and option.text in ("--version", "-v", "--exec-path", "--html-path", "--man-path"):
            return "", []
        if option.known and option.text == "-C" and rest and rest[0].known:
            place = rest.pop(0).text
            folder = place if os.path.isabs(place) else folder and os.path.join(folder, place)
            continue
        if (
            option.known
            and option.text == "-c"
            and rest
            and rest[0].known
            and rest[0].text.startswith(_CONFIGS)
        ):
            rest.pop(0)
            continue
        walk.ask(f"git {option.text} may run something")
        return "", []
    if folder is None or walk.is_free(folder):
        # A repository there may have been made to run a program: its configuration can name one.
        walk.ask("git runs in a folder that is not known to be the user's")
        return "", []
    return folder, rest


def _reads(name: str, options: Options) -> bool:
    operands = [argument.text for argument in options.operands]
    first = operands[0] if operands else ""
    given = {option for option, _ in options.given}
    if name in _LISTS:
        lists = bool(given & set(_LISTS[name])) or any(o.isdigit() for o in given)
        known = given <= set(_LISTS[name]) | set(_QUIET[name]) | set("0123456789")
        return known and (lists or not operands)
    if name == "config":
        reading = {"get", "get-all", "get-regexp", "get-urlmatch", "list", "l", "get-color", "get-colorbool"}
        scope = {"global", "local", "system", "worktree", "show-origin", "show-scope", "z", "null", "name-only",
                 "includes", "no-includes", "bool", "int", "path", "type", "default", "all", "regexp"}  # fmt: skip
        if not given <= reading | scope:
            return False
        return bool(given & reading) or first in ("get", "list") or len(operands) == 1
    if name == "symbolic-ref":
        return given <= {"short", "q", "quiet", "no-recurse"} and len(operands) == 1
    if name == "archive":
        return not given & {"o", "remote", "exec"}
    if name == "format-patch":
        return "stdout" in given and not given & {"o"}
    if name == "apply":
        return bool(given & {"stat", "numstat", "summary", "check"}) and not given & {
            "apply",
            "3",
            "3way",
            "index",
        }
    if name == "hash-object":
        return not given & {"w"} and "path" not in given
    if name == "fsck":
        return True
    if name in ("clean", "add", "rm", "mv"):
        return bool(given & {"n", "dry-run"})
    if name == "help":
        return given <= {"a", "all", "g", "guides"} and not operands
    if name == "remote" and first == "show":
        return "n" in given
    if name == "reflog" and first not in ("expire", "delete", "drop", "write"):
        return True  # a branch's name is as good as `show`
    return name in _SUBCOMMANDS and first in _SUBCOMMANDS[name] and given <= _quiet(name)


def _quiet(name: str) -> set[str]:
    if name in ("remote", "submodule", "worktree"):
        return {"v", "verbose", "all", "push", "porcelain", "z", "cached", "recursive", "quiet", "q"}
    return {"p", "patch", "stat", "name-only", "name-status", "u", "include-untracked", "only-untracked", "oneline",
            "format", "date", "n", "all", "numstat", "no-color", "color", "pretty", "porcelain", "v", "max-count",
            "shortstat", "summary", *"0123456789"}  # fmt: skip


def _note_output(walk: Walk, name: str, options: Options, folder: str) -> None:
    """Hashes and branch names begin with no dash, so that they may stand where an option could."""
    formats = options.values("format", "pretty")
    if (
        name == "rev-parse"
        and options.has("show-toplevel")
        and len(options.given) == 1
        and not options.operands
    ):
        walk.prints = _top_level(folder)
    elif name == "rev-list" and options.has("count"):
        walk.prints = INT
    elif (
        name in ("rev-list", "merge-base")
        or (name in ("rev-parse", "describe") and options.operands)
        or (name == "log" and any(value in ("%H", "%h", "format:%H", "format:%h") for value in formats))
    ):
        walk.prints = TOKEN


def _top_level(folder: str) -> str:
    place = os.path.realpath(folder)
    while not os.path.exists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return PATH
        place = above
    return place
