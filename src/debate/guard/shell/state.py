"""What is known of the shell by now: its folder and its variables; and which of them a script may set."""

from __future__ import annotations

from debate.guard.shell import Unclear, names
from debate.guard.shell.marks import ANY, INT, is_name, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST = 64  # alternatives of one command

# Whoever sets one of these may run something by a program that only reads.
_RISKY = (
    "BASH", "CDPATH", "DYLD_", "EDITOR", "ENV", "FIGNORE", "FPATH", "FUNCNEST", "GCONV_PATH", "GIT_", "GLOBIGNORE",
    "GREP_", "HOME", "IFS", "INPUTRC", "LD_", "LESS", "LOCPATH", "MAN", "NLSPATH", "NODE_", "PAGER", "PATH", "PERL",
    "POSIXLY_CORRECT", "PROMPT_", "PS4", "PYTHON", "RIPGREP_", "RUBY", "SHELL", "TERMINFO", "TMPDIR", "VISUAL", "XDG_",
)  # fmt: skip
# Bash sets these itself, or makes something of what is given to them: their value is never what a script set.
_OF_BASH = names(
    """
    _ COLUMNS COMP_WORDBREAKS COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD HOSTNAME LINENO
    LINES MAPFILE OLDPWD OPTARG OPTERR OPTIND PIPESTATUS PPID PWD RANDOM READLINE_LINE READLINE_POINT REPLY SECONDS
    SHLVL SRANDOM TIMEFORMAT UID
    """
)
_HARMLESS = names(
    "_ TZ NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR COLORTERM TERM COLUMNS LINES GIT_OPTIONAL_LOCKS LANG LANGUAGE"
)
_PAGERS = ("PAGER", "GIT_PAGER", "MANPAGER", "BAT_PAGER", "GH_PAGER")
POSITIONS = tuple("123456789")


class State:
    """A variable that is not here is the environment's, and not known. `instead`: where we are if there is no `cwd`.
    `old`, `stack`: where `cd -` and `popd` would go, if known."""

    __slots__ = ("cwd", "environ", "fixed", "in_function", "instead", "lost", "old", "stack", "variables")

    def __init__(self, cwd: str | None, environ: Mapping[str, str], lost: bool = False) -> None:
        self.cwd = cwd
        self.instead: str | None = None
        self.old: str | None = None
        self.stack: tuple[str | None, ...] | None = ()
        self.environ = environ
        self.variables: dict[str, tuple[str, ...]] = {}
        self.fixed: set[str] = set()  # an assignment to these fails
        self.lost = lost  # any variable may hold anything
        self.in_function = False

    def copy(self) -> State:
        other = State(self.cwd, self.environ, self.lost)
        other.instead, other.old, other.stack = self.instead, self.old, self.stack
        other.variables = dict(self.variables)
        other.fixed = self.fixed  # of a process apart, too: rather too many
        other.in_function = self.in_function
        return other

    def of(self, name: str) -> tuple[str, ...]:
        return (INT,) if name in ("#", "?", "$", "!") else self.variables.get(name, (ANY,))

    def set(self, name: str, values: Iterable[str]) -> None:
        known = tuple(dict.fromkeys(values))
        trusted = len(known) <= MOST and name not in self.fixed and name not in _OF_BASH
        self.variables[name] = known if trusted else (ANY,)

    def go(self, place: str | None, instead: str | None = None) -> None:
        self.old, self.cwd, self.instead = None if self.instead else self.cwd, place, instead

    def lose_place(self) -> None:
        self.cwd = self.instead = self.old = self.stack = None

    def check_name(self, name: str) -> None:
        """Whether a script may set this variable without anything running because of it."""
        risky = name in self.fixed or (self._is_risky(name) and not _is_harmless(name))
        if not is_name(name) or risky:
            raise Unclear(f"it sets {name}")

    def _is_risky(self, name: str) -> bool:
        return name.startswith(_RISKY) or name.endswith("PAGER") or name in _OF_BASH or name in self.environ

    def check_exported(self, name: str, values: Iterable[str]) -> None:
        """Programs read it then: only names that no program knows, or that are known to be harmless."""
        if name in _PAGERS and all(value in ("cat", "") for value in values):
            return
        theirs = name.endswith("proxy") or name.startswith("npm_")
        own = (name == name.lower() and not theirs) or len(name) <= 2
        if _is_harmless(name) or (own and is_name(name) and name not in self.environ):
            return
        raise Unclear(f"it runs a program with {name} set")

    def is_number(self, name: str) -> bool:
        """In an arithmetic expression a variable's text is read as one, and may run something."""
        values = self.variables.get(name)
        if values is None:
            is_set = self.lost or name in _OF_BASH or name in self.environ
            return not is_set or is_number(self.environ.get(name, ""))
        return all(is_number(value) or not value for value in values)


def check_language(name: str, values: Iterable[str]) -> None:
    """In some of them a byte of one character is a backslash to bash, from the next line on."""
    if name.startswith(("LC_", "LANG")):
        for value in values:
            coding = value.rpartition(".")[2].lower()
            if value not in ("", "C", "POSIX", "en_US", "en") and coding not in ("utf-8", "utf8"):
                raise Unclear(f"it sets {name} to what is not known")


def _is_harmless(name: str) -> bool:
    return name in _HARMLESS or (name.startswith("LC_") and is_name(name))
