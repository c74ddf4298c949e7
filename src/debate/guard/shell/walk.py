"""The tree, command by command, with the folder and the variables as they are by then."""

from __future__ import annotations

import os

from debate.guard.shell import Unclear, Verdict
from debate.guard.shell.syntax import DECLARES, Node, Redirect
from debate.guard.shell.values import ANY, INT, TEMP, Arg, Expander, State, has_marks, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full")
_BOTH_WAYS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


class Walk:
    def __init__(self, cwd: str, environ: Mapping[str, str], is_free: Callable[[str], bool]) -> None:
        self.verdict = Verdict()
        self.is_free = is_free
        self.state = State(cwd, environ)
        self.functions: set[str] = set()
        self.prints = ANY  # what the last command can have printed, for a substitution around it
        self.stdin = ANY  # what the lines of a pipe are, for whoever takes its arguments from there
        self.links = False  # a link may lie in the temporary folder by now, and lead out of it

    def script(self, nodes: Iterable[Node]) -> None:
        perhaps: list[Node] = []  # those of one list of && and || that may not have run by now
        for node in nodes:
            if node.joint != "&&":
                for earlier in perhaps:
                    self.forget(*sets(earlier))
                perhaps = perhaps if node.joint else []
            self.node(node)
            if node.joint:
                perhaps.append(node)
        for earlier in perhaps:
            self.forget(*sets(earlier))

    # -- what a command does ----------------------------------------------------------------------------------------

    def ask(self, why: str) -> None:
        self.verdict.asks.append(why)

    def writes(self, path: str, follows: bool = True) -> None:
        """A path that is written, made, removed or changed."""
        if path.startswith(TEMP) and not has_marks(path[1:]) and ".." not in path:
            return
        if path == "/dev/fd/" + INT:
            return  # a process that stands in the command itself
        if has_marks(path) or not path:
            self.ask("it writes to a path that is not known")
        elif path in _DEVICES or (path.startswith("/dev/fd/") and path[8:].isdigit()):
            pass
        elif path.startswith(("/dev/tcp/", "/dev/udp/")):
            self.ask("it opens a connection")
        elif not os.path.isabs(path) and self.state.cwd is None:
            self.ask("it writes below a folder that is not known")
        else:
            whole = os.path.join(self.state.cwd or "", path)
            if not self.is_free(whole):
                self.verdict.writes.append(whole)
            elif self.links and follows:
                self.ask("it writes where a link may lead elsewhere")

    # -- nodes ------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> None:
        if node.background:
            self.verdict.background = True
        kind = node.kind
        if kind == "pipe":
            self.pipe(node)
            return
        before = self.stdin
        for redirect in node.redirects:
            self.redirect(redirect)
            if redirect.operator.startswith("<"):
                self.stdin = ANY
        self.effect(node)
        self.stdin = before

    def effect(self, node: Node) -> None:
        kind = node.kind
        if kind == "simple":
            self.simple(node)
            return
        self.prints = ANY
        if kind == "group":
            self.script(node.bodies[0])
        elif kind == "subshell":
            self.apart(node.bodies[0])
        elif kind == "arithmetic":
            self.expander.arithmetic(node.parts)
        elif kind == "test":
            self.test(node)
        elif kind == "function":
            self.function(node)
        else:
            self.branches(node)

    @property
    def expander(self) -> Expander:
        return Expander(self.state, self.substitution)

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
        """In a process of its own: its folder and its variables stay there."""
        before, functions = self.state, set(self.functions)
        self.state = before.copy()
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
                    argument.text
                    if not argument.many or set(argument.text) <= {INT}
                    else ANY
                    if argument.may_be_option
                    else argument.text
                    for argument in arguments
                ]
        elif node.words:  # of a case: what it looks at, and its patterns
            for word in node.words:
                self.expander.single(word)
        changed, moves = sets(node)
        self.forget(changed, moves)
        before = self.state
        for body in node.bodies:
            if node.kind != "loop":
                self.state = before.copy()
            if node.kind == "for":
                self.state.set(node.name, options)
            self.script(body)
        self.state = before
        self.forget(changed, moves)

    def forget(self, names: Mapping[str, bool], moves: bool) -> None:
        for name, numbers in names.items():
            self.state.variables[name] = (INT,) if numbers and self.state.is_number(name) else (ANY,)
        if moves:
            self.state.cwd = None

    def function(self, node: Node) -> None:
        """Judged where it is defined, with nothing known: then it holds wherever it is called."""
        before = self.state
        self.state = State(None, before.environ)
        self.state.variables = dict.fromkeys(before.variables, (ANY,))
        self.state.in_function = True
        self.functions.add(node.name)
        self.script(node.bodies[0])
        self.state = before
        self.forget(*sets(node))

    def test(self, node: Node) -> None:
        """`[[ … ]]`: a number's text is evaluated there, and so is the index of a variable that is asked for."""
        words = [self.expander.single(word) for word in node.words]
        for place, values in enumerate(words):
            operator = values[0] if len(values) == 1 else ""
            if operator in _BOTH_WAYS:
                for beside in words[max(0, place - 1) : place + 2 : 2]:
                    if not all(v.lstrip("-").replace(INT, "0").isdigit() for v in beside):
                        raise Unclear("it compares values that are not known to be numbers")
            if operator in ("-v", "-R") and not all(
                is_name(v) for v in (words[place + 1 : place + 2] or [[""]])[0]
            ):
                raise Unclear("it asks whether a computed variable is set")

    def redirect(self, redirect: Redirect) -> None:
        operator = redirect.operator
        if operator in ("<<", "<<-"):
            self.expander.effects(redirect.body)
            return
        for target in self.expander.single(redirect.target):
            if operator == "<<<":
                continue
            if (operator in ("<&", ">&") and target.rstrip("-").replace(INT, "0").isdigit()) or target == "-":
                continue
            if operator in ("<", "<&"):
                if target.startswith(("/dev/tcp/", "/dev/udp/")):
                    self.ask("it opens a connection")
            elif any(c in target for c in "*?["):
                self.ask("it writes to a path that is a pattern")
            else:
                self.writes(target)

    def simple(self, node: Node) -> None:

        self.prints = ANY
        name = node.words[0].text() if node.words else None
        if not node.words or name in DECLARES:
            self.assign(node, exports=name in ("export", "declare", "typeset"))
        else:
            for assign in node.assigns:
                values = self.expander.single(assign.values) if not isinstance(assign.values, list) else [ANY]
                if assign.subscript is not None or isinstance(assign.values, list):
                    raise Unclear("an array is set for one command")
                if assign.name == "IFS" and name in ("read", "mapfile", "readarray"):
                    continue
                self.state.check_exported(assign.name, values)
        if node.words:
            for arguments in self.expander.product(node.words):
                self.command(arguments)

    def assign(self, node: Node, exports: bool) -> None:
        for assign in node.assigns:
            self.state.check_name(assign.name)
            if assign.subscript is not None and not assign.subscript.isdigit():
                raise Unclear("an array's index is computed")
            if isinstance(assign.values, list):
                for word in assign.values:
                    self.expander.word(word)
                values = [ANY]
            else:
                values = self.expander.single(assign.values)
            if exports:
                self.state.check_exported(assign.name, values)
            plain = not assign.append and assign.subscript is None and not self.state.in_function
            self.state.set(assign.name, values if plain else [ANY])

    def command(self, arguments: list[Arg]) -> None:
        """One program or builtin with its arguments."""
        from debate.guard.shell import programs

        if not arguments:
            return
        name = arguments[0]
        if not name.known or not name.text:
            self.ask("which program it runs is not known")
        elif name.text in self.functions:
            pass  # its body was judged where it was defined
        else:
            programs.judge(self, name.text, arguments[1:])


