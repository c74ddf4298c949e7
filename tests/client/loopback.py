"""A network namespace that holds nothing but its own loopback, for the client and the scripted model.

A child process keeps the namespace alive and opens listening sockets in it on request. A socket belongs to the
namespace it was made in, wherever it is served from, so the model lives in the test process, where its words are.
"""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

_KEEPER = """
import fcntl, socket, struct, sys
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    interface = bytearray(struct.pack("16sH14x", b"lo", 0))
    fcntl.ioctl(any_socket, SIOCGIFFLAGS, interface)
    name, flags = struct.unpack("16sH14x", interface)
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", name, flags | IFF_UP))
with socket.socket(fileno=int(sys.argv[1])) as parent:
    parent.send(b"ready")
    while parent.recv(1):  # ends when the parent does
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
            socket.send_fds(parent, [b"socket"], [listening.fileno()])
"""


class NoNamespace(Exception):
    """This machine gives no network namespace; the message says why."""


class Loopback:
    def __init__(self) -> None:
        if missing := [tool for tool in ("unshare", "nsenter") if not shutil.which(tool)]:
            raise NoNamespace(f"no {' and no '.join(missing)} here (util-linux, Linux only)")
        as_root = os.geteuid() == 0
        self._socket, theirs = socket.socketpair()
        command = ["unshare", "-n" if as_root else "-rn", sys.executable, "-c", _KEEPER, str(theirs.fileno())]
        self._keeper = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True
        )
        theirs.close()
        if self._socket.recv(16) != b"ready":
            reason = self._keeper.communicate()[1].strip() or "unshare failed"
            self._socket.close()
            raise NoNamespace(reason.splitlines()[-1])
        self._enter = ["nsenter", f"--net=/proc/{self._keeper.pid}/ns/net"]
        if not as_root:
            self._enter += [f"--user=/proc/{self._keeper.pid}/ns/user", "--preserve-credentials"]

    def listen(self) -> socket.socket:
        """A listening socket on a free port of the namespace's 127.0.0.1."""
        self._socket.send(b"?")
        _, descriptors, _, _ = socket.recv_fds(self._socket, 16, 1)
        return socket.socket(fileno=descriptors[0])

    def command(self, *argv: str | Path) -> list[str]:
        """The same command, run inside."""
        return [*self._enter, *map(str, argv)]

    def close(self) -> None:
        self._socket.close()
        self._keeper.wait(timeout=10)
        if self._keeper.stderr:
            self._keeper.stderr.close()
