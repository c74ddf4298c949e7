"""Options and operands, as getopt reads them: clusters, values, abbreviations, and what may be either."""

from __future__ import annotations

from debate.guard.shell.values import ANY, Arg


class Options:
    """`unsure`: an argument that is not known stands where an option could, before any `--`."""

    __slots__ = ("given", "operands", "unsure")

    def __init__(
        self, arguments: list[Arg], short: str = "", long: tuple[str, ...] = (), permutes: bool = True
    ) -> None:
        """`short`, `long`: the options that take the next argument as their value."""
        self.given: list[tuple[str, str | None]] = []
        self.operands: list[Arg] = []
        self.unsure = False
        waiting = list(arguments)
        while waiting:
            argument = waiting.pop(0)
            text = argument.text
            if text == "--" and not argument.many:
                self.operands += waiting
                return
            if (argument.many and text[:1] in ("", ANY)) or text[:1] == ANY:
                self.unsure = True
                self.operands.append(argument)
            elif text.startswith("--"):
                name, equals, value = text[2:].partition("=")
                if ANY in name:
                    self.unsure = True
                elif not equals and name and any(whole.startswith(name) for whole in long):
                    value = waiting.pop(0).text if waiting else ""
                    equals = "="
                self.given.append((name, value if equals else None))
            elif text.startswith("-") and len(text) > 1:
                self._cluster(text[1:], short, waiting)
            else:
                self.operands.append(argument)
                if not permutes:
                    self.operands += waiting
                    return

    def _cluster(self, letters: str, short: str, waiting: list[Arg]) -> None:
        for place, letter in enumerate(letters):
            if letter == ANY:
                self.unsure = True
                return
            if letter in short:
                rest = letters[place + 1 :]
                self.given.append((letter, rest or (waiting.pop(0).text if waiting else "")))
                return
            self.given.append((letter, None))

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.given)

    def has_any(self, short: str, long: tuple[str, ...], abbreviates: bool = True) -> bool:
        """One of these; a long one may be shortened, as getopt allows."""
        for name, _ in self.given:
            if len(name) == 1 and name in short:
                return True
            if len(name) > 1 and any(
                whole == name or (abbreviates and whole.startswith(name)) for whole in long
            ):
                return True
        return False

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.given if name in names and value is not None]