def sets(node: Node) -> tuple[dict[str, bool], bool]:
    """The variables that a command may set, however deep, whether to numbers only, and if it changes the folder."""
    found: dict[str, bool] = {}
    moves = False

    def add(name: str | None, number: bool) -> None:
        if name and is_name(name):
            found[name] = number and found.get(name, True)

    for assign in node.assigns:
        parts = [] if isinstance(assign.values, list) else assign.values.parts
        numbers = [
            part.kind == "arithmetic" or (part.kind == "text" and part.text.isdigit()) for part in parts
        ]
        add(assign.name, numbers == [True] and not assign.append)
    if node.kind == "for":
        add(node.name, False)
    words = [word.text() for word in node.words]
    if node.kind == "simple" and words:
        moves = words[0] in ("cd", "pushd", "popd") or words[0] is None
        if words[0] in (
            "read",
            "mapfile",
            "readarray",
            "getopts",
            "printf",
            "unset",
            "export",
            "declare",
            "local",
        ):
            for word in words[1:]:
                add(word, False)
    if node.kind == "arithmetic":
        text = "".join(part.text if part.kind == "text" else " " for part in node.parts)
        if "=" in text or "++" in text or "--" in text:
            for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split():
                add(word, True)
    for body in node.bodies:
        for inner in body:
            more, also = sets(inner)
            for name, number in more.items():
                add(name, number)
            moves = moves or (also and node.kind != "subshell")
    return found, moves
