"""Does a citation hold? `path:10`, `path:10-20` and `path#L10` in a turn, with the words quoted from there, if any.

Checked against the files as they are when the turn arrives. Nothing outside the project is opened.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from debate.secrets import is_secret_file, mask

MOST_CITATIONS = 500
MOST_BYTES = 16 * 1024 * 1024
MOST_KEY_LINES = 100
SHOWN = 160  # characters of a line in a note

# What a file's name may end in although the file is not there: a citation of it is then a false one, not a host name.
_ENDINGS = frozenset(
    """
    adoc astro awk bash bat bzl c cc cfg cjs clj cmake conf cpp cs css csv cue dart diff dockerfile el elm
    erl ex exs f90 fish fs go gql gradle graphql groovy h hcl hpp hs html htm ini ipynb java jl js json json5
    jsonc jsx kt kts less lock lua m md mdx mjs mk ml mli mm nim nix patch php pl plist pm po properties
    proto ps1 pug py pyi pyx r rake rb rego rs rst sass scala scss sh sol sql svelte svg swift tcl tex tf
    tfvars toml ts tsx txt vala vb vim vue wat xml xsd yaml yml zig zsh
    """.split()  # noqa: SIM905 a list of a hundred strings is harder to read
)
_NUMBERS = (
    r"(?::(?P<{0}a>\d{{1,7}})(?:[-–](?P<{0}b>\d{{1,7}}))?|\#L(?P<{0}c>\d{{1,7}})(?:-L?(?P<{0}d>\d{{1,7}}))?)"
)
_CITATION = re.compile(
    # a code span may hold a name with spaces; elsewhere a name is one word
    r"`(?P<span>[^`\n]{1,400}?)" + _NUMBERS.format("s") + r"`"
    # possessive: a path of 100,000 folders is tried once, not once a folder
    r"|(?<![\w/\\:@.#%&=+~-])(?P<word>/?[\w@+~.\-]++(?:/[\w@+~.\-]++)*+)"
    + _NUMBERS.format("w")
    + r"(?::\d{1,5})?(?![a-zA-Z0-9_/]|:[\w:]|[.\-–]\d)"
)
_PLACE = re.compile(r"(?::\d+(?:[-–]\d+)?(?::\d+)?|#L\d+(?:-L?\d+)?)$")
_QUOTE_FOLLOWS = re.compile(
    r"\s{0,2}(?:[:：—–-]|\()?\s{0,2}(?:`(?P<code>[^`\n]{4,300})`|[\"“](?P<said>[^\"”\n]{4,300})[\"”])"
)
_FENCE_FOLLOWS = re.compile(
    r"[`)\].,:：*_ \t]*\n(?:[ \t]*\n)?[ \t]{0,3}(?P<mark>`{3,}|~{3,})[^\n]*\n(?P<body>.*?)\n[ \t]{0,3}(?P=mark)",
    re.S,
)
# What may stand right before a path: a mention's sign, or words of a script without spaces.
_BEFORE = re.compile("[@\u0e00-\u0e7f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_ELISION = re.compile(r"\.{3}|…")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,3}|localhost", re.I)


@dataclass(frozen=True, slots=True)
class Citation:
    cited: str
    path: str
    first: int
    last: int
    quote: str | None = None


def citations(text: str, root: Path) -> list[Citation]:
    """What a text cites, each once, in order. Hosts, times and qualified names are no citations."""
    found: dict[tuple[str, int, int, str | None], Citation] = {}
    known: dict[str, tuple[str, str]] = {}
    for match in _CITATION.finditer(text):
        part = "s" if match["span"] else "w"
        written = match["span"] or match["word"]
        first = int(match[f"{part}a"] or match[f"{part}c"])
        last = int(match[f"{part}b"] or match[f"{part}d"] or first)
        if written not in known:
            path, before = _path(written.strip(), root, is_span=part == "s")
            behind = text[max(0, match.start() - 3) : match.start()]
            known[written] = (path if _is_a_name(path, root, behind) else "", before)
        path, before = known[written]
        if not path:
            continue
        cited = match[0].strip("`")[len(before) :]
        citation = Citation(cited, path, first, last, _quote_after(text, match.end()))
        found.setdefault((path, first, last, citation.quote), citation)
        if len(found) == MOST_CITATIONS:
            break
    return list(found.values())


def path_of(cited: str) -> str:
    """The file of a citation that was checked; it may be gone by now."""
    return _PLACE.sub("", cited).replace("\\", "/")


def check(found: list[Citation], root: Path) -> list[dict[str, str]]:
    """Each citation with its verdict; a file is read once, however often it is cited."""
    read: dict[str, list[bytes] | str] = {}
    base = os.path.realpath(root)
    checked = []
    for citation in found:
        if citation.path not in read:
            read[citation.path] = _lines(base, citation.path)
        checked.append({"cited": citation.cited, **_verdict(citation, read[citation.path], base)})
    return checked


def _path(path: str, root: Path, is_span: bool) -> tuple[str, str]:
    """What is cited, and what stands before it without a space, as in 见src/queue.py:4."""
    if os.path.lexists(root / path):
        return path, ""
    if is_span:
        return path.replace("\\", "/"), ""
    run = _BEFORE.match(path)
    ends = range(max(1, run.end() - 40), run.end() + 1) if run else ()
    for end in ends:
        if os.path.isfile(root / path[end:]):
            return path[end:], path[:end]
    if run and path[run.end() : run.end() + 1].isalnum():
        return path[run.end() :], run[0]
    return path, ""


def _is_a_name(path: str, root: Path, before: str) -> bool:
    if (
        "://" in path
        or before.endswith("//")
        or "::" in path
        or path.endswith(("/", "."))
        or _ADDRESS.fullmatch(path)
    ):
        return False
    if any(ord(c) < 32 for c in path):
        return False
    name = path.rsplit("/", 1)[-1]
    ending = name.rsplit(".", 1)[-1].lower() if "." in name[1:] else ""
    if ending in _ENDINGS and "@" not in path.split("/")[0][1:] and (" " not in path or "/" in path):
        return True
    # `app:3000` is a host, even where its folder is called so
    return os.path.lexists(root / path) and not os.path.isdir(root / path)


def _quote_after(text: str, at: int) -> str | None:
    """The words said to stand there: a code span or quotation right behind it, or a fence right below."""
    inline = _QUOTE_FOLLOWS.match(text, at)
    if inline:
        words = inline["code"] or inline["said"]
        return None if _CITATION.match(f"`{words}`") else words
    fence = _FENCE_FOLLOWS.match(text, at)
    return fence["body"] if fence and fence["body"].strip() else None


def _lines(base: str, path: str) -> list[bytes] | str:
    """The lines of a cited file, or why there are none to look at. Few are cited: only those are decoded."""
    try:
        real = os.path.realpath(os.path.join(base, path))
        if real != base and not real.startswith(base + os.sep):
            return "outside the project"
        entry = os.stat(real)
        if not stat.S_ISREG(entry.st_mode):
            return "not a file"
        if entry.st_size > MOST_BYTES:
            return "too large to check"
        with open(real, "rb", buffering=0) as file:
            data = file.read(entry.st_size + 1)  # a larger number would be set aside in memory first
    except (OSError, ValueError):
        return "no such file"
    if b"\0" in data[:8192]:
        return "binary"
    lines = data.split(b"\n" if b"\n" in data else b"\r")
    return lines if lines[-1] else lines[:-1]


def _verdict(citation: Citation, lines: list[bytes] | str, base: str) -> dict[str, str]:
    if isinstance(lines, str):
        return {"verdict": lines}
    if not 1 <= citation.first <= citation.last or citation.last > len(lines):
        return {"verdict": "line out of range", "note": f"the file has {len(lines)} lines"}
    if citation.quote is None:
        return {"verdict": "holds"}
    pieces = [
        flat for line in citation.quote.splitlines() for part in _ELISION.split(line) if (flat := _flat(part))
    ]
    last = max(
        citation.last, citation.first - 1 + len(citation.quote.splitlines())
    )  # a fence may show more than is cited
    there = _flat(_text(b"\n".join(lines[citation.first - 1 : last])))
    if all(piece in there for piece in pieces):
        return {"verdict": "holds"}
    return {"verdict": "quote differs", "note": _instead(citation, lines, base)}


def _instead(citation: Citation, lines: list[bytes], base: str) -> str:
    """The nearest line, as it may stand in a record and in a prompt: nothing of it that looks like a key."""
    real = os.path.relpath(os.path.realpath(os.path.join(base, citation.path)), base)
    if is_secret_file(citation.path) or is_secret_file(real):
        return "the file is made for secrets, and not shown"
    number = _nearest(citation, lines)
    above = lines[max(0, number - MOST_KEY_LINES) : number - 1]
    begun = [at for at, line in enumerate(above) if b"-----BEGIN" in line]  # a key has many lines
    around = [*above[begun[0] :], *lines[number - 1 : number + MOST_KEY_LINES]] if begun else []
    shown, _ = mask(_text(b"\n".join(around or lines[number - 1 : number])))
    line = shown.split("\n")[len(above) - begun[0] if begun else 0]
    return f"nearest, line {number}: {line.strip()[:SHOWN]}"


def _nearest(citation: Citation, lines: list[bytes]) -> int:
    """The line most like the quoted one: the same words elsewhere, else the most similar around the cited place."""
    wanted = next(_flat(line) for line in (citation.quote or "").splitlines() if line.strip())
    longest = max(
        wanted.split(), key=len
    ).encode()  # looked for first: it costs less than flattening every line
    for number, line in enumerate(lines, 1):
        if longest in line and wanted in _flat(_text(line)):
            return number
    around = range(max(1, citation.first - 200), min(len(lines), citation.last + 200) + 1)
    pairs = _pairs(wanted)

    def likeness(number: int) -> float:
        other = _pairs(_flat(_text(lines[number - 1]))[:400])
        return len(pairs & other) / (len(pairs) + len(other) or 1)

    return max(around, key=likeness)


def _pairs(text: str) -> set[tuple[str, str]]:
    """Its neighbouring characters, in any script: texts are alike that share many."""
    return set(pairwise(text))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _flat(text: str) -> str:
    """White space does not make a quotation false."""
    return " ".join(text.split())
