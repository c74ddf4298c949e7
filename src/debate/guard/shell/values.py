"""What a word can become. An unknown part of it is a mark, so that a rule sees `-n` and `src/?` for what they are.

A word has alternatives (a loop's variable takes several values), each of them a list of arguments.
"""

from __future__ import annotations

from debate.guard.shell import Unclear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from debate.guard.shell.syntax import Node
    from debate.guard.shell.words import Part, Word

# Not characters, by Unicode's own word: a command that holds one is refused.
ANY = "\ufdd0"  # anything, nothing included
INT = "\ufdd1"  # digits, perhaps with a sign
TOKEN = "\ufdd2"  # one or more words that begin with no dash: hashes, names of branches
PATH = "\ufdd3"  # one line that begins with no dash
TEMP = "\ufdd4"  # a fresh path in the temporary folder
MARKS = ANY + INT + TOKEN + PATH + TEMP

MOST = 64  # alternatives of one command

# Whoever sets one of these may run something by a program that only reads.
_RISKY = (
    "BASH", "CDPATH", "DYLD_", "EDITOR", "ENV", "FIGNORE", "FPATH", "FUNCNEST", "GCONV_PATH", "GIT_", "GLOBIGNORE",
    "GREP_", "HOME", "IFS", "INPUTRC", "LD_", "LESS", "LOCPATH", "MAN", "NLSPATH", "NODE_", "PAGER", "PATH", "PERL",
    "POSIXLY_CORRECT", "PROMPT_", "PS4", "PYTHON", "RIPGREP_", "RUBY", "SHELL", "TERMINFO", "TMPDIR", "VISUAL", "XDG_",
    "OPTIND", "RANDOM", "SECONDS",
)  # fmt: skip
_HARMLESS = (
    "LC_",
    "LANG",
    "TZ",
    "NO_COLOR",
    "CLICOLOR",
    "FORCE_COLOR",
    "TERM",
    "COLUMNS",
    "LINES",
    "GIT_OPTIONAL_LOCKS",
)
_PAGERS = ("PAGER", "GIT_PAGER", "MANPAGER", "BAT_PAGER", "GH_PAGER")


class Arg:
    """One argument; `many` says that it may be several, or none."""

    __slots__ = ("many", "text")

    def __init__(self, text: str, many: bool = False) -> None:
        self.text, self.many = text, many

    @property
    def known(self) -> bool:
        return not self.many and not has_marks(self.text)

    @property
    def may_be_option(self) -> bool:
        return self.text[:1] in ("-", ANY) or (self.text[:1] == "" and self.many)

    def __repr__(self) -> str:
        return f"Arg({self.text!r}{', many' if self.many else ''})"


def has_marks(text: str) -> bool:
    return any(mark in text for mark in MARKS)


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


