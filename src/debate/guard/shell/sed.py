"""Does this sed script only print?"""

from __future__ import annotations

import sys

from debate.guard.shell.marks import ANY, INT, Arg, has_marks, is_digits
from debate.guard.shell.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from debate.guard.shell.walk import Walk

_OPTIONS = """
    nErsuzb e: f: --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --posix
    --debug --sandbox --follow-symlinks --binary --in-place? --expression= --file=
"""


def judge(walk: Walk, arguments: list[Arg], on_mac: bool = sys.platform == "darwin") -> None:
    # What is behind -i, or in the next word on a Mac, is the ending of a copy that is kept.
    options = Options(arguments, _OPTIONS + ("I: i:" if on_mac else "i?"))
    scripts = options.values("-e", "--expression")
    files = list(options.operands)
    certain = True
    if not scripts and files:
        certain = not files[0].many or not has_marks(files[0].text.replace(INT, ""))
        scripts, files = [files[0].text], files[1:]
    if options.has("-f", "--file"):
        walk.ask("sed runs a script from a file")
    elif options.unknown:
        walk.ask(f"sed gets {options.unknown[0]}, which is not known")
    elif not scripts or not certain or not all(map(only_prints, scripts)):
        walk.ask("this sed script may write or run something, or is not known")
    elif options.unsure:
        walk.ask("sed gets files whose names are not known; one of them may be an option")
    elif options.has("-i", "-I", "--in-place"):
        for file in files:
            walk.writes(ANY if file.many else file.text)
        if not files:
            walk.ask("sed writes in place")


def judge_gnu(walk: Walk, arguments: list[Arg]) -> None:
    judge(walk, arguments, on_mac=False)


def only_prints(script: str) -> bool:
    """Whether every command of the script is known, and none writes a file or runs a program."""
    text = script.replace(INT, "1")
    return not has_marks(text) and _Sed(text).is_safe()


class _Sed:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def is_safe(self) -> bool:
        while self.at < len(self.text):
            if self.peek() in " \t\n;{}":
                self.at += 1
            elif self.peek() == "#":
                self.line()
            elif not (self.addresses() and self.command()):
                return False
        return True

    def line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end + 1

    def addresses(self) -> bool:
        while True:
            one = self.peek()
            if is_digits(one) or one in ("$", ",", "~", "+", "!", " ", "\t"):
                self.at += 1
            elif one in ("/", "\\"):
                if one == "\\":
                    self.at += 1
                if not self.delimited(self.peek()):
                    return False
                while self.peek() in ("I", "M"):
                    self.at += 1
            else:
                return True

    def delimited(self, mark: str, bracket: bool = True) -> bool:
        """Past the text between the mark here and the next one; `[/]` holds none."""
        if not mark or mark in "\n\\[]":
            return False
        self.at += 1
        while self.peek() != mark:
            if not self.peek() or self.peek() == "\n":
                return False
            if self.peek() == "\\":
                self.at += 1
            elif self.peek() == "[" and bracket:
                self.at += 1
                self.at += self.peek() == "^"
                self.at += self.peek() == "]"
                while self.peek() and self.peek() not in "]\n":
                    if self.peek() == "\\" and self.text[self.at + 1 : self.at + 2] == mark:
                        self.at += 1
                    elif self.peek() == mark or self.text.startswith("\\]", self.at):
                        return False  # GNU and BSD read this differently
                    self.at += 1
                if self.peek() != "]":
                    return False
            self.at += 1
        self.at += 1
        return True

    def command(self) -> bool:
        one = self.peek()
        self.at += 1
        if one == "{":
            return True
        if one in tuple("pPdDgGhHxnNz=l}"):
            return self.ends(digits=one == "l")
        if one in ("q", "Q"):
            return self.ends(digits=True)
        if one in tuple("aic"):  # text up to the end of the line
            while True:
                start = self.at
                self.line()
                if not self.text[start : self.at].rstrip("\n").endswith("\\"):
                    return True
        if one in tuple(":btT"):
            while self.peek() == " ":
                self.at += 1
            while self.peek().isalnum() or self.peek() in ("_", "-"):
                self.at += 1
            return self.ends()
        if one == "y":
            mark = self.peek()
            if not self.delimited(mark, bracket=False):
                return False
            self.at -= 1
            return self.delimited(mark, bracket=False) and self.ends()
        if one == "s":
            mark = self.peek()
            if not self.delimited(mark):
                return False
            self.at -= 1
            if not self.delimited(mark, bracket=False):
                return False
            while self.peek() and self.peek() in "gpiIM0123456789":
                self.at += 1
            return self.ends()
        return False

    def ends(self, digits: bool = False) -> bool:
        while self.peek() and (self.peek() in " \t" or (digits and is_digits(self.peek()))):
            self.at += 1
        return self.peek() in ("", ";", "\n", "}", "#")
