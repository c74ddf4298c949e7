"""Which git commands only read. What is not listed may change something; an alias is not known at all."""

from __future__ import annotations

import os

from debate.guard.shell import names
from debate.guard.shell.marks import ANY, Arg
from debate.guard.shell.options import Options

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
_RISKY = (
    "--output", "--output-directory", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager", "--exec",
    "--upload-pack", "--receive-pack", "--ext-grep", "--lost-found", "--show-signature", "--paginate", "--web",
    "--edit-description", "--edit", "--remote",
)  # fmt: skip
_SIGNED = ("%G", "%(signature")  # a signature is checked by another program
# Of the options that take the next word as their value only those that surely do: it could be a risky one otherwise.
_DIFF, _LOG = "S: G: O: ", "S: G: O: L: n: "
_VALUED = {
    "log": _LOG, "diff": _DIFF, "show": _DIFF, "grep": "e: f: A: B: C: m:", "blame": "L: S:", "ls-files": "x: X:",
    "rev-list": "n:", "reflog": _LOG,
}  # fmt: skip
_HARMLESS = names(
    "--no-pager -P --literal-pathspecs --no-optional-locks --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
)
_SETTINGS = ("color.", "core.quotepath=", "core.quotePath=", "advice.", "diff.renames=", "diff.algorithm=", "log.date=",
             "column.ui=", "diff.renameLimit=", "diff.noprefix=", "diff.mnemonicPrefix=", "grep.lineNumber=",
             "blame.")  # fmt: skip
_WHOLE_SETTINGS = (
    "core.pager=cat",
    "core.pager=",
    "core.fsmonitor=false",
    "core.fsmonitor=",
    "log.showSignature=false",
)
# Options by which these print instead of change: an operand is then a pattern or a revision.
_LISTS = {
    "branch": """
        -l --list -a --all -r --remotes --show-current --contains --no-contains --merged --no-merged --points-at
        """,
    "tag": "-l --list -n --contains --no-contains --merged --no-merged --points-at",
}
# What changes something with any other option than these, or without the one that it needs.
_ALLOWED = {
    "branch": """
        lavrq --all --remotes --show-current --verbose --abbrev? --no-abbrev --column? --no-column --ignore-case
        --omit-empty i --list --contains? --no-contains? --merged? --no-merged? --points-at= --format= --sort=
        --color? --no-color
        """,
    "tag": """
        l n? --column? --no-column --ignore-case --omit-empty i --list --contains? --no-contains? --merged?
        --no-merged? --points-at= --format= --sort= --color? --no-color
        """,
    "config": """
        lz f: --get --get-all --get-regexp --get-urlmatch --list --get-color --get-colorbool --global --local
        --system --worktree --show-origin --show-scope --null --name-only --includes --no-includes --bool --int
        --path --all --regexp --type= --default= --file= --blob=
        """,
    "symbolic-ref": "q --short --quiet --no-recurse",
    "archive": "vl # --verbose --list --format? --prefix? --worktree-attributes --mtime?",
    "format-patch": """
        ksNp # n: --stdout --signoff --no-signoff --numbered --no-numbered --stat --patch --root --minimal
        --no-signature --subject-prefix= --zero-commit --no-color
        """,
    "apply": """
        Rvz p: C: --stat --numstat --summary --check --reverse --verbose --directory= --include= --exclude=
        --unidiff-zero --recount --ignore-whitespace --ignore-space-change --whitespace=
        """,
    "hash-object": "t: --stdin --stdin-paths --no-filters --literally",
    "fsck": """
        v --full --strict --no-dangling --dangling --unreachable --connectivity-only --no-reflogs --verbose
        --progress --no-progress --root --tags --cache --name-objects
        """,
    "clean": "dxX e: --exclude= n q f --dry-run --quiet --force",
    "add": """
        vAu --verbose --all --update --ignore-missing --ignore-errors --ignore-removal n q f --dry-run --quiet
        --force
        """,
    "rm": "r --cached --ignore-unmatch n q f --dry-run --quiet --force",
    "mv": "vk --verbose n q f --dry-run --quiet --force",
    "help": "ag --all --guides",
}
_NEEDS = {
    "format-patch": ("--stdout",), "apply": ("--stat", "--numstat", "--summary", "--check"),
    **dict.fromkeys(("clean", "add", "rm", "mv"), ("-n", "--dry-run")),
}  # fmt: skip
_SUBCOMMANDS = {  # which of their own commands read; "" is none
    "stash": ("list", "show"),
    "worktree": ("list",),
    "submodule": ("", "status", "summary"),
    "notes": ("", "list", "show"),
    "bisect": ("log", "terms"),
    "bundle": ("verify", "list-heads"),
    "rerere": ("status", "diff", "remaining"),
    "sparse-checkout": ("list",),
    "lfs": ("ls-files", "status", "env", "version"),
}
_REFLOG_CHANGES = ("expire", "delete", "drop", "write", "migrate")
# Long ones that take no value: `--` behind another one may be its value, and what follows may be options.
_FLAGS = names(
    """
    --abbrev-commit --all --cached --check --count --date-order --decorate --deleted --exclude-standard
    --files-with-matches --first-parent --follow --full-history --graph --ignore-all-space --ignore-case
    --ignore-space-change --ignored --line-number --merges --modified --name-only --name-status --no-color
    --no-decorate --no-ext-diff --no-index --no-merges --no-patch --no-prefix --no-renames --no-textconv --numstat
    --oneline --others --patch --porcelain --quiet --raw --reverse --short --shortstat --source --staged --stat
    --summary --text --topo-order --untracked --word-diff
    """
)


