"""Runs inside a sandbox: hands connections to 127.0.0.1 on to a Unix socket, and runs a command.

Nothing depends on its honesty: who may be reached is decided at the other end of the socket.
Takes the socket, the port, and the command.
"""

import socket
import subprocess
import sys
import threading
from contextlib import suppress


def hand_on(source: socket.socket, target: socket.socket) -> None:
    """Copies until one side ends."""
    with suppress(OSError):
        while block := source.recv(65536):
            target.sendall(block)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def serve(listener: socket.socket, way: str) -> None:
    """Takes connections for ever."""
    while True:
        inner, _ = listener.accept()
        outer = socket.socket(socket.AF_UNIX)
        try:
            outer.connect(way)
        except OSError:
            inner.close()
            continue
        for pair in ((inner, outer), (outer, inner)):
            threading.Thread(target=hand_on, args=pair, daemon=True).start()


def main() -> int:
    """The exit code of the command."""
    listener = socket.create_server(("127.0.0.1", int(sys.argv[2])))
    threading.Thread(target=serve, args=(listener, sys.argv[1]), daemon=True).start()
    code = subprocess.run(sys.argv[3:], check=False).returncode
    return code if code >= 0 else 128 - code


sys.exit(main())
