"""Bash as a tree: lists, pipelines, compound and simple commands, words with their expansions.

A reader for deciding, not for running: it keeps what can have an effect and refuses, with Unclear, whatever it does
not read as bash does.
"""

from __future__ import annotations

from debate.guard.shell import Unclear, names
from debate.guard.shell.marks import has_marks, is_digits, is_name
from debate.guard.shell.words import Part, Reader, Word

RESERVED = names(
    """
    if then else elif fi do done case esac while until for in { } ! [[ ]] function select time coproc
    """
)
DECLARES = frozenset(("declare", "typeset", "local", "export", "readonly"))  # their words may be assignments


class Node:
    """One command. `kind` says which of the fields it has."""

    __slots__ = (
        "assigns", "background", "begins_line", "bodies", "joint", "kind", "name", "parts", "redirects", "words",
    )  # fmt: skip

    def __init__(self, kind: str) -> None:
        self.kind = kind  # simple, pipe, group, subshell, for, loop, if, case, function, test, arithmetic
        self.name = ""  # the variable of a for, the name of a function
        self.words: list[Word] = []
        self.parts: list[Part] = []  # of an arithmetic expression
        self.assigns: list[Assign] = []
        self.redirects: list[Redirect] = []
        self.bodies: list[list[Node]] = []
        self.background = False
        self.begins_line = False
        self.joint = ""  # && or ||, where whether it runs depends on what stands before it


class Assign:
    """`lent`: it stands before a command, and is set for that alone."""

    __slots__ = ("append", "lent", "name", "subscript", "values")

    def __init__(self, name: str, subscript: str | None, append: bool, values: Word | list[Word]) -> None:
        self.name, self.subscript, self.append, self.values = name, subscript, append, values
        self.lent = False


class Redirect:
    """`number`: the descriptor as it is typed, `{name}` where its number goes to a variable, or nothing."""

    __slots__ = ("body", "number", "operator", "target")

    def __init__(self, operator: str, target: Word, number: str = "") -> None:
        self.operator, self.target, self.number = operator, target, number
        self.body: list[Part] = []  # of a here-document


def parse(text: str) -> list[Node]:
    if any(c < " " and c not in "\t\n" for c in text) or "\x7f" in text or "\u0085" in text:
        raise Unclear("it holds control characters")
    if has_marks(text):
        raise Unclear("it holds what is no character")
    grammar = Grammar(text)
    nodes = grammar.commands(frozenset())
    if grammar.at < len(text):
        raise Unclear(f"`{text[grammar.at : grammar.at + 10]}` stands where no command begins")
    return nodes


