"""Code: the files that a topic is about, and the places in them that it names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice, repeat

from debate.context.git import quoted
from debate.context.listing import RECORDS, Files
from debate.context.page import Page
from debate.context.topic import Topic

MOST_SEARCHED = 6_000  # files whose content is looked into, and so many bytes in all
MOST_BYTES = 48 * 1024 * 1024
MOST_SHOWN = 8  # files of which places are shown
MOST_PLACES = 3  # in one file
MOST_LINES = 32  # in one place
LONGEST_LINE = 240
COMMON = 200  # a word in so many names says little

_NO_TEXT = """
.png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .tgz .xz .bz2 .7z .jar .war .class .o .a .so .dylib .dll .exe .wasm .woff
.woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .wav .pyc .bin .dat .db .sqlite .parquet .npy .pkl .map .min.js .min.css"""
_BINARY = tuple(_NO_TEXT.split())
_ASIDE = re.compile(
    r"(?:^|[/._-])(?:tests?|specs?|__tests__|fixtures?|examples?|docs?|vendor|third_party|node_modules)(?=[/._-])",
    re.I,
)
_PROSE = re.compile(r"\.(?:md|rst|txt|adoc|lock|sum|json|ya?ml|toml|svg|html|css|po)$|-lock\.\w+$", re.I)
_MODIFIER = (
    r"(?:export|default|public|private|protected|internal|static|async|final|abstract|pub(?:\([^)]*\))?|unsafe|extern|inline"
    r"|virtual|override|sealed|data|open|partial|declare|readonly)[ \t]+"
)
_DEFINES = (
    rf"^[ \t]*(?:{_MODIFIER})*(?:(?:def|class|function\*?|func(?:\s*\([^)]*\))?|fn|fun|interface|type|struct|enum|trait"
    r"|impl|module|namespace|macro_rules!|const|let|var|val|object|record|protocol|extension|sub|proc|message|service"
    r"|table)[ \t]+)"
)
_CALLS = "(?:return|await|yield|else|new|throw|raise|if|elif|for|while|switch|case|not|and|or|in|assert|print|echo)"
_DEFINITION = re.compile(rf"{_DEFINES}(?P<name>[\w$.]+)", re.M)


@dataclass
class Found:
    """A file with the reasons that speak for it."""

    path: str
    score: float = 0
    why: list[str] = field(default_factory=list)

    def add(self, score: float, why: str) -> None:
        self.score += score
        if why not in self.why:
            self.why.append(why)


@dataclass(frozen=True)
class Search:
    files: list[Found]  # most relevant first
    is_named: bool  # the topic names one of them, or code in it
    not_searched: int

    @property
    def is_likely(self) -> bool:
        """Some file is about it, not just one that happens to hold a word of it."""
        return bool(self.files) and self.files[0].score >= 1


def search(files: Files, topic: Topic) -> Search:
    found: dict[str, Found] = {}

    def of(path: str) -> Found:
        return found.setdefault(path, Found(path))

    for name in topic.paths:
        paths = files.named(name) or (files.containing(f"{name.lower()}/", 20) if "/" in name else [])
        for path in paths:
            of(path).add(60 / len(paths) ** 0.5, "named in the topic")
    for name in topic.names:
        for path in files.containing(_joined(name), COMMON, joined=True):
            of(path).add(20, f"named like `{name}`")
    is_named = bool(found)
    for word in topic.words:
        alike = [path for path in files.containing(word, COMMON) if word in _parts(path)]
        for path in alike:
            stem = path.rpartition("/")[2].partition(".")[0].lower()
            of(path).add((12 if stem == word else 5) / math.log2(1 + len(alike)), f"named like `{word}`")
    for path in _in_other_scripts(files, topic):
        of(path).add(30, "named in the topic")
    content = _Content(files, topic)
    for path, score, why, by_name in content.look(found):
        of(path).add(score, why)
        is_named = is_named or by_name
    ranked = sorted(found.values(), key=lambda one: (-one.score * _weight(one.path), one.path))
    wanted = [one for one in ranked if not one.path.startswith(RECORDS)]
    return Search(wanted, is_named, content.not_searched)


def write(page: Page, files: Files, topic: Topic, result: Search) -> None:
    likely = [one for one in result.files[: 2 * MOST_SHOWN] if one.score * 50 > result.files[0].score]
    chosen = [one for one in likely if files.lies_inside(one.path)]
    if not chosen:
        page.add("Nothing in this repository is named like anything in the topic.")
    page.add_list("Files, most relevant first:", [_line(one) for one in chosen], 0.3, "relevant files")
    without = 0
    for one in chosen[:MOST_SHOWN]:
        data = files.read(one.path)
        if not data:
            continue
        # masked as a whole: a key may begin above the lines that are shown
        lines = page.masked(_text(data)).splitlines()
        if not _write_places(page, one.path, lines, topic):
            without += 1
    if without:
        page.leave_out(f"places in {without} of these files, for want of room")
    if result.not_searched:
        asked = " ".join(f"-e {name}" for name in topic.names) or "-e WORD"
        page.leave_out(
            f"what {result.not_searched:,} of {len(files):,} files hold was not searched: git grep -n -w -F {asked}"
        )


def _text(data: bytes) -> str:
    """With the lines that git and the check of citations count: a form feed ends none."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    text = text if "\n" in text else text.replace("\r", "\n")
    return text.replace("\u2028", " ").replace("\u2029", " ")  # the other ends are not shown at all