class State:
    """The folder and the variables by now. A variable that is not here is the environment's, and not known."""

    def __init__(self, cwd: str | None, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = environ
        self.variables: dict[str, tuple[str, ...]] = {}
        self.in_function = False

    def copy(self) -> State:
        other = State(self.cwd, self.environ)
        other.variables = dict(self.variables)
        other.in_function = self.in_function
        return other

    def of(self, name: str) -> tuple[str, ...]:
        if name in ("#", "?", "$", "!"):
            return (INT,)
        return self.variables.get(name, (ANY,))

    def set(self, name: str, values: Iterable[str]) -> None:
        known = tuple(dict.fromkeys(values))
        self.variables[name] = known if len(known) <= MOST else (ANY,)

    def check_name(self, name: str) -> None:
        """Whether a script may set this variable without anything running because of it."""
        risky = name.startswith(_RISKY) or name.endswith("PAGER") or name in self.environ
        if not is_name(name) or (risky and not name.startswith(_HARMLESS)):
            raise Unclear(f"it sets {name}")

    def check_exported(self, name: str, values: Iterable[str]) -> None:
        """Programs read it then: only names that no program knows, or that are known to be harmless."""
        if name in _PAGERS and all(value in ("cat", "") for value in values):
            return
        own = (name == name.lower() and not name.endswith("proxy")) or len(name) <= 2
        if name.startswith(_HARMLESS) or (own and is_name(name) and name not in self.environ):
            return
        raise Unclear(f"it runs a program with {name} set")

    def is_number(self, name: str) -> bool:
        """In an arithmetic expression a variable's text is read as one, and may run something."""
        values = self.variables.get(name)
        return values is None or all(v.lstrip("-").replace(INT, "0").isdigit() or not v for v in values)


class Expander:
    """Words into arguments. `run` judges the commands of a substitution and says what they print."""

    def __init__(self, state: State, run: Callable[[list[Node]], str]) -> None:
        self.state = state
        self.run = run

    def word(self, word: Word) -> list[list[Arg]]:
        """The alternatives of one word; each is a list, since a word may become several arguments, or none."""
        return [self._fields(pairs) for option in self._pairs(word.parts) for pairs in [option]] or [
            [Arg("")]
        ]

    def single(self, word: Word) -> list[str]:
        """As in an assignment or after a redirection's sign: one text, neither split nor matched with files."""
        found = ["".join(text for text, _ in pairs) for pairs in self._pairs(word.parts, braces=False)]
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
                text += part.text
            else:
                values = self._values(part)
                if not all(value.lstrip("-").replace(INT, "0").isdigit() for value in values):
                    raise Unclear("it computes with a value that is not known")
                text += "0"
        name = ""
        for character in text + " ":
            if character.isascii() and (character.isalnum() or character == "_"):
                name += character
                continue
            if name and not name[0].isdigit():
                if not self.state.is_number(name):
                    raise Unclear(f"it computes with {name}, whose value is not known")
                self.state.check_name(name)
                if "=" in text or "++" in text or "--" in text:
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
            return ["/dev/fd/" + INT]
        self.effects(part.parts)
        return [INT if part.kind == "length" else ANY]

    def _pairs(self, parts: list[Part], braces: bool = True) -> list[list[tuple[str, str]]]:
        """Each alternative as texts with their class: q quoted, u as typed, s from an expansion that may split."""
        found: list[list[tuple[str, str]]] = [[]]
        for part in parts:
            values = self._values(part)
            kind = "q" if part.quoted or part.kind == "process" else "u" if part.kind == "text" else "s"
            if (
                part.quoted and part.kind in ("variable", "array") and part.text in ("@", "*")
            ) or part.kind == "array":
                kind, values = "s", [ANY]
            if len(found) * len(values) > MOST:
                values = [ANY]
            found = [[*begun, (value, kind)] for begun in found for value in values]
        return (
            [wide for option in found for wide in (_braces(option) if braces else [option])][:MOST]
            if (len(found) <= MOST)
            else [[(ANY, "s")]]
        )

    def _fields(self, pairs: list[tuple[str, str]]) -> list[Arg]:
        fields: list[Arg] = []
        text, many, there = "", False, False
        stopped = False  # after a pattern what follows is not known: files decide
        patterns = "*?[" if any("]" in piece for piece, kind in pairs if kind != "q") else "*?"

        for piece, kind in pairs:
            if kind == "q":
                there = True
                text += "" if stopped else piece
                continue
            for character in piece:
                if character in " \t\n" and kind == "s":
                    if there:
                        fields.append(Arg(text, many))
                    text, many, there, stopped = "", False, False, False
                    continue
                there = True
                if stopped:
                    continue
                if character in patterns:
                    text, many, stopped = text + ANY, True, True
                elif kind == "s" and character in (ANY, PATH):
                    text, many = text + ANY, True
                elif kind == "s" and character in MARKS:
                    text, many = text + character, True
                else:
                    text += character
        if there:
            fields.append(Arg(text, many))
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
        rest = [(text[start + 1 :], "u"), *pairs[place + 1 :]]
        inside, after = _closed(rest)
        if inside is None:
            continue
        before = [*pairs[:place], (text[:start], "u")]
        whole = "".join(t for t, _ in inside)
        if any("{" in t for t, k in inside if k == "u") or len(inside) > 1:
            return [[*before, (ANY, "s")]]
        if "," in whole:
            choices = whole.split(",")
        elif ".." in whole:
            ends = whole.split("..")
            if not all(end.lstrip("-").isdigit() for end in ends):
                return [[*before, (ANY, "s")]]
            choices = [INT]
        else:
            continue  # `{}` and `{x}` are text
        behind = _braces([("", "u"), *after])
        if len(choices) * len(behind) > MOST:
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