class Grammar(Reader):
    """Recursive descent over the text, reading words by Reader."""

    def __init__(self, text: str, at: int = 0) -> None:
        super().__init__(text, at)
        self.documents: list[
            tuple[Redirect, str, bool, bool]
        ] = []  # here-documents whose body is still to come

    # -- lists ----------------------------------------------------------------------------------------------------

    def commands(self, until: frozenset[str], closing: str = "") -> list[Node]:
        """Pipelines up to a reserved word of `until`, or up to the closing character, or the end."""
        found: list[Node] = []
        joint = ""
        begun = 0  # where the last list of && and || begins
        while True:
            start = self.at
            self.lines()
            if self.at >= self.size or (closing and self.peek() == closing) or self.peek(2) in (";;", ";&"):
                return found
            if self.reserved() in until:
                return found
            begins_line = "\n" in self.text[start : self.at] and not joint
            node = self.pipeline()
            node.begins_line = begins_line
            begun = begun if joint else len(found)
            node.joint, joint = joint, ""
            found.append(node)
            self.blanks()
            two, one = self.peek(2), self.peek()
            if two in ("&&", "||"):
                joint = two
                self.at += 2
                self.lines()
                if self.at >= self.size:
                    raise Unclear("it ends after an operator")
            elif one == "&":
                self.at += 1
                found[begun:] = [_apart(found[begun:])]
            elif one == ";" and two not in (";;", ";&"):
                self.at += 1
            elif one != "\n" and one != closing and two not in (";;", ";&") and self.at < self.size:
                raise Unclear(f"`{one}` stands where a command should end")

    def lines(self) -> None:
        """Blanks, comments, line ends, and the here-documents that begin after one."""
        while True:
            self.blanks()
            if self.peek() != "\n":
                return
            self.at += 1
            self.read_documents()

    def blanks(self) -> None:
        while self.at < self.size:
            if self.text[self.at] in " \t":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = self.size if end < 0 else end
            else:
                return

    def reserved(self) -> str:
        """The reserved word that stands here, or nothing. Quoted it is none."""
        end = self.at
        while end < self.size and self.text[end] not in " \t\n;&|()<>":
            end += 1
        word = self.text[self.at : end].replace("\\\n", "")
        return word if word in RESERVED else ""

    def expect(self, word: str) -> None:
        self.lines()
        if self.reserved() != word:
            raise Unclear(f"`{word}` is missing")
        self.take(word)

    def take(self, word: str) -> None:
        for letter in word:
            while self.text.startswith("\\\n", self.at):
                self.at += 2
            assert self.text[self.at] == letter
            self.at += 1

    def pipeline(self) -> Node:
        pipe = Node("pipe")
        while self.reserved() in ("!", "time"):
            word = self.reserved()
            self.take(word)
            self.blanks()
            if word == "time" and self.text.startswith("-p", self.at):
                self.at += 2
                self.blanks()
        while True:
            pipe.bodies.append([self.command()])
            self.blanks()
            if self.peek() != "|" or self.peek(2) == "||":
                return pipe
            if self.peek(2) == "|&":
                pipe.bodies[-1][0].redirects.append(Redirect(">&", Word.literal("1"), "2"))
                self.at += 1
            self.at += 1
            self.lines()

    # -- commands -------------------------------------------------------------------------------------------------

    def command(self) -> Node:
        word = self.reserved()
        if self.peek(2) == "((":
            node = Node("arithmetic")
            node.parts = self.arithmetic("((")
        elif self.peek() == "(":
            node = Node("subshell")
            self.at += 1
            node.bodies = [self.commands(frozenset(), ")")]
            self.close(")")
        elif word == "{":
            node = Node("group")
            self.take("{")
            node.bodies = [self.commands(frozenset("}"))]
            self.expect("}")
        elif word in ("while", "until"):
            node = Node("loop")
            self.take(word)
            node.bodies = [self.commands(frozenset({"do"})), self.block()]
        elif word == "if":
            node = self.if_command()
        elif word == "for":
            node = self.for_command()
        elif word == "case":
            node = self.case_command()
        elif word == "[[":
            node = self.test_command()
        elif word == "function":
            self.take("function")
            self.blanks()
            start = self.at
            return self.function(self.plain_name(), start)
        elif word:
            raise Unclear(f"`{word}` stands where a command begins")
        else:
            return self.simple()
        self.redirects(node)
        return node

    def block(self) -> list[Node]:
        self.expect("do")
        body = self.commands(frozenset({"done"}))
        self.expect("done")
        return body

    def if_command(self) -> Node:
        node = Node("if")
        self.take("if")
        while True:
            node.bodies.append(self.commands(frozenset({"then"})))
            self.expect("then")
            node.bodies.append(self.commands(frozenset({"elif", "else", "fi"})))
            word = self.reserved()
            self.take(word)
            if word == "else":
                node.bodies.append(self.commands(frozenset({"fi"})))
                self.expect("fi")
            if word != "elif":
                return node

    def for_command(self) -> Node:
        self.take("for")
        self.blanks()
        if self.peek(2) == "((":
            node = Node("loop")
            counting = Node("arithmetic")
            counting.parts = self.arithmetic("((")
            self.blanks()
            self.at += self.peek() == ";"
            node.bodies = [[counting], self.block()]
            return node
        node = Node("for")
        node.name = self.plain_name()
        self.lines()
        if self.reserved() == "in":
            self.take("in")
            self.blanks()
            while self.peek() not in ("\n", ";", "&", "|", ")", ""):
                node.words.append(self.word())
                self.blanks()
        else:
            node.words.append(Word([Part("variable", "@", quoted=True)]))
        self.at += self.peek() == ";"
        node.bodies = [self.block()]
        return node

    def case_command(self) -> Node:
        node = Node("case")
        self.take("case")
        self.blanks()
        node.words.append(self.word())
        self.lines()
        self.expect("in")
        while True:
            self.lines()
            if self.reserved() == "esac":
                self.take("esac")
                return node
            self.at += self.peek() == "("
            while True:
                self.blanks()
                node.words.append(self.word())
                self.blanks()
                if self.peek() != "|":
                    break
                self.at += 1
            self.close(")")
            node.bodies.append(self.commands(frozenset({"esac"})))
            for mark in (";;&", ";;", ";&"):
                if self.text.startswith(mark, self.at):
                    self.at += len(mark)
                    break

    def test_command(self) -> Node:
        """`[[ … ]]`: its words in order; a bracket or an operator is a word of its own."""
        node = Node("test")
        self.take("[[")
        while True:
            self.lines()
            if self.reserved() == "]]":
                self.take("]]")
                return node
            if self.at >= self.size:
                raise Unclear("`]]` is missing")
            operator = next((mark for mark in ("&&", "||", "(", ")", "<", ">") if self.here(mark)), "")
            if operator:
                self.at += len(operator)
                node.words.append(Word.literal(operator))
                continue
            word = self.word()
            node.words.append(word)
            if word.text() == "=~":
                self.blanks()
                node.words.append(self.word(pattern=True))

    def function(self, name: str, start: int) -> Node:
        """A name that was quoted is refused by bash, and what follows is another program's name then."""
        if self.text[start : self.at] != name or not all(c.isalnum() or c in "_-.:" for c in name):
            raise Unclear("a function's name is not plain")
        node = Node("function")
        node.name = name
        self.blanks()
        if self.peek() == "(":
            self.at += 1
            self.blanks()
            self.close(")")
        self.lines()
        node.bodies = [[self.command()]]
        return node

    def simple(self) -> Node:
        node = Node("simple")
        while True:
            self.blanks()
            if self.redirect(node):
                continue
            if self.peek() in ("\n", ";", "&", "|", ")", ""):
                break
            if self.peek() == "(":
                raise Unclear("`(` stands in a command")
            if not node.words or node.words[0].text() in DECLARES:
                assign = self.assignment()
                if assign:
                    node.assigns.append(assign)
                    continue
            start = self.at
            word = self.word()
            after = self.at
            self.blanks()
            if not node.words and not node.assigns and self.peek() == "(":
                self.at = after
                return self.function(word.text() or "", start)
            self.at = after
            if not node.words:
                for assign in node.assigns:
                    assign.lent = True
            node.words.append(word)
        if not (node.words or node.assigns or node.redirects):
            raise Unclear("a command is missing")
        return node

    # -- redirections ---------------------------------------------------------------------------------------------

    def redirects(self, node: Node) -> None:
        while True:
            self.blanks()
            if not self.redirect(node):
                return

    def redirect(self, node: Node) -> bool:
        start = self.at
        while is_digits(self.peek()):
            self.at += 1
        if self.at == start and self.peek() == "{":
            end = self.text.find("}", self.at)
            if end > 0 and is_name(self.text[self.at + 1 : end]) and self.text[end + 1 : end + 2] in "<>":
                self.at = end + 1  # {fd}> gives the descriptor's number to a variable
        operators = ("&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">")
        operator = next((mark for mark in operators if self.here(mark)), "")
        if not operator or self.peek(2) in ("<(", ">(") or (operator[0] == "&" and self.at > start):
            self.at = start
            return False
        number = self.text[start : self.at]
        self.at += len(operator)
        self.blanks()
        if self.peek() in ("\n", ";", "&", "|", ")", "<", ">", "") and self.peek(2) not in ("<(", ">("):
            raise Unclear("a redirection has no target")
        raw = self.at
        target = self.word(expands=operator not in ("<<", "<<-"))
        redirect = Redirect(operator, target, number)
        node.redirects.append(redirect)
        if operator in ("<<", "<<-"):
            delimiter = target.text()
            if delimiter is None or "\n" in delimiter:
                raise Unclear("a here-document's end is not plain")
            quoted = any(c in self.text[raw : self.at].replace("\\\n", "") for c in "\\'\"")
            self.documents.append((redirect, delimiter, quoted, operator == "<<-"))
        return True

    def read_documents(self) -> None:
        documents, self.documents = self.documents, []
        for redirect, delimiter, quoted, strips in documents:
            body = ""
            while True:
                if self.at >= self.size:
                    raise Unclear("a here-document does not end")
                line, self.at = self.raw_line(self.at)
                while not quoted and _odd_backslashes(line) and self.at < self.size:
                    more, self.at = self.raw_line(self.at)
                    line = line[:-1] + more
                line = line.lstrip("\t") if strips else line
                if line == delimiter:
                    break
                body += line + "\n"
            if not quoted:
                redirect.body = self.inside(body)

    def raw_line(self, at: int) -> tuple[str, int]:
        end = self.text.find("\n", at)
        end = self.size if end < 0 else end
        return self.text[at:end], end + 1

    def close(self, closing: str) -> None:
        self.lines()
        if self.peek() != closing:
            raise Unclear(f"`{closing}` is missing")
        if self.documents:
            raise Unclear("a here-document begins inside and ends outside")
        self.at += 1

    # -- words that hold commands ---------------------------------------------------------------------------------

    def assignment(self) -> Assign | None:
        """`name=value`, `name+=value`, `name[1]=value`, `name=(…)`, if one begins here."""
        end = self.at
        while (
            end < self.size
            and self.text[end].isascii()
            and (self.text[end].isalnum() or self.text[end] == "_")
        ):
            end += 1
        name = self.text[self.at : end]
        if not name.isidentifier():
            return None
        subscript: str | None = None
        if self.text[end : end + 1] == "[":
            closing = self.text.find("]", end)
            subscript = self.text[end + 1 : closing]
            if closing < 0 or self.text[closing + 1 : closing + 2] not in ("=", "+"):
                return None
            end = closing + 1
        append = self.text.startswith("+=", end)
        if not append and self.text[end : end + 1] != "=":
            return None
        self.at = end + (2 if append else 1)
        if self.peek() != "(":
            if self.peek() in (" ", "\t", "\n", ";", "&", "|", ")", "<", ">", "") and self.peek(2) not in (
                "<(",
                ">(",
            ):
                return Assign(name, subscript, append, Word([]))
            return Assign(name, subscript, append, self.word())
        self.at += 1
        values: list[Word] = []
        while True:
            self.lines()
            if self.peek() == ")":
                self.at += 1
                return Assign(name, subscript, append, values)
            if self.peek() in ("[", ""):
                raise Unclear("an array is given by keys")
            values.append(self.word())

    def plain_name(self) -> str:
        name = self.word().text()
        if not name:
            raise Unclear("a name is not plain")
        return name

    def here(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def substitution(self) -> list[Node]:
        """The commands of `$(…)`, `<(…)` or `>(…)`, after its bracket."""
        outer, self.documents = self.documents, []
        nodes = self.commands(frozenset(), ")")
        self.close(")")
        self.documents = outer
        return nodes

    def nested(self, text: str) -> list[Node]:
        """The commands of a text that stands between backticks."""
        return parse(text)

    def inside(self, text: str) -> list[Part]:
        """The expansions in a here-document's body."""
        return Grammar(text).document_parts()


def _apart(nodes: list[Node]) -> Node:
    """A whole list goes to the background, not only its last command."""
    whole = nodes[0]
    if len(nodes) > 1:
        inner, whole = Node("subshell"), Node("pipe")
        inner.bodies, whole.bodies = [nodes], [[inner]]
        whole.begins_line = nodes[0].begins_line
    whole.background = True
    return whole


def _odd_backslashes(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
