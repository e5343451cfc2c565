"""Who sent a request: the peer, or whom a trusted proxy names."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

from boost_dashboard.server.limits import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def find_client(peer: str, headers: Mapping[str, str], trusted: tuple[Network, ...]) -> str:
    """The client's address as text.

    ``X-Forwarded-For`` is believed from the right, and only as far as trusted proxies wrote it:
    everything to the left may have been made up by the client. ``headers`` has waitress' names.
    """
    client = peer
    hops = headers.get("X_FORWARDED_FOR", "").split(",")
    while hops and is_trusted(client, trusted):
        address = _address(hops.pop().strip())
        if address is None:
            break
        client = str(address)
    return client


def is_trusted(peer: str, trusted: tuple[Network, ...]) -> bool:
    """True for a proxy that is named in the configuration."""
    address = _address(peer)
    return address is not None and any(address in network for network in trusted)


def account(client: str) -> str:
    """What a client is counted under: one of IPv6 has a whole /64 to choose its addresses from."""
    address = _address(client)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return client


def _address(text: str) -> Address | None:
    """An address without its port, zone or brackets; IPv4 in IPv6's clothes as IPv4."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
