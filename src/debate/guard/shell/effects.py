"""What a command, however deep, may have changed in its own shell by the time that it has run: told from its text."""

from __future__ import annotations

from debate.guard.shell.marks import is_digits, is_name
from debate.guard.shell.state import POSITIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from debate.guard.shell.syntax import Assign, Node
    from debate.guard.shell.words import Part, Word

_SETTING = frozenset(
    ("read", "mapfile", "readarray", "getopts", "unset", "export", "declare", "typeset", "local", "readonly")
)


class Effects:
    """`names`: the variables that it sets, and whether to numbers only. `everything`: which ones cannot be told."""

    __slots__ = ("everything", "moves", "names")

    def __init__(self, nodes: Iterable[Node], functions: Mapping[str, Node]) -> None:
        self.names: dict[str, bool] = {}
        self.moves = self.everything = False
        for node in nodes:
            self._node(node, functions, frozenset())

    def __bool__(self) -> bool:
        return bool(self.names) or self.moves or self.everything

    def _add(self, name: str | None, number: bool = False) -> None:
        if name is None:
            self.everything = True
        elif is_name(name) or name in POSITIONS or name == "@":
            self.names[name] = number and self.names.get(name, True)

    def _node(self, node: Node, functions: Mapping[str, Node], seen: frozenset[str]) -> None:
        if node.kind == "subshell" or node.background or (node.kind == "pipe" and len(node.bodies) > 1):
            return  # a process of its own
        if node.kind == "function":
            return  # nothing before it is called
        for assign in node.assigns:
            self._add(assign.name, _is_number(assign))
        for redirect in node.redirects:
            self._add(redirect.number.strip("{}"), number=True)
            self._parts(redirect.target.parts)
        for word in node.words:
            self._parts(word.parts)
        if node.kind == "for":
            self._add(node.name)
        elif node.kind == "arithmetic":
            self._arithmetic(node.parts)
        elif node.kind == "simple" and node.words:
            self._simple(node.words, functions, seen)
        for body in node.bodies:
            for inner in body:
                self._node(inner, functions, seen)

    def _simple(self, words: list[Word], functions: Mapping[str, Node], seen: frozenset[str]) -> None:
        while words and words[0].text() in ("command", "builtin", "-p", "--"):
            words = words[1:]
        name = words[0].text() if words else ""
        if name is None:
            self.everything = self.moves = True
        elif name in functions and name not in seen:
            self._node(functions[name].bodies[0][0], functions, seen | {name})
        elif name in ("cd", "pushd", "popd"):
            self.moves = True
        elif name in ("shift", "set"):
            for position in (*POSITIONS, "@"):
                self._add(position)
        elif name == "printf":
            self._printf(words[1:])
        elif name in _SETTING:
            for word in words[1:]:
                self._add(word.text())

    def _printf(self, words: list[Word]) -> None:
        """Its first word may be -v, with a name in it or behind it."""
        first = words[0].text() if words else ""
        begins = "".join(part.text for part in words[0].parts[:2] if part.kind == "text") if words else ""
        if first is None and begins[:1] in ("", "-"):
            self.everything = True
        elif first and first.startswith("-v"):
            self._add(first[2:] or (words[1].text() if len(words) > 1 else ""))

    def _parts(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.kind == "arithmetic":
                self._arithmetic(part.parts)
            elif part.kind not in ("commands", "process"):
                self._parts(part.parts)

    def _arithmetic(self, parts: Iterable[Part]) -> None:
        text = "".join(part.text if part.kind == "text" else " " for part in parts)
        if "=" in text or "++" in text or "--" in text:
            for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split():
                self._add(word, number=True)


def _is_number(assign: Assign) -> bool:
    if isinstance(assign.values, list) or assign.append or len(assign.values.parts) != 1:
        return False
    part = assign.values.parts[0]
    return part.kind == "arithmetic" or (part.kind == "text" and is_digits(part.text))


def may_fail(
    nodes: Iterable[Node], functions: Mapping[str, Node], seen: frozenset[str] = frozenset()
) -> bool:
    """Whether an expansion in this shell's own process may be an error: a sum, or a part of a text."""
    return any(_may_fail(node, functions, seen) for node in nodes)


def _may_fail(node: Node, functions: Mapping[str, Node], seen: frozenset[str]) -> bool:
    if (
        node.kind in ("subshell", "function")
        or node.background
        or (node.kind == "pipe" and len(node.bodies) > 1)
    ):
        return False
    words = [*node.words, *(redirect.target for redirect in node.redirects)]
    for assign in node.assigns:
        words += assign.values if isinstance(assign.values, list) else [assign.values]
    parts = [*node.parts, *(part for redirect in node.redirects for part in redirect.body)]
    name = node.words[0].text() if node.words else ""
    if name and name in functions and name not in seen:
        seen |= {name}
        if may_fail(functions[name].bodies[0], functions, seen):
            return True
    return (
        name is None
        or _fails([*parts, *(part for word in words for part in word.parts)])
        or any(may_fail(body, functions, seen) for body in node.bodies)
    )


def _fails(parts: Iterable[Part]) -> bool:
    return any(part.kind in ("arithmetic", "sliced") or _fails(part.parts) for part in parts)