class _Content:
    """What the topic names, looked for in the files themselves: first in those with a fitting name."""

    def __init__(self, files: Files, topic: Topic) -> None:
        self.files, self.not_searched = files, 0
        self.names = [(name, name.encode()) for name in topic.names]
        self.words = [(word, word.encode()) for word in topic.words if len(word) > 3]

    def look(self, first: Iterable[str]) -> Iterator[tuple[str, float, str, bool]]:
        if not self.names and not self.words:
            return
        rest = (path for path in self.files.paths if not path.endswith(_BINARY))
        paths = list(islice(dict.fromkeys(chain(first, islice(rest, MOST_SEARCHED))), MOST_SEARCHED))
        hits: dict[str, list[tuple[str, bytes]]] = {term: [] for term, _ in [*self.names, *self.words]}
        left = MOST_BYTES
        for number, path in enumerate(paths):
            if left <= 0:
                paths = paths[:number]
                break
            data = self.files.read(path)
            if not data or path.startswith(RECORDS):
                continue
            left -= len(data)
            lower = data.lower() if self.words else b""
            for (term, needle), text in chain(zip(self.names, repeat(data)), zip(self.words, repeat(lower))):
                if needle in text and len(hits[term]) < COMMON:
                    hits[term].append((path, data))
        self.not_searched = len(self.files) - len(paths)
        for name, needle in self.names:
            yield from self._judge(name, needle, hits[name], 30, 6)
        for word, needle in self.words:
            yield from self._judge(word, needle, hits[word], 4, 0.5)

    def _judge(
        self, term: str, needle: bytes, hits: list[tuple[str, bytes]], defined: float, mentioned: float
    ) -> Iterator[tuple[str, float, str, bool]]:
        """A definition says more than a mention; what stands everywhere says nothing."""
        is_name = defined > 10
        whole = re.compile(rb"(?<![\w$])" + re.escape(needle) + rb"(?![\w$])", 0 if is_name else re.I)
        rare = math.log2(2 + len(hits))
        for path, data in hits:
            if _definition_of(term, is_name, path).search(data.decode("utf-8", "replace")):
                yield path, defined / rare, f"defines `{term}`", is_name
            elif count := len(whole.findall(data)):
                yield path, mentioned * min(count, 5) / 5 / rare, f"mentions `{term}`", is_name


