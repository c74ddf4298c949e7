"""Does this awk program only print?"""

from __future__ import annotations

from debate.guard.shell.marks import ANY, INT, Arg, has_marks
from debate.guard.shell.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from debate.guard.shell.walk import Walk


def judge(walk: Walk, arguments: list[Arg]) -> None:
    options = Options(arguments, "F: v: --field-separator= --assign= --re-interval --posix", permutes=False)
    program = options.operands[0] if options.operands else Arg(ANY)
    if options.strange:
        walk.ask("awk is told to load, to write or to run something, or that is not known")
    elif program.many or not only_prints(program.text):
        walk.ask("this awk program may write or run something, or is not known")
    elif any(argument.text.startswith("/inet") for argument in options.operands[1:]):
        walk.ask("awk opens a connection")
    else:
        from debate.guard.shell import prints

        walk.prints = prints.awk(walk, arguments)


def only_prints(program: str) -> bool:
    """No pipe, no system(), no output to a file, nothing loaded: strings, patterns and comments are passed over."""
    text = program.replace(INT, "1")
    return not has_marks(text) and "/inet" not in text and _Awk(text).is_safe()


_AWK_RISKS = ("system", "|", ">", "@", "getline")
# After these a slash begins a pattern, after any other word it divides.
_BEFORE_PATTERN = frozenset(("print", "printf", "return", "in", "case", "else", "do", "exit", "next"))
_UNCERTAIN = ")+-$/.\\g"  # after these it may do either; `g` stands for getline and length


class _Awk:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.before = (
            ";"  # the last character that counts; of a word `a`, or a blank where a pattern may follow
        )
        self.depth = 0
        self.printing = -1  # how deep in brackets a `print` stands whose output a `>` would redirect

    def is_safe(self) -> bool:
        while self.at < len(self.text):
            one = self.text[self.at]
            if one == '"':
                self.string()
            elif one == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif one.isalpha() or one == "_":
                if not self.word():
                    return False
            elif one == "/" and self.before in _UNCERTAIN:
                return not any(risk in self.text[self.at :] for risk in _AWK_RISKS)
            elif one == "/" and not (self.before.isalnum() or self.before in ("]", '"')):
                if not self.pattern():
                    return not any(risk in self.text[self.at :] for risk in _AWK_RISKS)
            elif not self.sign(one):
                return False
        return True

    def word(self) -> bool:
        end = self.at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        word, self.at = self.text[self.at : end], end
        if word in ("print", "printf"):
            self.printing = self.depth
        self.before = "g" if word in ("getline", "length") else " " if word in _BEFORE_PATTERN else "a"
        return word != "system" and (word != "getline" or self.reads_a_file())

    def reads_a_file(self) -> bool:
        """`getline`, `getline line < "file"`: not from a name that is put together, which may be a connection."""
        rest = self.text[self.at :]
        ends = [place for place in map(rest.find, ";\n}") if place >= 0]
        name = rest[: min(ends, default=len(rest))].partition("<")[2].lstrip(" \t")
        return not name or (name[0] == '"' and name[_past_string(name, 0) :].lstrip(" \t")[:1] in ("", ")"))

    def sign(self, one: str) -> bool:
        if one == "@" or (one == "|" and self.text[self.at : self.at + 2] != "||"):
            return False
        if one == "|":
            self.at += 1
        self.depth += (one in "([") - (one in ")]")
        goes_on = self.before in (",", "{", "&", "|", "\\")
        if one in ";{}" or (one == "\n" and not goes_on):
            self.printing = -1
        if (
            one == ">"
            and self.printing >= 0
            and self.depth <= self.printing
            and not self.prints_to_a_device()
        ):
            return False
        if one == "\n":
            self.before = self.before if goes_on else ";"
        elif not one.isspace():
            self.before = "." if one == "=" and self.before == "/" else one
        self.at += 1
        return True

    def prints_to_a_device(self) -> bool:
        rest = self.text[self.at + 1 :].lstrip("> \t")
        device = rest[: _past_string(rest, 0)]
        ends = rest[len(device) :].lstrip(" \t")[:1]
        return device in ('"/dev/stderr"', '"/dev/stdout"', '"/dev/null"') and ends in (
            "",
            ";",
            "\n",
            "}",
            "#",
        )

    def string(self) -> None:
        self.at, self.before = _past_string(self.text, self.at), '"'

    def pattern(self) -> bool:
        """Past its end. False where awks differ about where that is."""
        at = self.at + 1
        while at < len(self.text) and self.text[at] != "/":
            if self.text[at] == "\n":
                return False
            if self.text[at] == "[":
                end = self.text.find("]", at + 2)
                if end < 0 or "/" in self.text[at:end] or "\\" in self.text[at:end]:
                    return False
                at = end
            at += 2 if self.text[at] == "\\" else 1
        self.at, self.before = at + 1, "/"
        return at < len(self.text)


def _past_string(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
