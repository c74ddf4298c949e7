"""Programs with a language of their own: does this sed or awk script only print?"""

from __future__ import annotations

from debate.guard.shell.options import Options
from debate.guard.shell.values import ANY, INT, Arg, has_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from debate.guard.shell.walk import Walk


def sed(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, "efl", ("expression", "file", "line-length"))
    scripts = options.values("e", "expression")
    files = list(options.operands)
    if not scripts and files and not options.has("f", "file"):
        scripts, files = [files[0].text], files[1:]
    in_place = options.has_any("iI", ("in-place",))
    if options.has("f", "file", "s_") or options.has_any("", ("file",)):
        walk.ask("sed runs a script from a file")
    elif not scripts or any(a.many for a in options.operands[:1]) or not all(map(sed_only_prints, scripts)):
        walk.ask("this sed script may write or run something, or is not known")
    elif in_place:
        for file in files:
            walk.writes(ANY if file.many else file.text)
        if not files:
            walk.ask("sed writes in place")
    elif options.unsure and (len(files) != 1 or files[0].many):
        # One name alone cannot be told to sed as an option and still name a file to change.
        walk.ask("sed gets files whose names are not known; one of them may be an option")


def awk(walk: Walk, arguments: list[Arg]) -> None:
    rest = list(arguments)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0)
        if not option.known and not option.text.startswith(("-F", "-v")):
            walk.ask("awk gets an option that is not known")
            return
        if option.text in ("-F", "-v"):
            rest = rest[1:]
        elif option.text == "--":
            break
        elif not option.text.startswith(
            ("-F", "-v", "--field-separator=", "--assign=", "--re-interval", "--posix")
        ):
            walk.ask("awk is told to load, to write or to run something")
            return
    if not rest or rest[0].many or not awk_only_prints(rest[0].text):
        walk.ask("this awk program may write or run something, or is not known")


def sed_only_prints(script: str) -> bool:
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
            if one.isdigit() or one in ("$", ",", "~", "+", "!", " ", "\t"):
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
        if not mark or mark in "\n\\":
            return False
        self.at += 1
        while self.peek() != mark:
            if not self.peek() or self.peek() == "\n":
                return False
            if self.peek() == "\\":
                self.at += 1
            elif self.peek() == "[" and bracket and mark != "]":
                self.at += 1
                self.at += self.peek() == "^"
                self.at += self.peek() == "]"
                while self.peek() and self.peek() not in "]\n":
                    if self.peek() == mark:
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
            start = self.at
            while self.peek() and self.peek() not in ";\n}":
                self.at += 1
            return all(c.isalnum() or c in " _-" for c in self.text[start : self.at])
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
        while self.peek() and (self.peek() in " \t" or (digits and self.peek().isdigit())):
            self.at += 1
        return self.peek() in ("", ";", "\n", "}", "#")


_AWK_RISKS = ("system", "|", ">", "getline")
_BEFORE_PATTERN = frozenset(
    ("print", "printf", "return", "in", "getline", "case", "else", "do", "exit", "next")
)


def awk_only_prints(program: str) -> bool:
    """No pipe, no system(), no output to a file, nothing loaded: strings, patterns and comments are passed over."""
    text = program.replace(INT, "1")
    if has_marks(text) or "@" in _outside_strings(text) or "/inet" in text:
        return False
    at, depth, printing, before = 0, 0, -1, ""
    while at < len(text):
        one = text[at]
        if one == '"':
            at = _past_string(text, at)
            before = '"'
            continue
        if one == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if one == "/" and before in (")", "+", "-") and any(word in text[at:] for word in _AWK_RISKS):
            return False  # a pattern or a division: what follows could be read in two ways
        if one == "/" and not (before.isalnum() or before in (")", "]", '"', "$")):
            at = _past_pattern(text, at)
            if at < 0:
                return False
            before = "/"
            continue
        if one.isalpha() or one == "_":
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            word = text[at:end]
            if word == "system":
                return False
            if word in ("print", "printf"):
                printing = depth
            # After these a slash begins a pattern, after any other word it divides.
            before = " " if word in _BEFORE_PATTERN else "a"
            at = end
            continue
        if one == "|":
            if text[at : at + 2] != "||":
                return False
            at += 2
            before = "|"
            continue
        depth += (one in "([") - (one in ")]")
        if one in ";\n{}":
            printing = -1
        if one == ">" and printing >= 0 and depth <= printing:
            target = text[at + 1 :].lstrip("> \t")
            if not target.startswith(('"/dev/stderr"', '"/dev/stdout"', '"/dev/null"')):
                return False
        if one == "\n":
            before = ";"
        elif not one.isspace():
            before = one
        at += 1
    return True


def _past_string(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _past_pattern(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != "/":
        if text[at] == "\n":
            return -1
        if text[at] == "[":
            end = text.find("]", at + 2)
            if end < 0 or "/" in text[at:end]:
                return -1
            at = end
        at += 2 if text[at] == "\\" else 1
    return at + 1 if at < len(text) else -1


def _outside_strings(text: str) -> str:
    found, at = "", 0
    while at < len(text):
        if text[at] == '"':
            at = _past_string(text, at)
        else:
            found += text[at]
            at += 1
    return found


RULES: dict[str, Callable[[Walk, list[Arg]], None]] = {
    "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk,
}  # fmt: skip
