"""Names and ports of this machine."""

from __future__ import annotations

import socket
from ipaddress import ip_address


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listened on a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for free in sockets:
            free.bind(("localhost", 0))
        return [int(free.getsockname()[1]) for free in sockets]
    finally:
        for free in sockets:
            free.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that name or address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
