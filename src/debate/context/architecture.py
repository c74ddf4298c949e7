"""Architecture: how the files lie, what the project depends on, and which of its parts import which."""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from itertools import islice

from debate.context import manifests
from debate.context.git import quoted
from debate.context.listing import MADE, Files
from debate.context.page import Page

MOST_FOLDERS = 60
MOST_NAMES = 14  # in one folder
MOST_CHILDREN = 400  # looked at in one folder
MOST_SEARCHED = 150  # folders, for manifests
MOST_IMPORTING = 300  # files whose imports are read, and so many lines of each
MOST_LINES = 200

_SOURCE = (
    ".py", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".vue", ".go", ".rs", ".java", ".kt", ".rb", ".cs", ".swift", ".scala"
)  # fmt: skip
_ROOTS = ("src/", "lib/", "app/", "pkg/", "internal/", "packages/")
_ASIDE = re.compile(r"(?:tests?|docs?|examples?|node_modules|vendor|\..*)/$")
_IMPORTS = ("import", "require", "use ", "using ", 'from "', "from '", '\t"')
_IMPORT = re.compile(
    r"\s*(?:from\s+([\w.]+)\s+import\b|import\s+(?:static\s+)?([\w.]+)|(?:pub\s+)?use\s+([\w:]+)|using\s+([\w.]+))"
    r"|.*[\"']([^\"']+/[^\"']+)[\"']"
)


def write(page: Page, files: Files) -> None:
    page.add_list(f"Files, {len(files):,}{' or more' if files.is_cut else ''}:", _tree(files), 0.5, "folders")
    lines, unread = manifests.read_all(files, _near_the_root(files))
    page.add_list("Dependencies, by manifest:", lines, 0.6, "manifests")
    for path in unread:
        page.leave_out(f"{quoted(path)}: it cannot be read as what its name says")
    page.add_list("Imports between its parts:", _imports(files), 0.8, "parts that import others")


def _tree(files: Files) -> list[str]:
    """Each opened folder with its number of files and what lies in it; large ones are opened first, deep ones last."""
    opened: dict[str, list[tuple[str, int]]] = {}
    closed = [(-len(files), "")]
    while closed and len(opened) < MOST_FOLDERS:
        _, folder = heapq.heappop(closed)
        opened[folder] = _first_children(files, folder)
        for name, count in opened[folder]:
            if count and name[:-1] not in MADE:
                heapq.heappush(closed, (-count // 4 ** (folder.count("/") + 1), f"{folder}{name}"))
    lines = []
    for folder, children in sorted(opened.items()):
        rest = [(name, count) for name, count in children if f"{folder}{name}" not in opened]
        rest.sort(key=lambda child: -child[1])
        names = [quoted(name) + (f" ({count:,})" if count else "") for name, count in rest[:MOST_NAMES]]
        if len(rest) > MOST_NAMES:
            names.append("…")
        if names or not folder:
            lines.append(
                f"{quoted(folder) if folder else './'} ({files.count(folder):,}): {', '.join(names)}"
            )
    return lines


def _imports(files: Files) -> list[str]:
    """For the folder in which the code branches: which of its folders and modules import which others."""
    base = _where_it_branches(files)
    own = base.rstrip("/").rpartition("/")[2]
    parts = {name.rstrip("/").partition(".")[0]: name for name, _ in _first_children(files, base)}
    edges: defaultdict[str, set[str]] = defaultdict(set)
    at, end = files.span(base)
    inside = (path for path in files.paths[at : min(end, at + 10_000)] if path.endswith(_SOURCE))
    for path in islice(inside, MOST_IMPORTING):
        part = path[len(base) :].partition("/")[0].partition(".")[0]
        text = (files.read(path) or b"").decode("utf-8", "replace")
        for line in text.splitlines()[:MOST_LINES]:
            if any(word in line for word in _IMPORTS) and (match := _IMPORT.match(line)):
                edges[part] |= _imported(match[match.lastindex or 0], own) & (parts.keys() - {part, own})
    return [
        f"{base}{parts[part]} -> {', '.join(sorted(edges[part]))}" for part in sorted(edges) if edges[part]
    ]


def _imported(target: str, own: str) -> set[str]:
    """The words of an imported name, if it is one of the project's own."""
    words = set(re.split(r"[./:\\]+", target))
    return words if target.startswith((".", "@/", "~/", "crate")) or own in words else set()


def _near_the_root(files: Files) -> list[str]:
    """The root, what lies in it, and what lies in that: where manifests are."""
    folders = [""]
    for folder in folders:
        inside = [
            folder + name for name, count in _first_children(files, folder) if count and name[:-1] not in MADE
        ]
        folders += inside[: MOST_SEARCHED - len(folders)] if folder.count("/") < 2 else []
    return folders


def _where_it_branches(files: Files) -> str:
    """Down from the root, as long as one folder holds most of the source."""
    base = next((name for name, _ in _first_children(files, "") if name in _ROOTS), "")
    while True:
        children = _first_children(files, base)
        folders = [(count, name) for name, count in children if count and not _ASIDE.match(name)]
        modules = sum(name.endswith(_SOURCE) for name, count in children if not count)
        if not folders or modules > 1 or max(folders)[0] * 2 <= sum(count for count, _ in folders):
            return base
        base += max(folders)[1]


def _first_children(files: Files, folder: str) -> list[tuple[str, int]]:
    return list(islice(files.children(folder), MOST_CHILDREN))