@cache
def _definition_of(term: str, is_name: bool, path: str) -> re.Pattern[str]:
    """Where a term is defined, in most languages: after a keyword, by `=`, or as a function after its types."""
    word = re.escape(term)
    if _PROSE.search(path):
        return re.compile(rf"^#{{1,6}} .*(?<!\w){word}(?!\w)", re.M | re.I)
    if not is_name:
        return re.compile(rf"{_DEFINES}\w*{word}\w*", re.M | re.I)
    return re.compile(
        rf"{_DEFINES}(?:[\w$]+\.)?{word}\b|^[ \t]*(?:[\w$]+\.)?{word}[ \t]*(?::[^=\n]+)?:?=[^=]"
        rf"|^[ \t]*(?!{_CALLS}\b)(?:[\w<>\[\],.&*:?]+[ \t]+){{1,5}}[&*]?{word}[ \t]*\([^;\n]*$"
        rf"|^[ \t]*{word}[ \t]*\([^;\n]*\)[^;\n]*\{{[ \t]*$",
        re.M,
    )


def _write_places(page: Page, path: str, lines: list[str], topic: Topic) -> bool:
    places = [(0, len(lines))] if len(lines) <= MOST_LINES else _places(path, lines, topic)
    for start, end in places:
        numbered = [_numbered(number, lines[number - 1]) for number in range(start + 1, end + 1)]
        if not page.add("", f"{quoted(path)}:{start + 1}-{end}", *numbered):
            return False
    if not places and (
        outline := [_numbered(n, line) for n, line in enumerate(lines, 1) if _DEFINITION.match(line)]
    ):
        return page.add("", f"{quoted(path)}, its definitions:", *outline[:MOST_LINES])
    return True


def _places(path: str, lines: list[str], topic: Topic) -> list[tuple[int, int]]:
    """Ranges of lines: definitions of what the topic names, then of what its words are part of, then mentions."""
    text = "\n".join(lines)
    defined = [_definition_of(name, True, path) for name in topic.names]
    defined += [_definition_of(word, False, path) for word in topic.words if len(word) > 3]
    mentioned = [re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])") for name in topic.names]
    places: list[tuple[int, int]] = []
    for match in chain.from_iterable(pattern.finditer(text) for pattern in defined):
        line = text.count("\n", 0, match.start())
        if not any(start <= line < end for start, end in places):
            places.append((line, _block_end(lines, line)))
    for match in chain.from_iterable(pattern.finditer(text) for pattern in mentioned if not places):
        line = text.count("\n", 0, match.start())
        if not any(start <= line < end for start, end in places):
            places.append((max(0, line - 3), min(len(lines), line + 4)))
    return sorted(places[:MOST_PLACES])


def _block_end(lines: list[str], at: int) -> int:
    """Where the block that begins here ends, by its indentation."""
    end = min(len(lines), at + MOST_LINES)
    for number in range(at + 1, end):
        line = lines[number]
        if line.strip() and _indent(line) <= _indent(lines[at]):
            end = number + (line.lstrip()[0] in ")}]e")  # its closing line belongs to it: `}`, `end`
            break
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _in_other_scripts(files: Files, topic: Topic) -> list[str]:
    """Names that are not ASCII are looked for the other way round: is the file's name in the topic?"""
    if topic.text.isascii() or files.are_ascii:
        return []
    named = [path for path in files.paths if not path.isascii()][:COMMON]
    stems = ((path, path.rpartition("/")[2].rpartition(".")[0]) for path in named)
    return [path for path, stem in stems if len(stem) > 1 and stem in topic.text]


def _weight(path: str) -> float:
    return (0.5 if _ASIDE.search(path) else 1) * (0.5 if _PROSE.search(path) else 1)


def _parts(path: str) -> set[str]:
    """The words that a path is made of, and each with its plural taken off."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[^\W\d_]+", path)]
    return {*words, *(word.removesuffix("s") for word in words), *(f"{word}s" for word in words)}


def _joined(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _numbered(number: int, line: str) -> str:
    return f"{number:>5}  {line[:LONGEST_LINE]}"


def _line(one: Found) -> str:
    return f"{quoted(one.path)} ({', '.join(one.why[:3])})"
