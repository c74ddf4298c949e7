"""Words of bash: quotes and expansions, read character by character, and kept as parts."""

from __future__ import annotations

from debate.guard.shell import Unclear
from debate.guard.shell.marks import has_marks, is_digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from debate.guard.shell.syntax import Node

ENDS_WORD = frozenset(" \t\n;&|()<>")
_SPECIAL = frozenset("@*#?-$!0123456789")
_ESCAPES = {
    "n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "?": "?",
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "r": "\r", "v": "\v",
}  # fmt: skip


class Part:
    """text, variable, commands (a substitution), arithmetic, or process (`<(…)`: its word is a path)."""

    __slots__ = ("kind", "nodes", "parts", "quoted", "text")

    def __init__(
        self, kind: str, text: str = "", quoted: bool = False, nodes: list[Node] | None = None,
        parts: list[Part] | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.text, self.quoted = kind, text, quoted
        self.nodes = nodes or []
        self.parts = parts or []  # what stands inside ${…} or $((…))


class Word:
    __slots__ = ("parts",)

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts

    @classmethod
    def literal(cls, text: str) -> Word:
        return cls([Part("text", text, quoted=True)])

    def text(self) -> str | None:
        """What it is, if it is plain text."""
        return (
            None if any(part.kind != "text" for part in self.parts) else "".join(p.text for p in self.parts)
        )


class Reader:
    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at, self.size = text, at, len(text)

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    # The grammar gives these; a word holds commands, and commands hold words.
    def substitution(self) -> list[Node]:
        raise NotImplementedError

    def nested(self, text: str) -> list[Node]:
        raise NotImplementedError

    def word(self, pattern: bool = False, expands: bool = True) -> Word:
        """One word from here. A pattern (after =~) may hold brackets and bars."""
        parts: list[Part] = []
        depth = 0
        while self.at < self.size:
            character = self.text[self.at]
            if self.peek(2) == "\\\n":
                self.at += 2
            elif character in "<>" and self.peek(2) in ("<(", ">(") and not pattern:
                self.at += 2
                parts.append(Part("process", nodes=self.substitution()))
            elif pattern and character in "()":
                depth += 1 if character == "(" else -1
                if depth < 0:
                    break
                self.add(parts, character, True)
                self.at += 1
            elif (pattern and character in "|<>") or (pattern and depth and character in " \t"):
                self.add(parts, character, True)
                self.at += 1
            elif character in ENDS_WORD:
                break
            elif character == "\\":
                if self.at + 1 >= self.size:
                    raise Unclear("it ends in a backslash")
                self.add(parts, self.text[self.at + 1], True)
                self.at += 2
            elif character == "'":
                end = self.text.find("'", self.at + 1)
                if end < 0:
                    raise Unclear("a quote does not end")
                self.add(parts, self.text[self.at + 1 : end], True)
                self.at = end + 1
            elif character == '"':
                self.at += 1
                self.quoted(parts)
            elif not expands and character in "$`":
                raise Unclear("a here-document's end holds an expansion")
            elif character in "$`":
                self.dollar(parts, quoted=False)
            else:
                self.add(parts, character, False)
                self.at += 1
        if not parts:
            raise Unclear(f"a word is missing before `{self.peek(5)}`")
        return Word(parts)

    def add(self, parts: list[Part], text: str, quoted: bool) -> None:
        """Neighbours of one kind are one part; an empty quotation stays, since it makes a word."""
        if parts and parts[-1].kind == "text" and parts[-1].quoted == quoted:
            parts[-1].text += text
        else:
            parts.append(Part("text", text, quoted))

    def quoted(self, parts: list[Part], closing: str = '"') -> None:
        """Up to the closing quote; a here-document's body has none."""
        self.add(parts, "", True)
        while True:
            if self.at >= self.size:
                if closing:
                    raise Unclear("a quote does not end")
                return
            character = self.text[self.at]
            if closing and character == closing:
                self.at += 1
                return
            if character == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                if escaped == "\n":
                    pass
                elif escaped and escaped in "$`\\" + closing:
                    self.add(parts, escaped, True)
                else:
                    self.add(parts, "\\" + escaped, True)
                self.at += 2
            elif character in "$`":
                self.dollar(parts, quoted=True)
            else:
                self.add(parts, character, True)
                self.at += 1

    def document_parts(self) -> list[Part]:
        parts: list[Part] = []
        self.quoted(parts, "")
        return parts

    def dollar(self, parts: list[Part], quoted: bool) -> None:
        if self.peek() == "`":
            parts.append(Part("commands", quoted=quoted, nodes=self.nested(self.backticks(quoted))))
            return
        following = self.text[self.at + 1 : self.at + 2]
        if self.text.startswith("\\\n", self.at + 1):
            raise Unclear("a line ends behind a `$`")
        if self.text.startswith("$((", self.at):
            parts.append(Part("arithmetic", quoted=quoted, parts=self.arithmetic("$((")))
        elif following == "(":
            self.at += 2
            parts.append(Part("commands", quoted=quoted, nodes=self.substitution()))
        elif following == "{":
            parts.append(self.braced(quoted))
        elif following == "'" and not quoted:
            self.at += 2
            self.add(parts, self.ansi(), True)
        elif following == '"' and not quoted:
            self.at += 2
            self.quoted(parts)
        elif following == "[":
            raise Unclear("`$[` is arithmetic of an old kind")
        elif following and (following in _SPECIAL):
            parts.append(Part("variable", following, quoted))
            self.at += 2
        elif following.isascii() and (following.isalpha() or following == "_"):
            end = self.at + 1
            while (
                end < self.size
                and self.text[end].isascii()
                and (self.text[end].isalnum() or self.text[end] == "_")
            ):
                end += 1
            if self.text.startswith("\\\n", end):
                raise Unclear("a line ends in a name")
            parts.append(Part("variable", self.text[self.at + 1 : end], quoted))
            self.at = end
        else:
            self.add(parts, "$", True)
            self.at += 1

    def backticks(self, quoted: bool) -> str:
        found = ""
        self.at += 1
        while self.peek() != "`":
            if self.at >= self.size:
                raise Unclear("a backtick does not end")
            if self.peek() == "\\" and self.text[self.at + 1 : self.at + 2] in (
                "`",
                "\\",
                "$",
                '"' if quoted else "`",
            ):
                self.at += 1
            found += self.peek()
            self.at += 1
        self.at += 1
        return found

    def braced(self, quoted: bool) -> Part:
        """`${name}` with whatever stands behind the name. Its kind is kept: only a plain one has a known value."""
        self.at += 2
        length = self.peek() == "#" and self.text[self.at + 1 : self.at + 2] not in (
            "}",
            ":",
            "#",
            "%",
            "/",
            "-",
            "+",
        )
        self.at += length
        start = self.at
        if self.peek() in _SPECIAL and not self.peek().isdigit():
            self.at += 1
        else:
            while (
                self.at < self.size
                and self.text[self.at].isascii()
                and (self.text[self.at].isalnum() or self.text[self.at] == "_")
            ):
                self.at += 1
        name = self.text[start : self.at]
        if not name or (name == "!" and self.peek() != "}"):
            raise Unclear("a variable is named by another one")
        if self.peek() == "\\":
            raise Unclear("a line ends in a name")
        part = Part("variable", name, quoted)
        if self.peek() == "[":
            closing = self.text.find("]", self.at)
            subscript = self.text[self.at + 1 : closing]
            if closing < 0 or not (subscript in ("@", "*") or is_digits(subscript)):
                raise Unclear("an array's index is computed")
            self.at = closing + 1
            part.kind = "array"
        rest = self.text[self.at : self.at + 2]
        if rest[:1] == "@" or (rest[:1] == ":" and rest[1:] not in ("-", "+", "=", "?")):
            end = self.text.find("}", self.at)
            numbers = self.text[self.at + 1 : end].replace(":", "").replace("-", "").replace(" ", "")
            if rest[:1] == "@" or end < 0 or not is_digits(numbers):
                raise Unclear("a variable is expanded in a way that may run something")
        if rest[:1] == "=" or rest == ":=":
            raise Unclear("a variable is assigned where it is used")
        if self.peek() != "}":
            if self.peek() not in ":-+?#%/^,":
                raise Unclear("a variable is expanded in a way that is not known")
            sliced = rest[:1] == ":" and rest[1:] not in ("-", "+", "=", "?")
            part.kind = "sliced" if sliced else "changed"
            part.parts = self.operand()
        self.at += 1
        if length:
            part.kind = "length"
        return part

    def operand(self) -> list[Part]:
        """What stands behind the name in ${…}, up to its bracket."""
        parts: list[Part] = []
        while self.peek() != "}":
            character = self.peek()
            if not character:
                raise Unclear("`${` does not end")
            if character == "\\":
                self.add(parts, self.text[self.at + 1 : self.at + 2], True)
                self.at += 2
            elif character == "'":
                raise Unclear("a quote stands in ${…}")  # whether it quotes depends on what is around it
            elif character == '"':
                self.at += 1
                self.quoted(parts)
            elif character in "$`":
                self.dollar(parts, quoted=True)
            elif character in "<>" and self.peek(2) in ("<(", ">("):
                raise Unclear("a process stands in ${…}")
            else:
                self.add(parts, character, True)
                self.at += 1
        return parts

    def arithmetic(self, opening: str) -> list[Part]:
        """From `((` or `$((` to its end, with the expansions inside."""
        self.at += len(opening)
        parts: list[Part] = []
        depth = 0
        while True:
            character = self.peek()
            if not character:
                raise Unclear("`((` does not end")
            if character == ")" and depth == 0:
                if self.peek(2) != "))":
                    raise Unclear("`((` does not end in `))`")
                self.at += 2
                return parts
            if character in "$`":
                self.dollar(parts, quoted=True)
                continue
            if character in "'\"\\[{":
                raise Unclear("an arithmetic expression holds more than numbers and names")
            depth += (character == "(") - (character == ")")
            self.add(parts, character, True)
            self.at += 1

    def ansi(self) -> str:
        """The text of $'…', after its quote."""
        found = ""
        while self.peek() != "'":
            if self.at >= self.size:
                raise Unclear("a quote does not end")
            if self.peek() != "\\":
                found += self.peek()
                self.at += 1
                continue
            escape = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            if escape in _ESCAPES:
                found += _ESCAPES[escape]
            elif escape in ("x", "u", "U") or escape.isdigit():
                if escape.isdigit():
                    self.at -= 1
                base, most = (8, 3) if escape.isdigit() else (16, {"x": 2, "u": 4, "U": 8}[escape])
                digits = ""
                while (
                    len(digits) < most
                    and self.peek()
                    and self.peek() in "0123456789abcdefABCDEF"[: 8 if base == 8 else 22]
                ):
                    digits += self.peek()
                    self.at += 1
                code = int(digits or "0", base)
                if not 0 < code < (0x80 if escape not in "uU" else 0x110000):
                    raise Unclear("a quoted byte has no plain character")
                if has_marks(chr(code)):
                    raise Unclear("a quoted byte has no plain character")
                found += chr(code)
            else:
                raise Unclear("an escape in a quote is not known")
        self.at += 1
        return found
