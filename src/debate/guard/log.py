"""The session log: what hooks saw and what the helper did, one JSON line an event, in order.

A session's state is the fold of its lines. That the file exists is what wakes the hooks, and its name tells the
shell entry how much is at stake: `ID.ticket` (a debate was asked for) or `ID.armed` (a debate is on). When the guard
lifts, the file moves to `lifted/`, where the takeover still finds it.

Lines by hooks:   ticket  called  call  launched  failed  stopped  shown  answered  granted  asked  ran  violation
                  typed  slash  gone  back  survived  moved  lifted
Lines by helper:  bound  issued  question  ended  givenup  told  late  lost
"""

from __future__ import annotations

import fcntl
import json
import os
import time

TYPE_CHECKING = False  # `typing` itself would cost a third of a decision
if TYPE_CHECKING:
    from typing import Any

    Line = dict[str, Any]
else:
    Line = dict

LONG = 400  # longer texts lie beside the log under their hash, so that a decision reads a short file
_TEXTS = ("text", "words", "error", "questions", "answers", "before", "command")
# These name their session: in a copy of the file they arm nothing.
_ITS_OWN = ("ticket", "called", "bound", "survived")

# What a line cannot do without, and what its values must be for the fold to hold them. Any other line is skipped as
# a torn one is: whoever wrote it, a hook that stumbles over it would let every call through.
_NEEDS = {
    "called": ("verb",), "bound": ("d", "root"), "issued": ("rid",), "call": ("rid", "id"), "launched": ("id",),
    "failed": ("id",), "givenup": ("rid", "id"), "stopped": ("agent_id",), "question": ("questions",),
    "answered": ("answers",), "typed": ("text",), "told": ("upto",), "granted": ("files",), "asked": ("id", "key"),
    "ran": ("id",), "violation": ("files",), "survived": ("agents",),
}  # fmt: skip
_MUST_BE = {
    "rid": str, "id": str, "d": str, "to": str, "agent_id": str, "root": str,
    "files": list, "agents": list, "key": str, "question": int, "number": int, "upto": int, "pid": int,
    "queued": float,
}  # fmt: skip


def state_folder(environ: Any = os.environ) -> str:
    base = environ.get("XDG_STATE_HOME") or ""
    if not os.path.isabs(base):  # a relative one is void, by the XDG specification
        base = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local/state")
    return os.path.join(base, "debate")


def is_session_id(text: str) -> bool:
    """Client ids are UUIDs; anything that could name another file is none."""
    return bool(text) and len(text) <= 100 and text.isascii() and all(c.isalnum() or c in "-_" for c in text)


