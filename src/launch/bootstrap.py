"""Makes an environment once, then becomes the command it was given; standard library only.

    python3 -I bootstrap.py ENVIRONMENT 'dependencies = ["click>=8", …]' [COMMAND…]

ENVIRONMENT is a link that is set when the folder behind it is complete: it is whole or not there, whatever
dies in between. Its file `ready` says what it was made from, which bin/debate compares with what it needs.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

# How pip and uv say that they reached nobody, and why something failed, the most telling first.
UNREACHABLE = re.compile(r"(?i)connection|unreachable|timed out|error sending request")
REASONS = [
    re.compile(r"\[Errno -?\d+\] ([^'\")\n]+)"),
    re.compile(r"(?im)^(?:error|\s*cause(?:d by)?): (.+)"),
]
ROOM = "It needs 50 MB in a folder that it can write: make room, or set XDG_DATA_HOME to another one."
# The user's settings for pip hold (an index, a proxy), but not those that send packages elsewhere.
ELSEWHERE = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"}


class CannotSetUp(Exception):
    def __init__(self, reason: str, advice: str, code: int = 1) -> None:
        super().__init__(f"cannot set up its environment: {reason}.\n{advice}")
        self.code = code


def main(environment: Path, wanted: str, command: list[str]) -> None:
    try:
        environment.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with beside(environment, "lock").open("w") as lock:
            wait_for(lock.fileno())
            if not is_ready(environment, wanted):
                build(environment, wanted)
    except CannotSetUp as refusal:
        say(str(refusal))
        raise SystemExit(refusal.code) from None
    except OSError as error:
        say(f"cannot set up its environment in {environment.parent}: {error.strerror}.\n{ROOM}")
        raise SystemExit(1) from None
    except KeyboardInterrupt as stopped:
        say("stopped before its environment was ready; the next use starts again.")
        raise SystemExit(128 + stopped.args[0]) from None
    if command:
        os.execv(command[0], command)


def beside(environment: Path, ending: str) -> Path:
    return environment.with_name(f"{environment.name}.{ending}")


def wait_for(lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another first use is setting up the environment; waiting for it…")
        fcntl.flock(lock, fcntl.LOCK_EX)


def is_ready(environment: Path, wanted: str) -> bool:
    try:
        made_from = (environment / "ready").read_text()
    except FileNotFoundError:
        return False
    # The interpreter that it links to may be gone: an upgrade of the system, say.
    return made_from.rstrip("\n") == wanted and os.access(environment / "bin" / "python", os.X_OK)


def build(environment: Path, wanted: str) -> None:
    say("setting up its environment (once, about 20 s)…", end="" if sys.stderr.isatty() else "\n")
    # A new name each time: a killed build may have left an installer behind that still writes.
    folder = Path(tempfile.mkdtemp(prefix=f"{environment.name}.", suffix=".env", dir=environment.parent))
    try:
        install(folder, tomllib.loads(wanted)["dependencies"], beside(environment, "log"))
        (folder / "ready").write_text(f"{wanted}\n")
        link = folder / "link"
        link.symlink_to(folder.name)
        link.replace(environment)
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line of dots
        # What is not in use: an older environment, what this or a killed build left.
        for other in environment.parent.glob(f"{environment.name}.*.env"):
            if not environment.exists() or not other.samefile(environment):
                shutil.rmtree(other, ignore_errors=True)


def install(folder: Path, packages: list[str], log: Path) -> None:
    # The real file, not `python3`: should that become another version, the link dangles and we build again,
    # where a working link would find no packages.
    base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    python = str(folder / "bin" / "python")
    made, failures = run(folder, base, "-m", "venv", "--without-pip", str(folder))
    if not made:
        raise explained(failures, log)
    for way in ways_to_install(folder, base, python, packages):
        for command in way:
            done, said = run(folder, *command)
            failures += said
            if not done:
                break
        else:
            return
    if not failures:
        advice = "Install it (on Debian and Ubuntu: apt install python3-venv) or uv, then run this again."
        raise CannotSetUp(f"{base} has no pip", advice)
    raise explained(failures, log)


def ways_to_install(folder: Path, base: str, python: str, packages: list[str]) -> Iterator[list[list[str]]]:
    """Commands that put the packages there, the best way first."""
    # bin/debate keeps compiled files elsewhere, so there is no point in making them here.
    install = ["install", "--no-compile", "--no-input", "--no-user", "--disable-pip-version-check", *packages]
    if uv := shutil.which("uv"):
        yield [[uv, "pip", "install", "--python", python, *packages]]
    if run(folder, base, "-c", "import pip")[0]:
        yield [[base, "-m", "pip", "--python", python, *install]]
    elif run(folder, base, "-c", "import ensurepip")[0]:
        yield [[python, "-m", "ensurepip"], [python, "-m", "pip", *install]]


def explained(failures: str, log: Path) -> CannotSetUp:
    with suppress(OSError):
        log.write_text(failures)
    found = [reasons[-1] for pattern in REASONS if (reasons := pattern.findall(failures))]
    reason = found[0] if found else last_line(failures)
    if UNREACHABLE.search(failures):
        advice = f"Connect to the network, or name a mirror in PIP_INDEX_URL; run this again. Details: {log}"
        return CannotSetUp(f"the package index could not be reached ({reason})", advice, code=3)
    advice = ROOM if "No space left" in reason else f"Mend that and run this again. Details: {log}"
    return CannotSetUp(reason, advice)


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no word why"])[-1]


def run(folder: Path, *command: str) -> tuple[bool, str]:
    """Whether it worked, and what it said. A person at a terminal sees a dot a second."""
    # Nothing of the user's Python, and nothing of the project they stand in, has a say in this.
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k not in ELSEWHERE}
    clean.setdefault("PIP_RETRIES", "2")  # its own five keep people without a network waiting for minutes
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=clean,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        process_group=0,  # to end it with all that it started
    )
    try:
        while True:
            try:
                said, _ = child.communicate(timeout=1)
                return child.returncode == 0, said
            except subprocess.TimeoutExpired:
                if sys.stderr.isatty():
                    print(".", end="", file=sys.stderr, flush=True)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise


def say(words: str, end: str = "\n") -> None:
    print(f"debate: {words}", end=end, file=sys.stderr, flush=True)


def stop(number: int, _: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
