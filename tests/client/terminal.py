"""A person at the client's terminal: what the screen shows, and keys."""

import re
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

KEYS = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "ctrl-c": "\x03",
    "ctrl-u": "\x15",
}
ROWS, COLUMNS = 80, 160


class Terminal:
    """Reads all the time, so that the client never stands still because nobody looks."""

    def __init__(self, command: list[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._news = threading.Condition()
        self._ended = False
        self._submitted = ""
        size = (ROWS, COLUMNS)
        self._process = pexpect.spawn(command[0], command[1:], cwd=str(cwd), env=dict(env), dimensions=size)
        self._process.delaybeforesend = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def screen(self) -> str:
        with self._news:
            rows = [
                [self._screen.buffer[row][column].data for column in range(COLUMNS)] for row in range(ROWS)
            ]
        return "\n".join("".join(row).rstrip() for row in rows).strip("\n")

    def cells(self) -> list[list[pyte.screens.Char]]:
        """What stands in each place, with its colours, once nothing moves."""
        self._stand_still()
        with self._news:
            return [[self._screen.buffer[row][column] for column in range(COLUMNS)] for row in range(ROWS)]

    def shows(self, text: str) -> int:
        """How often the text stands on the screen, broken into lines or not."""
        return _without_spaces(self.screen()).count(_without_spaces(text))

    def wait_for(self, text: str, times: int = 1, seconds: float = 60) -> None:
        self.wait_until(lambda: self.shows(text) >= times, f"{text!r} on the screen", seconds)

    def wait_gone(self, text: str, seconds: float = 60) -> None:
        self.wait_until(lambda: not self.shows(text), f"{text!r} to leave the screen", seconds)

    def wait_until(self, condition: Callable[[], object], what: str, seconds: float = 60) -> None:
        """For any condition; when the time is up, the failure shows the screen."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not condition():
                late = time.monotonic() > deadline
                if late or self._ended:
                    how = f"after {seconds} s" if late else "when the client ended"
                    raise AssertionError(f"{what}: not there {how}. The screen:\n{self.screen()}")
                self._news.wait(0.1)

    def type(self, text: str) -> None:
        """Into the input box, seen there."""
        already = self.shows(text)
        self._process.send(text)
        self.wait_for(text, times=already + 1)

    def submit(self, text: str) -> None:
        """A prompt. The one before may stand in the input box until its turn is quite over; now and then the older
        client, slowed down, puts it there again, and then it is taken away as a person would."""
        try:
            self._wait_for_empty_box(20)
        except AssertionError:
            self._press_when_still("ctrl-u")
            self._wait_for_empty_box(40)
        self.type(text)
        self.press("enter")
        self._submitted = text

    def _wait_for_empty_box(self, seconds: float) -> None:
        gone = f"{self._submitted!r} to leave the input box"
        self.wait_until(lambda: not self._holds(self._submitted), gone, seconds)

    def _holds(self, text: str) -> bool:
        """Whether it stands in the input box, which is the last prompt on the screen."""
        prompts = [row for row in self.screen().splitlines() if row.startswith("❯")]
        return bool(text and prompts) and _without_spaces(prompts[-1]).startswith(_without_spaces("❯" + text))

    def press(self, key: str) -> None:
        """One named key or character. Wait for what it shows before the next: two that come at once may be lost."""
        self._process.send(KEYS.get(key, key))

    def choose(self, label: str) -> None:
        """Press the number of that option of a question; where several may be chosen this ticks it."""
        option = re.compile(rf"(\d)\. (?:\[.\] )?{re.escape(label)}")
        self.wait_until(lambda: option.search(self.screen()), f"the option {label!r}")
        self._press_when_still(option.findall(self.screen())[-1])

    def confirm(self) -> None:
        """Enter, in a question."""
        self._press_when_still("enter")

    def cancel(self) -> None:
        """Esc, in a question."""
        self._press_when_still("esc")

    def answer_in_words(self, text: str) -> None:
        """The option that every question has beside its own."""
        self.choose("Type something")
        self._stand_still()
        self.type(text)
        self.confirm()

    def _press_when_still(self, key: str) -> None:
        """A question ignores keys for a fifth of a second after it has appeared, against accidents."""
        self._stand_still()
        before = self.screen()
        self.press(key)
        self.wait_until(lambda: self.screen() != before, f"an effect of the key {key!r}")

    def _stand_still(self) -> None:
        """Until nothing new has come for half a second; a clock that ticks somewhere is not waited for."""
        deadline = time.monotonic() + 5
        with self._news:
            while self._news.wait(0.5) and time.monotonic() < deadline:
                pass

    def kill(self) -> None:
        """As by `kill -9`: it can say no goodbye."""
        self._process.kill(signal.SIGKILL)
        self._reader.join(timeout=5)
        self._process.close(force=True)

    def close(self) -> None:
        for end in (signal.SIGTERM, signal.SIGKILL):  # the first lets the client end what it started
            if self._process.isalive():
                self._process.kill(end)
                self._reader.join(timeout=5)
        self._process.close(force=True)

    def _read(self) -> None:
        while True:
            try:
                output = self._process.read_nonblocking(65536, timeout=None)
            except (pexpect.EOF, OSError, ValueError):
                break
            with self._news:
                self._stream.feed(output)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()


def _without_spaces(text: str) -> str:
    return "".join(text.split())
