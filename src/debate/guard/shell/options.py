"""Options and operands, as getopt reads them: clusters, values, and what may be either.

What is known of a program's options stands in one string, `nrz k: I? # --key= --color? --stable`: letters that take
nothing, k takes a value, I one that is attached to it, -1 to -9 are options; and so on for the long ones, in full,
since what is short for one of them may be short for another that is not here.
"""

from __future__ import annotations

from debate.guard.shell.marks import ANY, INT, Arg, is_digits

_FLAG, _VALUE, _ATTACHED = "", "=", "?"


class Options:
    """`given`: each with its dashes. `unknown`: those that are not among the known ones. `unsure`: an argument that
    is not known stands where an option could."""

    __slots__ = ("given", "known", "operands", "unknown", "unsure")

    def __init__(self, arguments: list[Arg], known: str = "", permutes: bool = True) -> None:
        self.known = _table(known)
        self.given: list[tuple[str, str | None]] = []
        self.operands: list[Arg] = []
        self.unknown: list[str] = []
        self.unsure = False
        waiting = list(arguments)
        while waiting:
            argument = waiting.pop(0)
            text = argument.text
            if text == "--" and not argument.many:
                self.operands += waiting
                return
            if argument.may_be_option and text[:1] != "-":
                self.unsure = True
                self.operands.append(argument)
            elif text.startswith("--"):
                self._long(text, waiting)
            elif text.startswith("-") and len(text) > 1:
                self._cluster(text[1:], waiting)
            else:
                self.operands.append(argument)
                if not permutes:
                    self.operands += waiting
                    return

    def _long(self, text: str, waiting: list[Arg]) -> None:
        name, equals, value = text.partition("=")
        kind = self.known.get(name)
        self.unsure = self.unsure or ANY in name
        if kind is None or (equals and kind == _FLAG):
            self.unknown.append(name)
        if kind == _VALUE and not equals:
            equals, value = "=", self._next(waiting)
        self.given.append((name, value if equals else None))

    def _cluster(self, letters: str, waiting: list[Arg]) -> None:
        for place, letter in enumerate(letters):
            rest = letters[place + 1 :]
            digit = is_digits(letter) or letter == INT
            kind = self.known.get("-#" if digit and f"-{letter}" not in self.known else f"-{letter}")
            if letter == ANY:
                self.unsure = True
                return
            if kind is None:
                self.unknown.append(f"-{letter}")
            if kind == _VALUE or (kind == _ATTACHED and rest):
                self.given.append((f"-{letter}", rest or self._next(waiting)))
                return
            self.given.append((f"-{letter}", None))

    def _next(self, waiting: list[Arg]) -> str:
        """What may be none, or several, moves whatever follows to another place."""
        if not waiting:
            return ""
        value = waiting.pop(0)
        self.unsure = self.unsure or value.many
        return value.text

    @property
    def strange(self) -> bool:
        return self.unsure or bool(self.unknown)

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.given)

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.given if name in names and value is not None]


def _table(known: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for token in known.split():
        if token.startswith("--"):
            name = token.rstrip("=?")
            table[name] = token[len(name) :]
        elif token[-1] in ":?":
            table[f"-{token[0]}"] = _VALUE if token[-1] == ":" else _ATTACHED
        else:
            table.update((f"-{letter}", _FLAG) for letter in token)
    return table
