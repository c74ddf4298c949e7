"""What a word can become: its alternatives (a loop's variable takes several values), each a list of arguments."""

from __future__ import annotations

import os

from debate.guard.shell import Unclear
from debate.guard.shell.marks import ANY, CHILD, INT, MARKS, PATH, TOKEN, Arg, has_marks, is_number
from debate.guard.shell.state import MOST, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from debate.guard.shell.syntax import Node
    from debate.guard.shell.words import Part, Word


class Expander:
    """Words into arguments. `run` judges the commands of a substitution and says what they print; `plain_files` says
    whether no file in that folder has a name that begins with a dash."""

    def __init__(
        self, state: State, run: Callable[[list[Node]], str], plain_files: Callable[[str], bool]
    ) -> None:
        self.state = state
        self.run = run
        self.plain_files = plain_files

    def word(self, word: Word) -> list[list[Arg]]:
        """The alternatives of one word; each is a list, since a word may become several arguments, or none."""
        return [
            [field for pairs in _braces(option) for field in self._fields(pairs)]
            for option in self._pairs(word.parts)
        ]

    def single(self, word: Word) -> list[str]:
        """As in an assignment or after a redirection's sign: one text, neither split nor matched with files."""
        found = ["".join(text for text, _ in pairs) for pairs in self._pairs(word.parts)]
        return [self._home(word, text) for text in found] or [""]

    def effects(self, parts: Iterable[Part]) -> None:
        """What stands in a place whose text does not matter may still run something."""
        for part in parts:
            self._values(part)

    def product(self, words: Iterable[Word]) -> list[list[Arg]]:
        found: list[list[Arg]] = [[]]
        for word in words:
            alternatives = self.word(word)
            if len(found) * len(alternatives) > MOST:
                alternatives = [[Arg(ANY, many=True)]]
            found = [begun + alternative for begun in found for alternative in alternatives]
        return found

    def arithmetic(self, parts: list[Part]) -> None:
        """Only names that are numbers, since the text of any other would be evaluated, and could run something."""
        text = ""
        for part in parts:
            if part.kind == "text":
                if text[-1:] == INT and part.text[:1].isidentifier():
                    raise Unclear("it computes with a name that is put together")
                text += part.text
                continue
            values = self._values(part)
            if not all(is_number(value) for value in values):
                raise Unclear("it computes with a value that is not known")
            text += INT
        assigns = "=" in text or "++" in text or "--" in text
        name = ""
        for character in text + " ":
            if (character.isascii() and character.isalnum()) or character == "_":
                name += character
                continue
            if name and not name[0].isdigit():
                if character == INT:
                    raise Unclear("it computes with a name that is put together")
                if not self.state.is_number(name):
                    raise Unclear(f"it computes with {name}, whose value is not known")
                self.state.check_name(name)
                if assigns:
                    self.state.set(name, [INT])
            name = ""

    def _values(self, part: Part) -> list[str]:
        if part.kind == "text":
            return [part.text]
        if part.kind == "variable":
            return list(self.state.of(part.text))
        if part.kind == "arithmetic":
            self.arithmetic(part.parts)
            return [INT]
        if part.kind == "commands":
            return [self.run(list(part.nodes))]
        if part.kind == "process":
            self.run(list(part.nodes))
            return [CHILD]
        self.effects(part.parts)
        return [INT if part.kind == "length" else ANY]

    def _pairs(self, parts: list[Part]) -> list[list[tuple[str, str]]]:
        """Each alternative as texts with their class: q quoted, u as typed, s from an expansion that may split, l a
        list that is not split."""
        found: list[list[tuple[str, str]]] = [[]]
        for part in parts:
            values = self._values(part)
            kind = "q" if part.quoted or part.kind == "process" else "u" if part.kind == "text" else "s"
            listed = part.kind == "variable" and part.text in ("@", "*")
            if part.kind == "array" or (listed and (part.quoted or values != [ANY])):
                # "$@" are the arguments as they are, none of them split again.
                kind = "l" if listed and part.quoted and part.text == "@" and values != [ANY] else "s"
                values = values if kind == "l" else [ANY]
            if len(found) * len(values) > MOST:
                values = [ANY]
            found = [[*begun, (value, kind)] for begun in found for value in values]
        return found

    def _fields(self, pairs: list[tuple[str, str]]) -> list[Arg]:
        fields: list[Arg] = []
        text, many, there = "", False, False
        splits = False  # in words of which the later ones may begin with anything
        stopped = False  # after a pattern what follows is not known: files decide
        patterns = "*?[" if any("]" in piece for piece, kind in pairs if kind != "q") else "*?"

        def end() -> None:
            if there:
                fields.append(Arg(text, many))
            if splits and text[:1] != ANY:
                fields.append(Arg(ANY, many=True))

        for piece, kind in pairs:
            if kind == "q":
                there = True
                text += "" if stopped else piece
                continue
            for character in piece:
                if character in " \t\n" and kind == "s":
                    end()
                    text, many, there, splits, stopped = "", False, False, False, False
                    continue
                there = True
                splits = splits or (kind == "s" and character in (ANY, PATH))
                if stopped:
                    continue
                if character in patterns:
                    plain = not has_marks(text) and self.plain_files(os.path.dirname(text))
                    text, many, stopped = text + (TOKEN if plain else ANY), True, True
                else:
                    many = many or kind == "l" or (kind == "s" and character in MARKS)
                    text += character
        end()
        first = pairs[0] if pairs else ("", "q")
        if fields and first[1] == "u" and first[0].startswith("~"):
            fields[0].text = self._tilde(fields[0].text)
        return fields

    def _home(self, word: Word, text: str) -> str:
        first = word.parts[0] if word.parts else None
        typed = first and first.kind == "text" and not first.quoted and first.text.startswith("~")
        return self._tilde(text) if typed else text

    def _tilde(self, text: str) -> str:
        home = self.state.environ.get("HOME", "")
        if home and (text == "~" or text.startswith("~/")):
            return home + text[1:]
        return PATH


def _braces(pairs: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """`a{b,c}` as typed is two words; one with a range or a nested brace is left unknown."""
    for place, (text, kind) in enumerate(pairs):
        start = text.find("{")
        if kind != "u" or start < 0:
            continue
        inside, after = _closed([(text[start + 1 :], "u"), *pairs[place + 1 :]])
        if inside is None:
            continue
        before = [*pairs[:place], (text[:start], "u")]
        typed = "".join(t for t, k in inside if k == "u")
        ends = typed.split("..")
        behind = _braces(after)
        if "{" not in typed and "," not in typed and len(ends) == 1:  # `{}` and `@{$n}` are text
            return [[*before, ("{", "u"), *inside, ("}", "u"), *rest] for rest in behind]
        choices = typed.split(",") if "," in typed else [INT] if all(map(is_number, ends)) else []
        if "{" in typed or len(inside) > 1 or not choices or len(choices) * len(behind) > MOST:
            return [[*before, (ANY, "s")]]
        return [[*before, (choice, "u"), *rest] for choice in choices for rest in behind]
    return [pairs]


def _closed(rest: list[tuple[str, str]]) -> tuple[list[tuple[str, str]] | None, list[tuple[str, str]]]:
    """What stands before the closing brace, and after it."""
    inside: list[tuple[str, str]] = []
    for place, (text, kind) in enumerate(rest):
        end = text.find("}") if kind == "u" else -1
        if end >= 0:
            return [*inside, (text[:end], "u")], [(text[end + 1 :], "u"), *rest[place + 1 :]]
        inside.append((text, kind))
    return None, []
