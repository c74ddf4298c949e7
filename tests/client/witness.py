"""A hook of the tests' own, on every event: notes what the client sent, and says nothing.

witness.py FILE < payload
"""

import os
import sys

payload = sys.stdin.buffer.read().replace(b"\n", b" ")
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(log, payload + b"\n")  # in one piece: hooks run side by side