class Log:
    """One session's log file, wherever it stands now."""

    def __init__(self, session: str, folder: str | None = None, path: str | None = None) -> None:
        self.session = session
        self.folder = folder or state_folder()
        self._path = path

    @property
    def path(self) -> str | None:
        if self._path and os.path.exists(self._path):
            return self._path
        # .armed once more: it may have been renamed between the looks
        for ending in (".armed", ".ticket", ".armed") if is_session_id(self.session) else ():
            path = os.path.join(self.folder, "sessions", self.session + ending)
            if os.path.exists(path):
                return path
        return None

    @property
    def armed(self) -> bool:
        path = self.path
        return bool(path and path.endswith(".armed"))

    @property
    def is_lifted(self) -> bool:
        return bool(self._path and os.sep + "lifted" + os.sep in self._path)

    def open_ticket(self) -> None:
        for part in ("sessions", "lifted"):  # the latter now, for then the disk may be full
            os.makedirs(os.path.join(self.folder, part), mode=0o700, exist_ok=True)
        if self.path is None and is_session_id(self.session):
            path = os.path.join(self.folder, "sessions", self.session + ".ticket")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))

    def arm(self) -> None:
        path = self.path
        if path and path.endswith(".ticket"):
            os.rename(path, path[: -len(".ticket")] + ".armed")

    def lift(self) -> None:
        """Put the hooks to sleep; the lines stay for the takeover."""
        path = self.path
        if path:
            aside = os.path.join(self.folder, "lifted")
            os.makedirs(aside, mode=0o700, exist_ok=True)
            os.rename(path, os.path.join(aside, f"{self.session}.{time.time_ns()}.log"))

    def remove(self) -> None:
        path = self.path
        try:
            if path:
                os.unlink(path)
            if not any(log.session == self.session for log in every_log(self.folder)):
                texts = os.path.join(self.folder, "texts", self.session)
                for name in os.listdir(texts):
                    os.unlink(os.path.join(texts, name))
                os.rmdir(texts)
        except FileNotFoundError:
            pass  # somebody else may be at it, too

    def add(self, event: str, **what: Any) -> None:
        """Append one line. A line that a crash cut short is closed first, so that it spoils only itself."""
        given = {k: self._beside(v) if k in _TEXTS else v for k, v in what.items() if v is not None}
        if event in _ITS_OWN:
            given["s"] = self.session
        line = {"e": event, "t": round(time.time(), 3), **given}
        data = (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        descriptor = self._open(os.O_RDWR | os.O_APPEND)  # never O_CREAT: the name decides whether hooks wake
        if descriptor is None:
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            while data:
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)

    def _open(self, flags: int) -> int | None:
        """The file wherever it stands by now: arming and lifting rename it, and no event may be lost over that."""
        for _ in range(10):
            path = self.path
            if path is None:
                return None
            try:
                return os.open(path, flags | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
        return None

    def lines(self) -> list[Line]:
        """Every whole line of this session's; `n` is its number, which a turn's mark names as its source."""
        return [line for line in self._whole_lines() if line.get("s", self.session) == self.session]

    @property
    def is_anothers(self) -> bool:
        """A copy, under this session's name, of the log of another one: every line that names its session says so."""
        named = {str(line["s"]) for line in self._whole_lines() if "s" in line}
        return bool(named) and self.session not in named

    def _whole_lines(self) -> list[Line]:
        descriptor = self._open(os.O_RDONLY)
        if descriptor is None:
            return []
        with open(descriptor, "rb") as file:
            raw = file.read().split(b"\n")
        found = []
        for number, data in enumerate(raw, 1):
            try:
                line = json.loads(data)
            except (ValueError, RecursionError):
                continue
            if _is_sound(line):
                found.append({**line, "n": number})
        return found

    def mentions(self, words: str) -> bool:
        """Whether it is worth reading: most logs are about other debates."""
        path = self.path
        try:
            with open(path or "", "rb") as file:
                return words.encode() in file.read()
        except OSError:
            return False

    def text(self, value: Any) -> str:
        """A text as it was, from the line or from beside the log."""
        if isinstance(value, dict):
            name = str(value.get("sha"))
            path = os.path.join(self.folder, "texts", self.session, name if is_session_id(name) else "")
            try:
                with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
                    return file.read()
            except (OSError, ValueError):
                return ""
        return value if isinstance(value, str) else ""

    def _beside(self, value: Any) -> Any:
        if not isinstance(value, str) or len(value) <= LONG:
            return value
        from hashlib import sha256

        data = value.encode("utf-8", "surrogatepass")
        name = sha256(data).hexdigest()
        folder = os.path.join(self.folder, "texts", self.session)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            draft = f"{path}.{os.getpid()}"
            with open(draft, "wb") as file:
                file.write(data)
            os.rename(draft, path)
        return {"sha": name}


def _is_sound(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and isinstance(line.get("e"), str)
        and isinstance(line.get("t"), (int, float))
        and 0 <= line["t"] < 1e11
        and all(key in line for key in _NEEDS.get(line["e"], ()))
        and all(isinstance(line[key], kind) for key, kind in _MUST_BE.items() if key in line)
    )


def every_log(folder: str | None = None) -> list[Log]:
    """All logs there are, live ones first."""
    folder = folder or state_folder()
    found = []
    for part in ("sessions", "lifted"):
        place = os.path.join(folder, part)
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            if name.endswith((".armed", ".ticket", ".log")):
                found.append(Log(name.split(".", 1)[0], folder, os.path.join(place, name)))
    return found
