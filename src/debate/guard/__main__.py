"""Run by hooks/entry: `python -I -S …/guard/__main__.py EVENT`, the event's payload on stdin."""

import _signal  # type: ignore[import-not-found]  # `signal` itself makes an enumeration of all signals first
import os
import sys

SECONDS = 12  # the entry's watchdog comes before; this one is for where it cannot

if sys.argv[1:2] == ["PreToolUse"]:
    _signal.alarm(SECONDS)  # ends this process, and the entry makes a refusal of that

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
        return 1


if __name__ == "__main__":
    os._exit(main())  # nothing is left to tear down, and the call waits
