"""What git prints, as far as that matters for whoever takes it as arguments. A name of a branch or a tag begins with
no dash and holds no blank, nor does a hash.
"""

from __future__ import annotations

import os

from debate.guard.shell.marks import ANY, INT, PATH, TOKEN, Arg
from debate.guard.shell.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from debate.guard.shell.walk import Walk

_HASHES = ("%H", "%h", "format:%H", "format:%h", "tformat:%H", "tformat:%h")
_WHICH = """
    # n: S: G: i --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --no-merges
    --merges --max-parents= --min-parents= --first-parent --all --reverse --follow --branches? --tags? --remotes?
    --topo-order --date-order --no-walk
"""
# command -> the options with which each of its lines begins with a hash or a name, and what such a line is
_LINES = {
    "rev-parse": ("q --verify --short? --abbrev-ref --quiet --symbolic-full-name", TOKEN),
    "rev-list": (_WHICH + " --abbrev-commit --count", TOKEN),
    "merge-base": ("a --all --octopus --fork-point --independent", TOKEN),
    "describe": (
        "--tags --all --always --long --abbrev= --match= --exact-match --contains --first-parent",
        TOKEN,
    ),
    "log": (_WHICH + " --oneline --pretty= --format= --no-decorate --no-color", TOKEN),
    "branch": (
        "arl --show-current --format= --sort= --all --remotes --list --merged? --no-merged? --contains?",
        TOKEN,
    ),
    "tag": ("l --list --sort= --merged? --no-merged? --points-at= --contains?", TOKEN),
    "remote": ("", TOKEN),
    "for-each-ref": ("--format= --sort= --count= --merged? --contains?", TOKEN),
}
_NAMES = {  # those that print names of files
    "ls-files": "comozdi x: --cached --others --modified --deleted --ignored --exclude-standard --full-name --exclude=",
    "diff": "z --name-only --cached --staged --diff-filter= --no-renames --relative",
    "grep": "lLEFGPiwvz e: --files-with-matches --name-only --ignore-case --word-regexp --cached --untracked",
    "ls-tree": "rdz --name-only --full-tree --full-name",
    "diff-tree": "rz --no-commit-id --name-only --root",
}


def of(walk: Walk, name: str, rest: list[Arg], folder: str) -> str:
    if name in _NAMES:
        return _names(walk, name, Options(rest, _NAMES[name]), folder)
    if name not in _LINES:
        return ANY
    known, line = _LINES[name]
    options = Options(rest, known)
    formats = options.values("--format", "--pretty")
    if name == "rev-parse" and [argument.text for argument in rest] == ["--show-toplevel"]:
        return _top_level(folder)
    if options.strange or len(formats) > 1 or (name == "remote" and rest):
        return ANY
    if name == "rev-parse" and any(
        (a.text.startswith("--") and not a.text[2:]) or " " in a.text for a in rest
    ):
        return ANY  # it prints what is no revision as it stands
    if name == "rev-list" and options.has("--count"):
        return INT
    if name == "log":
        if formats and not options.has("--oneline"):
            return line if formats[0] in _HASHES else ANY
        return f"{line} {ANY}" if options.has("--oneline") and not formats else ANY
    if name in ("branch", "for-each-ref"):
        plain = formats in (["%(refname)"], ["%(refname:short)"]) or options.has("--show-current")
        return line if plain else ANY
    return line


def _names(walk: Walk, name: str, options: Options, folder: str) -> str:
    lists = name == "ls-files" or options.has("--name-only", "-l", "-L", "--files-with-matches")
    place: str | None = folder if name in ("ls-files", "grep") else _top_level(folder)
    return TOKEN if lists and not options.strange and walk.has_plain_files(place) else ANY


def _top_level(folder: str) -> str:
    place = os.path.realpath(folder)
    while not os.path.exists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return PATH
        place = above
    return place
