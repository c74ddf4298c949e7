"""What a command writes, and what it redirects."""

from __future__ import annotations

import os

from debate.guard.shell import Verdict
from debate.guard.shell.marks import ANY, CHILD, INT, TEMP, has_marks, is_digits
from debate.guard.shell.state import State
from debate.guard.shell.values import Expander

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from debate.guard.shell.syntax import Node, Redirect

_DEVICES = {
    "/dev/null": "",
    "/dev/tty": "",
    "/dev/zero": "",
    "/dev/full": "",
    "/dev/stdout": "1",
    "/dev/stderr": "2",
}
_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")


class Writing:
    def __init__(self, cwd: str, environ: Mapping[str, str], is_free: Callable[[str], bool]) -> None:
        self.verdict = Verdict()
        self.is_free = is_free
        self.state = State(cwd, environ)
        self.stdin = ANY  # what the lines of a pipe are, for whoever takes its arguments from there
        self.links = False  # a link may lie in the temporary folder by now, and lead out of it
        self.shaken = False  # what was there may be there no more
        self.opened: set[str] = (
            set()
        )  # the descriptors by which a file is read, which may be opened anew to write it
        self.closed = False  # a descriptor may be closed, and what goes there fails
        self.arrays = True  # a variable may be a list
        self._plain: dict[str, bool] = {}

    # The tree is walked elsewhere.
    def substitution(self, nodes: list[Node]) -> str:
        raise NotImplementedError

    @property
    def expander(self) -> Expander:
        cwd = self.state.cwd
        return Expander(
            self.state,
            self.substitution,
            lambda folder: cwd is not None and self.has_plain_files(os.path.join(cwd, folder)),
        )

    def has_plain_files(self, folder: str | None) -> bool:
        """Whether no name in it begins with a dash, nor may by the time that the command runs. Names in the user's
        own folders are taken as they are: nothing that was not allowed can make one there."""
        if folder is None or self.state.instead or self.is_free(os.path.join(folder, "x")):
            return False
        if folder not in self._plain:
            try:
                self._plain[folder] = not any(name.startswith("-") for name in os.listdir(folder))
            except OSError:
                self._plain[folder] = False
        return self._plain[folder]

    def ask(self, why: str) -> None:
        self.verdict.asks.append(why)

    def writes(self, path: str, follows: bool = True) -> None:
        """A path that is written, made, removed or changed; `follows`: a link at its end is followed."""
        if path == CHILD:
            return
        if path.startswith(TEMP) and not has_marks(path[1:]) and path[1:2] in ("", "/") and ".." not in path:
            if self.links:
                self.ask("it writes where a link may lead elsewhere")
        elif has_marks(path) or not path:
            self.ask("it writes to a path that is not known")
        elif path in _DEVICES or (path.startswith("/dev/fd/") and is_digits(path[8:])):
            if self._may_be_a_file(_DEVICES.get(path, path[8:])):
                self.ask("it writes to a descriptor by which a file may be read")
        elif path.startswith(_CONNECTIONS):
            self.ask("it opens a connection")
        elif not os.path.isabs(path) and (self.state.cwd is None or self.state.instead):
            self.ask("it writes below a folder that is not known")
        else:
            self._writes(os.path.join(self.state.cwd or "", path), follows)

    def _writes(self, path: str, follows: bool) -> None:
        if not self.is_free(path) or _leads_through_a_process(path):
            self.verdict.writes.append(path)
        elif self.links and (follows or self.is_free(os.path.dirname(path.rstrip("/")))):
            self.ask("it writes where a link may lead elsewhere")

    def _may_be_a_file(self, number: str) -> bool:
        """Others than these are opened by whoever is run, to read one of its files."""
        return number not in ("", "1", "2") or number in self.opened

    def redirect(self, redirect: Redirect) -> None:
        operator, target = redirect.operator, redirect.target
        if redirect.number.startswith("{"):
            name = redirect.number.strip("{}")
            self.state.check_name(name)
            self.state.set(name, [INT])
        if operator in ("<<", "<<-"):
            self.expander.effects(redirect.body)
        elif operator == "<" and [part.kind for part in target.parts] == ["process"]:
            self.stdin = self.substitution(list(target.parts[0].nodes))
            return
        else:
            for path in self.expander.single(target):
                self._redirect(operator, path, redirect.number)
        if operator.startswith("<"):
            self.stdin = ANY

    def is_certain(self, redirect: Redirect) -> bool:
        """Whether it cannot fail: a command whose redirection fails does not run."""
        target = redirect.target.text()
        copies = redirect.operator in (">&", "<&") and target in ("0", "1", "2", "-") and not self.closed
        process = [part.kind for part in redirect.target.parts] == ["process"]
        return copies or process or target == "/dev/null" or redirect.operator in ("<<", "<<-", "<<<")

    def _redirect(self, operator: str, path: str, number: str) -> None:
        if operator == "<<<":
            return
        self.closed = self.closed or path[-1:] == "-"
        if operator in ("<&", ">&") and (path == "-" or is_digits(path.removesuffix("-").replace(INT, "0"))):
            if path.removesuffix("-") in self.opened or INT in path:
                self.opened.add(number or str("<>".index(operator[0])))
        elif operator in ("<", "<&"):
            if path.startswith((*_CONNECTIONS, ANY)):
                self.ask("it may open a connection")
            elif path not in _DEVICES:
                self.opened.add(number or "0")
        elif any(c in path for c in "*?["):
            self.ask("it writes to a path that is a pattern")
        else:
            self.writes(path)


def _leads_through_a_process(path: str) -> bool:
    """`/proc/self/cwd` is another folder for the one who writes than for us, and a link may lead there."""
    waiting, here = path.split("/")[::-1], ""
    for _ in range(1000):
        if not waiting:
            return False
        part = waiting.pop()
        if part in ("", ".", ".."):
            here = here.rpartition("/")[0] if part == ".." else here
            continue
        here, above = f"{here}/{part}", here
        if here in ("/proc", "/dev/fd"):
            return True
        if os.path.islink(here):
            target = os.readlink(here)
            here = "" if target.startswith("/") else above
            waiting += target.split("/")[::-1]
    return True
