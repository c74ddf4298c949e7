"""The front matter: what a record says about itself. People edit it, so reading it never fails, and changing one
value leaves every other line as it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_BOM = b"\xef\xbb\xbf"
_BLOCK = re.compile(rb"(?:%s)?---[ \t]*\r?\n(.*?)^---[ \t]*\r?(?:\n|\Z)" % _BOM, re.DOTALL | re.MULTILINE)
_TEXTS = ("debate", "format", "topic", "date", "status", "outcome", "language", "commit", "agent", "why")
# A line as we write it: a key with its text, null or a list below it, or an item of that list. A text is quoted, or
# begins with a letter or a date and a hyphen, or is a commit: YAML then takes it for nothing else.
_WRITTEN = re.compile(
    rf"(?:(?P<key>{'|'.join(_TEXTS)}|participants):|-)"
    r"(?: (?:(?P<null>null)|'(?P<quoted>[^']*)'|"
    r"(?P<plain>(?:[^\W\d_]|[0-9]{4}(?:-[0-9]{2}){2}-)(?:.*[^\s:])?|[0-9a-f]*[acdef][0-9a-f]*)))?"
)
_NO_TEXT = re.compile(r"(?i:null|true|false|yes|no|on|off)|.*(?:: | #).*")


def opens(head: bytes) -> bool:
    return head.removeprefix(_BOM).startswith((b"---\n", b"---\r\n"))


def end(head: bytes) -> int:
    """Where the front matter ends, 0 without one."""
    block = _BLOCK.match(head)
    return block.end() if block else 0


def values(head: bytes) -> dict[str, Any]:
    block = _BLOCK.match(head)
    if block:
        return _parse(block[1])
    if opens(head):  # its end was cut off, or deleted
        return _parse(head.partition(b"\n")[2].partition(b"\n\n")[0])
    return {}


def render(values: Mapping[str, Any]) -> bytes:
    return b"---\n" + _yaml(values) + b"---\n"


def change(front: bytes, changes: Mapping[str, Any]) -> bytes:
    """The front matter with other values for these keys."""
    block = _BLOCK.match(front)
    assert block, "there is one: `end` is not 0, or `render` made it"
    text: bytes = block[1]
    for key, value in changes.items():
        line = _yaml({key: value})
        # The key's own line and what belongs to it: indented lines, list items, and blank lines between them.
        old = rb"^%s[ \t]*:.*\n(?:(?:\r?\n)*[ \t-].*\n)*" % re.escape(key.encode())
        text, there = re.subn(old, line.replace(b"\\", rb"\\"), text, flags=re.MULTILINE)
        text += b"" if there else line
    return front[: block.start(1)] + text + b"---\n"


def _parse(block: bytes) -> dict[str, Any]:
    text = block.decode("utf-8", "replace")
    values = _parse_as_written(text)
    if values is None:
        import yaml

        try:
            values = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except Exception:  # not only YAMLError: month 13 is a ValueError, a bad tag whatever it likes
            values = None
    if not isinstance(values, dict):
        lines = (line.partition(":") for line in text.splitlines() if not line.startswith((" ", "-", "#")))
        values = {key.strip(): value.strip().strip("'\"") for key, colon, value in lines if colon}
    return {key: _text(value) if key in _TEXTS else value for key, value in values.items()}


def _parse_as_written(text: str) -> dict[str, Any] | None:
    """What YAML makes of lines as we write them; None if there is any other. Every command reads these lines, people
    rarely edit them, and importing PyYAML would cost a submit more than all its work."""
    values: dict[str, Any] = {}
    items: list[str] | None = None  # of the list that the lines above began
    for line in text.removesuffix("\n").split("\n"):
        written = _WRITTEN.fullmatch(line) if line.isprintable() else None
        if written is None or _NO_TEXT.fullmatch(written["plain"] or ""):
            return None
        key, value = written["key"], written["plain"] or written["quoted"]
        if key and (value is not None or written["null"]):
            values[key], items = value, None
        elif key:
            values[key] = items = []
        elif items is not None and value is not None:
            items.append(value)
        else:
            return None
    return values if [] not in values.values() else None


def _text(value: object) -> str | None:
    """Text whatever YAML made of it: `topic: 2026` is a number to it, an unquoted date a date."""
    if value is None or isinstance(value, (dict, list, set, tuple)):
        return None
    return str(value).encode("utf-8", "replace").decode()


def _yaml(values: Mapping[str, Any]) -> bytes:
    import yaml

    # PyYAML leaves U+0085 as it is, and then reads it as the end of a line.
    plain = not any("\x85" in value for value in values.values() if isinstance(value, str))
    text: str = yaml.safe_dump(dict(values), allow_unicode=plain, sort_keys=False, width=10_000)
    return text.encode()
