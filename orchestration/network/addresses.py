"""Allowed targets of requests: public addresses, and the operator's list of others.

Numeric addresses are checked, not names; `orchestration.network.transport` connects to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class _Listed(NamedTuple):
    """One entry of the operator's list."""

    target: Network | str
    """A network, or the name of a host."""
    port: int | None
    """Port; None allows any."""


@dataclass(frozen=True, slots=True)
class AllowedAddresses:
    """The operator's list of additional networks and hosts, with or without a port.

    A host that is listed by name may resolve to any address.

    >>> listed = AllowedAddresses.parse(["127.0.0.1:11434", "10.2.0.0/16", "models.internal"])
    >>> listed.allow("localhost", "127.0.0.1", 11434), listed.allow("localhost", "127.0.0.1", 22)
    (True, False)
    """

    listed: tuple[_Listed, ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowedAddresses:
        """Read `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::/8]:443`, `models.internal:8080`.

        An invalid entry raises `ValueError`.
        """
        return cls(tuple(_entry(entry.strip()) for entry in entries if entry.strip()))

    def allow(self, host: str, address: str | Address, port: int) -> bool:
        """Report whether a connection to this address, for a host of this name, is allowed."""
        number = unmapped(ip_address(address) if isinstance(address, str) else address)
        if is_public(number):
            return True
        name = host.rstrip(".").lower()
        return any(
            entry.port in (None, port)
            and (entry.target == name if isinstance(entry.target, str) else number in entry.target)
            for entry in self.listed
        )


def is_public(address: Address) -> bool:
    """Report whether an address and the address embedded in it are public.

    >>> is_public(ip_address("93.184.215.14")), is_public(ip_address("::ffff:10.0.0.1"))
    (True, False)
    """
    address = unmapped(address)
    if isinstance(address, IPv6Address):
        if embedded := _embedded(address):
            return is_public(embedded)
        if address not in _UNICAST:
            return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def unmapped(address: Address) -> Address:
    """Return the IPv4 address of an IPv4-mapped IPv6 address, or the address itself."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


_SPECIAL: tuple[Network, ...] = (
    IPv4Network("192.0.0.0/24"),
    IPv6Network("2001::/23"),
    IPv6Network("3fff::/20"),
)
"""Protocol assignments (RFC 6890) and documentation (RFC 9637); Python's versions treat different
parts of them as public."""

_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses that end with an embedded IPv4 address (RFC 6052)."""

_UNICAST = IPv6Network("2000::/3")
"""All public IPv6 addresses assigned so far."""


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address used by a translator or a tunnel (RFC 6052, RFC 3056)."""
    return IPv4Address(address.packed[-4:]) if address in _TRANSLATED else address.sixtofour


_HOST = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*")


def _entry(text: str) -> _Listed:
    bracketed = re.fullmatch(r"\[([^\]]+)\](?::(\d+))?", text)
    plain = re.fullmatch(r"([^:]+)(?::(\d+))?", text)
    match = bracketed or plain
    target, port = match.groups() if match else (text, None)
    try:
        network: Network | str = ip_network(target, strict=False)
    except ValueError:
        network = target.rstrip(".").lower()
        if bracketed or not _HOST.fullmatch(network) or network.replace(".", "").isdigit():
            raise ValueError(
                f"{text!r} is neither a network (10.0.0.0/8) nor a host (models.internal), "
                "each with an optional port (:8080)."
            ) from None
    if port is not None and not 0 < int(port) < 65_536:
        raise ValueError(f"{text!r} has an invalid port: use 1 to 65535.")
    return _Listed(network, None if port is None else int(port))