def judge(walk: Walk, arguments: list[Arg]) -> None:
    folder, rest = _own_options(walk, arguments)
    if not rest:
        return  # refused by now, or it prints how it is used
    if not rest[0].known:
        walk.ask("which git command it runs is not known")
        return
    name, rest = rest[0].text, rest[1:]
    # Behind its first operand `git config` takes everything for a value.
    options = Options(rest, _ALLOWED.get(name) or _VALUED.get(name, ""), permutes=name != "config")
    if options.unsure or _hides_options(rest):
        walk.ask(f"git {name} gets an argument that is not known and may be an option")
    elif (
        any(sign in argument.text for argument in rest for sign in _SIGNED)
        or _is_risky(name, rest)
        or not (name in _READS or _reads(name, options, rest))
    ):
        walk.ask(f"git {name} may change something")
    else:
        from debate.guard.shell import git_prints

        walk.prints = git_prints.of(walk, name, rest, folder)


def _is_risky(name: str, rest: list[Arg]) -> bool:
    """Whether one of these words may be such an option, even where it seems to be the value of another one."""
    for argument in rest:
        option, _, _ = argument.text.partition("=")
        if argument.known and option == "--":
            return False
        if option.startswith("--") and any(risky.startswith(option) for risky in _RISKY):
            return True
        if name == "grep" and option[:1] == "-" and option[:2] != "--" and "O" in option:
            return True
    return False


def _hides_options(rest: list[Arg]) -> bool:
    """Whether `--` may be the value of the option before it, and something behind it an option."""
    place = next((i for i, argument in enumerate(rest) if argument.known and argument.text == "--"), 0)
    before = rest[place - 1].text if place else ""
    takes = before.startswith("--") and "=" not in before and before not in _FLAGS
    return takes and any(argument.may_be_option for argument in rest[place + 1 :])


def _own_options(walk: Walk, arguments: list[Arg]) -> tuple[str, list[Arg]]:
    """The folder and what stands behind git's own options; nothing if one of them is not harmless."""
    rest = list(arguments)
    folders = [walk.state.cwd, *([walk.state.instead] if walk.state.instead else [])]
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text if rest[0].known else ANY
        value = rest[0].text if rest and rest[0].known else ANY
        if option in ("--version", "-v", "--exec-path", "--html-path", "--man-path"):
            return "", []
        if option == "-C" and value != ANY:
            folders = [
                os.path.join(place or "", value) if place or os.path.isabs(value) else None
                for place in folders
            ]
            rest.pop(0)
        elif option == "-c" and (value.startswith(_SETTINGS) or value in _WHOLE_SETTINGS):
            rest.pop(0)
        elif option not in _HARMLESS:
            walk.ask(f"git {option.replace(ANY, '…')} may run something")
            return "", []
    if not all(place is not None and _is_the_users(walk, place) for place in folders):
        # A repository may have been made to run a program: its configuration can name one.
        walk.ask("git runs in a folder that is not known to be the user's")
        return "", []
    return folders[0] or "", rest


def _is_the_users(walk: Walk, folder: str) -> bool:
    """Neither the folder nor what git takes for its repository, be it a bare one that somebody may have added here."""
    place = os.path.realpath(folder)
    while not walk.is_free(os.path.join(place, ".git")):
        if os.path.lexists(os.path.join(place, ".git")):
            return True
        bare = all(os.path.exists(os.path.join(place, part)) for part in ("HEAD", "objects", "refs"))
        if bare and os.path.basename(place) != ".git":
            return False
        above = os.path.dirname(place)
        if above == place:
            return True
        place = above
    return False


def _reads(name: str, options: Options, rest: list[Arg]) -> bool:
    operands = [argument.text for argument in options.operands]
    first = rest[0].text if rest and rest[0].known else "" if not rest else ANY
    if name == "reflog":
        return not operands or operands[0] not in _REFLOG_CHANGES
    if name == "remote":
        shows = first in ("", "-v", "--verbose", "show") and len(rest) < 2
        return (
            shows
            or [a.text for a in rest[:2]] == ["show", "-n"]
            or (first == "get-url" and not Options(rest[1:], "--push --all").strange)
        )
    if name in _SUBCOMMANDS:
        return first in _SUBCOMMANDS[name]
    if name not in _ALLOWED or options.strange:
        return False
    if name in _LISTS:
        return not operands or options.has(*_LISTS[name].split())
    if name == "config":
        reading = any(option.startswith(("--get", "--list", "-l")) for option, _ in options.given)
        return reading or first in ("get", "list") or len(operands) == 1
    if name == "symbolic-ref":
        return len(operands) == 1
    if name == "help":
        return not operands
    return name not in _NEEDS or options.has(*_NEEDS[name])
