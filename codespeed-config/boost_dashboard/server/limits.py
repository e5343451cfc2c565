"""How much the door takes: from whom, how fast, for how long."""

from __future__ import annotations

import ipaddress
import resource
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LARGEST_HEAD = 32 * 1024  # bytes
LARGEST_READER_BODY = 64 * 1024  # bytes; of a GET, which needs none
LINGER_SECONDS = 10.0  # for a sender to hear why it is refused
LARGEST_LINGER = 64 * 1024 * 1024  # bytes read and dropped meanwhile
LONGEST_WORK = 180.0  # seconds; then the process is replaced

_BODY_FACTOR = 6  # a body may take that much longer than a head
_ANSWER_FACTOR = 3  # likewise a client that takes nothing of its answer
_BURST_SECONDS = 10
# Its socket, and a temporary file for a long body or answer; the rest is for Django.
_FILES_PER_CONNECTION = 3


@dataclass(frozen=True)
class Limits:
    """Settings of the door; times in seconds.

    ``requests_per_second`` holds for one client, which may also use what it saved in ten seconds.
    ``connections`` are those of one process: one more closes that which has waited longest.
    """

    read_seconds: float = 20.0
    requests_per_second: float = 200.0
    connections: int = 400
    trusted_proxies: tuple[Network, ...] = ()

    @property
    def body_seconds(self) -> float:
        """For a whole body; between two pieces of it ``read_seconds`` may pass."""
        return self.read_seconds * _BODY_FACTOR

    @property
    def answer_seconds(self) -> float:
        """For a client that takes nothing of its answer."""
        return self.read_seconds * _ANSWER_FACTOR

    @property
    def burst(self) -> float:
        """Requests at once, after a pause."""
        return self.requests_per_second * _BURST_SECONDS

    @property
    def open_connections(self) -> int:
        """``connections``, or fewer where the process may not open that many files."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            return self.connections
        return max(8, min(self.connections, files // _FILES_PER_CONNECTION))


def read_limits(environ: Mapping[str, str]) -> Limits:
    """The limits that the environment asks for.

    Raises ``ImproperlyConfigured`` with a sentence that names the variable.
    """
    usual = Limits()
    return Limits(
        read_seconds=_number(environ, "FLINK_BOOST_READ_SECONDS", usual.read_seconds, 1, 600),
        requests_per_second=_number(
            environ, "FLINK_BOOST_REQUESTS_PER_SECOND", usual.requests_per_second, 1, 100_000
        ),
        connections=int(_number(environ, "FLINK_BOOST_CONNECTIONS", usual.connections, 8, 10_000)),
        trusted_proxies=_networks(environ, "FLINK_BOOST_TRUSTED_PROXIES"),
    )


def _number(
    environ: Mapping[str, str], variable: str, usual: float, least: float, most: float
) -> float:
    text = environ.get(variable, "").strip()
    try:
        number = float(text) if text else float(usual)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{variable} has to be a number from {least} to {most}.")
    return number


def _networks(environ: Mapping[str, str], variable: str) -> tuple[Network, ...]:
    parts = [part.strip() for part in environ.get(variable, "").split(",") if part.strip()]
    try:
        networks = tuple(ipaddress.ip_network(part) for part in parts)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{variable} names the addresses of proxies, such as 10.0.0.5,192.168.7.0/24: {error}."
        ) from error
    if any(network.prefixlen == 0 for network in networks):
        raise ImproperlyConfigured(
            f"{variable} would trust everybody's word about who sent a request: name the proxy."
        )
    return networks
