"""An argument, and the marks that stand for what is not known of one, so that a rule sees `-n` and `src/?` for what
they are. A mark is not a character, by Unicode's own word: a command that holds one is refused.
"""

from __future__ import annotations

ANY = "\ufdd0"  # anything, nothing included
INT = "\ufdd1"  # digits, perhaps with a sign, or nothing
TOKEN = "\ufdd2"  # one or more words that begin with no dash: hashes, names of branches, of the project's own files
PATH = "\ufdd3"  # one line that begins with neither a dash nor a blank
TEMP = "\ufdd4"  # a fresh path in the temporary folder
CHILD = "\ufdd5"  # the path of a process that stands in the command itself
MARKS = ANY + INT + TOKEN + PATH + TEMP + CHILD


class Arg:
    """One argument; `many` says that it may be several, or none."""

    __slots__ = ("many", "text")

    def __init__(self, text: str, many: bool = False) -> None:
        self.text, self.many = text, many

    @property
    def known(self) -> bool:
        return not self.many and not has_marks(self.text)

    @property
    def may_be_option(self) -> bool:
        return self.text[:1] in ("-", ANY) or (self.text[:1] == "" and self.many)

    def __repr__(self) -> str:
        return f"Arg({self.text!r}{', many' if self.many else ''})"


def has_marks(text: str) -> bool:
    return any(mark in text for mark in MARKS)


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def is_digits(text: str) -> bool:
    """Of bash's kind: Python takes those of every script for digits."""
    return text.isascii() and text.isdigit()


def is_number(text: str) -> bool:
    """For sure, perhaps with a sign."""
    return is_digits(text.removeprefix("-").replace(INT, "0"))
