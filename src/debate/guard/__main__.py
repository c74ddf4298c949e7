"""Run by hooks/entry: `python -I -S …/guard/__main__.py EVENT`, the event's payload on stdin."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from debate.guard.hook import run

if __name__ == "__main__":
    said = run(sys.argv[1], sys.stdin.buffer.read(), os.environ)
    if said:
        sys.stdout.buffer.write(said.encode("utf-8", "replace") + b"\n")
