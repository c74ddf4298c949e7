"""What a record is called, and how it is found again from part of its name."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

from debate.model import BadInput, OutOfReach, Unknown

if TYPE_CHECKING:
    from pathlib import Path  # its import costs more than a look at a thousand names

FOLDER = ".debates"
MOST_CHARACTERS = 60
MOST_BYTES = 180  # with date, counter and ending a name stays below the 255 bytes that file systems allow
LONGEST_TOPIC = 4000


def slug(topic: str) -> str:
    """Letters and digits of any script, the rest as hyphens: with no separator it never leaves its folder."""
    short = ""
    for character in unicodedata.normalize("NFC", unicodedata.normalize("NFC", topic).lower()):
        kind = unicodedata.category(character)[0]
        # An accent needs its letter: emoji bring marks of their own, which alone make an invisible name.
        kept = kind in "LN" or (kind == "M" and short[-1:] not in ("", "-"))
        more = character if kept else "-"
        if more == "-" and short[-1:] in ("", "-"):
            continue
        if len(short) == MOST_CHARACTERS or len((short + more).encode()) > MOST_BYTES:
            break
        short += more
    return short.strip("-") or "debate"


def check_topic(topic: str) -> str:
    topic = topic.strip()
    if not topic:
        raise BadInput(
            "A debate needs a topic.", suggestion='Say what to argue about: debate start "merge this?"'
        )
    if "\0" in topic or not _is_utf8(topic):
        raise BadInput(
            "The topic holds a NUL byte or is not UTF-8.", suggestion="Give the topic as plain text."
        )
    if len(topic) > LONGEST_TOPIC:
        raise BadInput(
            f"The topic has {len(topic):,} characters; at most {LONGEST_TOPIC:,} fit.",
            suggestion="Put the question in a sentence or two; the agents read long material from files.",
        )
    return topic


def project_root(start: Path) -> Path:
    return type(start)(root_above(str(start)))


def root_above(start: str) -> str:
    """The folder whose decisions are argued: the nearest one up that git or older debates mark, else this one."""
    folder, above = start, os.path.dirname(start)
    while not (os.path.exists(os.path.join(folder, ".git")) or os.path.isdir(os.path.join(folder, FOLDER))):
        if above == folder:
            return start
        folder, above = above, os.path.dirname(above)
    return folder


def stems(root: Path | str) -> list[str]:
    """Every record's id, newest first."""
    return records_and_others(root)[0]


def records_and_others(root: Path | str) -> tuple[list[str], list[str]]:
    """And what is called like a record, but is no file, or has a name that cannot be printed."""
    folder = os.path.join(root, FOLDER)
    records: list[str] = []
    others: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(".md") and not name.startswith("."):
                    sound = entry.is_file(follow_symlinks=False) and _is_utf8(name)
                    (records if sound else others).append(name[:-3])
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        raise OutOfReach(
            f"{folder} cannot be read: {error.strerror}.", suggestion="Check its permissions."
        ) from None
    return sorted(records, reverse=True), others


def find(root: Path, given: str) -> str:
    """The id that was meant: exact, as a path, or any unambiguous part of it."""
    folder = root / FOLDER
    wanted = _name(folder, given.replace("\0", "")).removesuffix(".md")
    known = stems(root)
    if wanted in known:
        return wanted
    if wanted and os.path.lexists(folder / f"{wanted}.md"):
        return wanted  # no file, or no name of ours: reading it says what is wrong
    matches = [stem for stem in known if wanted and _plain(wanted) in _plain(stem)]
    matches = [stem for stem in matches if _plain(wanted) == _plain(stem)] or matches
    if len(matches) == 1:
        return matches[0]
    shown = repr(given if len(given) <= 80 else f"{given[:80]}…")
    if matches:
        raise Unknown(
            f"{shown} fits {len(matches)} debates.", suggestion="Name one of: " + ", ".join(matches[:5])
        )
    from difflib import get_close_matches

    near = get_close_matches(wanted[:200], known, n=3, cutoff=0.4) or known[:3]
    raise Unknown(
        f"There is no debate {shown} in {folder}.",
        suggestion=("Did you mean: " + ", ".join(near)) if near else 'Start one: debate start "topic"',
    )


def _name(folder: Path, given: str) -> str:
    """A file name without its path, if that leads to the folder; empty if it leads elsewhere."""
    path, slash, name = given.rpartition("/")
    here = not slash or path == FOLDER or os.path.realpath(path) == os.path.realpath(folder)
    return name if here else ""


def _is_utf8(text: str) -> bool:
    """Not so for half a character, or for a file name in another encoding: neither can be printed."""
    return text.isascii() or text.encode("utf-8", "ignore").decode() == text


def _plain(name: str) -> str:
    """As people type it: in any case, with accents composed or not."""
    return unicodedata.normalize("NFC", name).casefold()
