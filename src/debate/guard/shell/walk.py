"""The tree, command by command, with the folder, the variables and the functions as they are by then."""

from __future__ import annotations

from debate.guard.shell import Unclear
from debate.guard.shell.effects import Effects, may_fail
from debate.guard.shell.marks import ANY, INT, PATH, TOKEN, Arg, is_digits, is_name, is_number
from debate.guard.shell.state import POSITIONS, State, check_language
from debate.guard.shell.syntax import DECLARES, Assign, Node
from debate.guard.shell.writing import Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MOST_CALLS = 100  # of functions
_BOTH_WAYS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_BY_BASH = ("command_not_found_handle",)


class Walk(Writing):
    def __init__(self, cwd: str, environ: Mapping[str, str], is_free: Callable[[str], bool]) -> None:
        super().__init__(cwd, environ, is_free)
        self.start = cwd
        self.functions: dict[str, Node] = {}
        self.calling: list[str] = []
        self.calls = 0
        self.perhaps = 0  # how deep we are in what may run once, often or never
        self.trapped = False  # a trap is set: it runs at any time
        self.prints = ANY  # what the last command can have printed, for a substitution around it

    def again(self) -> Walk:
        """The same from the start, with what was found out about files and descriptors."""
        other = Walk(self.start, self.state.environ, self.is_free)
        other.links, other.shaken, other.opened, other.closed = (
            self.links,
            self.shaken,
            self.opened,
            self.closed,
        )
        other.arrays = self.arrays
        return other

    def script(self, nodes: Iterable[Node]) -> None:
        """Line by line: an error in an expansion ends one, and the next one runs nevertheless."""
        lines: list[list[Node]] = [[]]
        for node in nodes:
            if node.begins_line:
                lines.append([])
            lines[-1].append(node)
        for place, line in enumerate(lines):
            ends_early = place < len(lines) - 1 and may_fail(line, self.functions)
            before = self.state.copy() if ends_early else None
            self.perhaps += ends_early
            self.line(line)
            self.perhaps -= ends_early
            if ends_early:
                self.forget(line, before)

    def line(self, nodes: Iterable[Node]) -> None:
        perhaps: list[Node] = []  # those of one list of && and || that may not have run by now
        doubtful = False  # since a || what runs behind && is no proof that the one before it ran
        for node in nodes:
            if node.joint == "||" or doubtful or not node.joint:
                self.forget(perhaps)
            doubtful = bool(node.joint) and (doubtful or node.joint == "||")
            perhaps = perhaps if node.joint else []
            self.perhaps += bool(node.joint)
            self.node(node)
            self.perhaps -= bool(node.joint)
            if node.joint:
                perhaps.append(node)
        self.forget(perhaps)

    def forget(self, nodes: Iterable[Node], before: State | None = None) -> None:
        """Whether these ran is not known, nor how often; `before`: how it stood before they were looked at."""
        effects = Effects(nodes, self.functions)
        if effects.everything:
            self.state.variables.clear()
            self.state.lost = True
        for name, numbers in effects.names.items():
            was_number = self.state.is_number(name) and (before is None or before.is_number(name))
            self.state.set(name, [INT if numbers and was_number else ANY])
        if effects.moves:
            self.state.lose_place()

    # -- nodes ------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> None:
        if node.background:
            self.verdict.background = True
        if node.kind == "pipe":
            self.pipe(node)
            return
        before = self.stdin
        if node.redirects:  # what comes first is not the same for every command
            for assign in node.assigns:
                self.state.set(assign.name, [ANY])
        certain = all(self.is_certain(redirect) for redirect in node.redirects)
        for redirect in node.redirects:
            self.redirect(redirect)
        self.perhaps += not certain
        self.effect(node)
        self.perhaps -= not certain
        if not certain:
            self.forget([node])
        if node.kind != "simple" or any(
            redirect.operator in (">&", "&>", "&>>") for redirect in node.redirects
        ):
            self.prints = ANY  # all that is in it, or what it complains about, too
        self.stdin = before if not node.words or node.words[0].text() != "exec" else ANY

    def effect(self, node: Node) -> None:
        kind = node.kind
        if kind == "simple":
            self.simple(node)
        elif kind == "group":
            self.script(node.bodies[0])
        elif kind == "subshell":
            self.apart(node.bodies[0])
        elif kind == "arithmetic":
            self.expander.arithmetic(node.parts)
        elif kind == "test":
            self.test(node)
        elif kind == "function":
            self.define(node)
        else:
            self.branches(node)

    def pipe(self, node: Node) -> None:
        if len(node.bodies) == 1 and not node.background:
            self.script(node.bodies[0])
            return
        before = self.stdin
        for body in node.bodies:
            self.apart(body)
            self.stdin = self.prints
        self.stdin = before

    def apart(self, nodes: Iterable[Node]) -> None:
        """In a process of its own: its folder, its variables and its functions stay there."""
        before, functions = self.state, self.functions
        self.state, self.functions = before.copy(), dict(functions)
        self.script(nodes)
        self.state, self.functions = before, functions

    def substitution(self, nodes: list[Node]) -> str:
        """What a substitution prints, as far as that can be told."""
        self.prints = ANY
        self.apart(nodes)
        printed, self.prints = self.prints, ANY
        return printed if len(nodes) == 1 else ANY

    def branches(self, node: Node) -> None:
        """What may run once, often or never: whatever is set inside is not known from one time to the next."""
        options: list[str] = []
        if node.kind == "for":
            self.state.check_name(node.name)
            for arguments in self.expander.product(node.words):
                options += [
                    ANY if argument.many and argument.may_be_option else argument.text
                    for argument in arguments
                ]
        else:  # of a case: what it looks at, and its patterns
            for word in node.words:
                self.expander.single(word)
        self.forget([node])
        before = self.state
        self.perhaps += 1
        for body in node.bodies:
            if node.kind != "loop":
                self.state = before.copy()
            if node.kind == "for":
                self.state.set(node.name, options)
            self.script(body)
        self.perhaps -= 1
        self.state = before
        self.forget([node])

    def test(self, node: Node) -> None:
        """`[[ … ]]`: a number's text is evaluated there, and so is the index of a variable that is asked for."""
        words = [self.expander.single(word) for word in node.words]
        for place, values in enumerate(words):
            operator = values[0] if len(values) == 1 else ""
            if operator in _BOTH_WAYS:
                for beside in words[max(0, place - 1) : place + 2 : 2]:
                    if not all(is_number(value) for value in beside):
                        raise Unclear("it compares values that are not known to be numbers")
            if operator in ("-v", "-R") and not all(
                is_name(v) for v in (words[place + 1 : place + 2] or [[""]])[0]
            ):
                raise Unclear("it asks whether a computed variable is set")

    # -- functions --------------------------------------------------------------------------------------------------

    def define(self, node: Node) -> None:
        """Judged where it is called. So it must be certain by then that it is defined, and what it is."""
        from debate.guard.shell import builtins

        known = node.name in self.functions or node.name in builtins.NAMES or node.name in _BY_BASH
        if known or self.perhaps or self.trapped or self.calling:
            raise Unclear(f"what `{node.name}` is from here on is not known")
        self.functions[node.name] = node

    def call(self, name: str, arguments: list[Arg]) -> None:
        self.calls += 1
        if name in self.calling or self.calls > MOST_CALLS:
            raise Unclear("a function calls itself, or too many are called")
        body = self.functions[name].bodies[0]
        before = self.state
        self.state = before.copy()
        self.state.in_function = True
        self.set_positions(arguments)
        self.calling.append(name)
        self.perhaps += 1
        self.script(body)
        self.perhaps -= 1
        self.calling.pop()
        self.state = before
        self.forget(body)
        self.prints = ANY

    def set_positions(self, arguments: list[Arg]) -> None:
        texts = [argument.text for argument in arguments]
        certain = not any(argument.many for argument in arguments)
        for place, name in enumerate(POSITIONS):
            self.state.set(name, [texts[place] if place < len(texts) else ""] if certain else [ANY])
        plain = all(text[:1].isalnum() or text[:1] in ("/", ".", "_", PATH, TOKEN, INT) for text in texts)
        self.state.set("@", [PATH if plain else ANY])

    # -- commands ---------------------------------------------------------------------------------------------------

    def simple(self, node: Node) -> None:
        from debate.guard.shell import builtins

        self.prints = ANY
        name = node.words[0].text() if node.words else None
        letters = builtins.declared(self, node) if name in DECLARES else set()
        for assign in node.assigns:
            if assign.lent:
                self.lend(assign, name or "")
            else:
                self.assign(assign, letters)
        printed = set()
        if node.words:
            for arguments in self.expander.product(node.words):
                self.command(arguments)
                printed.add(self.prints)
        self.prints = printed.pop() if len(printed) == 1 else ANY

    def lend(self, assign: Assign, name: str) -> None:
        """`f=x command`: whether it is still set afterwards is not the same for every command and shell."""
        if assign.subscript is not None or isinstance(assign.values, list):
            raise Unclear("an array is set for one command")
        values = self.expander.single(assign.values)
        check_language(assign.name, values)
        if assign.name != "IFS" or name not in ("read", "mapfile", "readarray"):
            self.state.check_exported(assign.name, values)
            self.state.set(assign.name, [ANY])

    def assign(self, assign: Assign, letters: set[str]) -> None:
        """`letters`: how it is declared, if it is."""
        self.state.check_name(assign.name)
        if assign.subscript is not None and not is_digits(assign.subscript):
            raise Unclear("an array's index is computed")
        if isinstance(assign.values, list):
            for word in assign.values:
                self.expander.word(word)
            values = [ANY]
        else:
            values = self.expander.single(assign.values)
            check_language(assign.name, values)
            if "a" in letters and any(value[:1] in ("(", ANY) for value in values):
                raise Unclear("a list is read from a text, and expanded")
        if "x" in letters:
            self.state.check_exported(assign.name, values)
        self.state.set(assign.name, [ANY] if assign.append or assign.subscript is not None else values)
        if "r" in letters:
            self.state.fixed.add(assign.name)

    def command(self, arguments: list[Arg]) -> None:
        """One program, builtin or function with its arguments."""
        from debate.guard.shell import programs

        if not arguments:
            return
        name = arguments[0]
        if not name.known or not name.text:
            self.ask("which program it runs is not known")
        elif name.text in self.functions:
            self.call(name.text, arguments[1:])
        else:
            programs.judge(self, name.text, arguments[1:])

    def outside(self, arguments: list[Arg]) -> None:
        """By another program: a function is none there, and what it does to itself stays with it."""
        before, functions = self.state, self.functions
        self.state, self.functions = before.copy(), {}
        self.command(arguments)
        self.state, self.functions = before, functions
