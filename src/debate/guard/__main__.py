"""Run by hooks/entry: `python -I -S -X cache=FOLDER …/guard/__main__.py EVENT`, the event's payload on stdin.

What is compiled is kept in that folder. Python itself would leave half a file there when the disk is full, and fail
over it at every start. So it is not told of the folder before it runs, and the files are written here.
"""

import _frozen_importlib_external as importing
import _signal  # type: ignore[import-not-found]  # `signal` itself makes an enumeration of all signals first
import os
import sys

SECONDS = 12  # the entry's watchdog comes before; this one is for where it cannot

if sys.argv[1:2] == ["PreToolUse"]:
    _signal.alarm(SECONDS)  # ends this process, and the entry makes a refusal of that


def write_whole(path: str, data: bytes, mode: int = 0o600) -> None:
    draft = f"{path}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode & 0o600)
    try:
        is_whole = os.write(descriptor, data) == len(data)
    finally:
        os.close(descriptor)
    os.replace(draft, path) if is_whole else os.unlink(draft)


def forget(cache: str) -> None:
    """A crash of the machine may have cut a file there."""
    for folder, _, names in os.walk(cache):
        for name in names:
            os.unlink(os.path.join(folder, name))


CACHE = sys._xoptions.get("cache")
sys.pycache_prefix = CACHE if isinstance(CACHE, str) else None
importing._write_atomic = write_whole  # type: ignore[attr-defined]
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def main() -> int:
    try:
        from debate.guard.hook import run

        said = run(sys.argv[1], sys.stdin.buffer.read(), os.environ)
        if said:
            sys.stdout.buffer.write(said.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
        return 0
    except Exception as error:  # whatever it is: the shell entry makes a refusal of it where a debate is on
        print(f"debate: the guard failed: {type(error).__name__}: {error}", file=sys.stderr)
        if sys.pycache_prefix and "marshal data" in str(error):
            forget(sys.pycache_prefix)
        return 1


if __name__ == "__main__":
    os._exit(main())  # nothing is left to tear down, and the call waits
