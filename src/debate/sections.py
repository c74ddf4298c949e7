"""Reading agents' Markdown: the sections under known headings, wherever fences and lists may stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from debate.model import BadInput

_HEADING = re.compile(r"(#{1,6})(?:[ \t](.*))?")
# Where a line that looks like a heading may be none, or another one be a heading: fences, HTML, indented or underlined
# lines. Without any of them there is no need for the parser, whose import a submit would feel.
_DOUBTFUL = re.compile(r"```|~~~|^[ \t]*<|^[ \t]+#|^[ \t]*(?:=+|-+)[ \t]*$|\0", re.MULTILINE)


_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)、])(?:\s+|$)")


def sections(text: str, headings: Mapping[str, str]) -> dict[str, str]:
    """The text under each known heading, by key. A heading inside a fence is no heading."""
    keys = {_plain(heading): key for key, heading in headings.items()}
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    starts = [
        (first, level, keys.get(_plain(words)), end) for first, level, words, end in _headings(text, lines)
    ]
    found: dict[str, str] = {}
    for place, (_, level, key, begin) in enumerate(starts):
        if key is None or key in found:
            continue
        end = next((s[0] for s in starts[place + 1 :] if s[2] is not None or s[1] <= level), len(lines))
        found[key] = "\n".join(lines[begin:end]).strip()
    return found


def _headings(text: str, lines: list[str]) -> Iterator[tuple[int, int, str, int]]:
    """Every heading that stands in nothing else: its first line, its level, its words, and the line after it."""
    if not _DOUBTFUL.search(text):
        for place, line in enumerate(lines):
            if heading := _HEADING.fullmatch(line):
                yield place, len(heading[1]), (heading[2] or "").rstrip("# \t").strip(), place + 1
        return
    from markdown_it import MarkdownIt

    for token, inline in pairwise(MarkdownIt("commonmark").parse(text)):
        if token.type == "heading_open" and token.map and token.level == 0:
            yield token.map[0], int(token.tag[1]), inline.content, token.map[1]


def front_matter_or_sections(text: str, headings: Mapping[str, str]) -> dict[str, str]:
    """The same parts given as YAML front matter, as Markdown sections, or some this way and some that."""
    given: dict[str, Any] = {}
    if text.startswith("---\n"):
        import frontmatter
        import yaml

        try:
            given, text = frontmatter.parse(text)
        except (yaml.YAMLError, ValueError) as error:  # such as a date with month 13
            raise BadInput(
                f"The front matter is not YAML: {str(error).splitlines()[0]}.",
                suggestion="Quote its values, or write sections such as “## Agreed” instead.",
            ) from None
    names = {_plain(heading): key for key, heading in headings.items()}
    parts = {names.get(_plain(str(key)), str(key)): _as_text(value) for key, value in given.items()}
    return {
        key: value for key, value in (parts | sections(text, headings)).items() if key in headings and value
    }


def items(text: str) -> list[str]:
    """The entries of a list, one a line."""
    found = [_BULLET.sub("", line).strip() for line in text.splitlines()]
    return [line for line in found if line and line.lower() not in ("none", "none.", "-", "n/a")]


def _plain(heading: str) -> str:
    return heading.replace("_", " ").replace("’", "'").strip(" *:#`").lower()


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {entry}" for entry in value)
    return "" if value is None else str(value).strip()
