"""Address of a client, behind trusted proxies too."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
"""Name for the address of a client without a network address."""


def client_address(request: HttpRequest) -> str:
    """Return the address of a client; for IPv6 its network of 64 bits, which one client has.

    Each trusted proxy appends the address of its client to `X-Forwarded-For`. The entries before
    these come from the client and are ignored.
    """
    return _address(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""))


def socket_address(scope: Any) -> str:
    """Return the address of the client of a websocket, as `client_address` does."""
    forwarded = [
        value.decode("latin1")
        for name, value in scope.get("headers", [])
        if name == b"x-forwarded-for"
    ]
    return _address((scope.get("client") or ("",))[0], ",".join(forwarded))


def _address(peer: str, forwarded_for: str) -> str:
    address, proxies = peer, settings.TRUSTED_PROXIES
    forwarded = forwarded_for.split(",")
    if proxies and len(forwarded) >= proxies:
        address = forwarded[-proxies].strip() or address
    return _network(address) or _network(peer) or UNKNOWN


def _network(text: str) -> str:
    """Return an address in its usual form; empty if it is invalid."""
    try:
        address = ip_address(text.removeprefix("[").partition("]")[0])
    except ValueError:
        host, _, port = text.rpartition(":")
        return _network(host) if port.isdigit() and host.count(".") == 3 else ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, 64), strict=False))
