"""Allowed targets of requests: public addresses, and the operator's list of others.

What counts is the number that a connection is made to, not the name it was asked for by: names that
lead inside, numbers written in other ways, redirects and names that change between two look-ups
are all refused. `httpx-secure` makes the connection to the very number that was checked.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from ssl import SSLContext
from typing import NamedTuple

import httpx
from httpx_secure import SSRFProtectionError, httpx_ssrf_protection

from orchestration.network.decompression import unpacked

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

PINNED_SECONDS = 60.0
"""Seconds for which a name keeps its resolved address."""


class AddressRefused(httpx.RequestError):
    """A request would have gone where requests may not go; asking again does not help."""


class AnswerRefused(AddressRefused):
    """An answer is compressed, though it was asked for as it is, and could unfold without end."""


class _Listed(NamedTuple):
    """One entry of the operator's list."""

    what: Network | str
    """A network, or the name of a host."""
    port: int | None
    """None: any."""


@dataclass(frozen=True, slots=True)
class AllowedAddresses:
    """The operator's list of further allowed networks and hosts, with or without a port.

    A host that is listed by its name may lead anywhere: its name is the operator's.

    >>> listed = AllowedAddresses.parse(["127.0.0.1:11434", "10.2.0.0/16", "models.internal"])
    >>> listed.allow("localhost", "127.0.0.1", 11434), listed.allow("localhost", "127.0.0.1", 22)
    (True, False)
    """

    listed: tuple[_Listed, ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowedAddresses:
        """Read `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::/8]:443`, `models.internal:8080`.

        What is none of these raises `ValueError`, which says so.
        """
        return cls(tuple(_entry(entry.strip()) for entry in entries if entry.strip()))

    def allow(self, host: str, address: str | Address, port: int) -> bool:
        """Report whether a connection to this address, for a host of this name, is allowed."""
        number = _unmapped(ip_address(address) if isinstance(address, str) else address)
        if is_public(number):
            return True
        name = host.rstrip(".").lower()
        return any(
            entry.port in (None, port)
            and (entry.what == name if isinstance(entry.what, str) else number in entry.what)
            for entry in self.listed
        )


def is_public(address: Address) -> bool:
    """Report whether an address is public, and so is the address that it embeds.

    >>> is_public(ip_address("93.184.215.14")), is_public(ip_address("::ffff:10.0.0.1"))
    (True, False)
    """
    address = _unmapped(address)
    if isinstance(address, IPv6Address):
        if within := _within(address):
            return is_public(within)
        if address not in _UNICAST:
            return False
    elif address in _ASSIGNMENTS:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def guarded_transport(allowed: AllowedAddresses) -> httpx.AsyncBaseTransport:
    """A transport for a client of one event loop that connects to allowed addresses only.

    What is not allowed raises `AddressRefused`. It follows no redirect by itself; a client that
    does comes through here again with each. Proxies of the environment are not used. Answers are
    asked for as they are; one that is compressed all the same is unpacked as it is read, or raises
    `AnswerRefused`.
    """
    return _GuardedTransport(allowed)


class _GuardedTransport(httpx.AsyncBaseTransport):
    def __init__(self, allowed: AllowedAddresses) -> None:
        self._allowed = allowed
        self._known: dict[tuple[str, int], float] = {}
        self._inner = httpx.AsyncHTTPTransport(verify=_trusted(), trust_env=False)
        httpx_ssrf_protection(
            httpx.AsyncClient(transport=self._inner, trust_env=False),
            check_globally_reachable=False,  # as it would leave the operator no say
            custom_validator=allowed.allow,
            dns_cache_ttl=PINNED_SECONDS,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host, port = request.url.host, _port(request)
        request.headers["Accept-Encoding"] = "identity"
        try:
            await self._look_ahead(request, host, port)
            response = await self._inner.handle_async_request(request)
        except SSRFProtectionError as error:
            raise _refusal(request, host, error.ip_addr) from None
        if (answer := unpacked(response)) is not None:
            return answer
        await response.aclose()
        raise AnswerRefused(
            f"{host} compresses its answer in a way that it was not asked for: it is not read.",
            request=request,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _look_ahead(self, request: httpx.Request, host: str, port: int) -> None:
        """Refuse a name that leads inside before anything knocks there.

        The connection is checked again by its number; this keeps the try to find out which number
        answers from telling a stranger which doors are open.
        """
        now = asyncio.get_running_loop().time()
        if now - self._known.get((host, port), -PINNED_SECONDS) < PINNED_SECONDS:
            return
        for address in await _numbers(request, host, port):
            if not self._allowed.allow(host, address, port):
                raise _refusal(request, host, address)
        if len(self._known) > 1_000:
            self._known.clear()
        self._known[host, port] = now


async def _numbers(request: httpx.Request, host: str, port: int) -> list[Address]:
    """Every number that a host has at the moment."""
    loop = asyncio.get_running_loop()
    limit = request.extensions.get("timeout", {}).get("connect")
    try:
        async with asyncio.timeout(limit):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise httpx.ConnectTimeout(
            f"{host} could not be looked up in time.", request=request
        ) from None
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"{host} could not be found.", request=request) from error
    return [ip_address(address[0]) for *_, address in found]


def _port(request: httpx.Request) -> int:
    """The port that a request goes to; anything but HTTP is refused."""
    usual = {"http": 80, "https": 443}.get(request.url.scheme)
    if usual is None or not request.url.host:
        raise AddressRefused(
            f"{str(request.url)[:80]!r} is no address of the web: it begins with http:// or "
            "https://, and a host.",
            request=request,
        )
    return request.url.port or usual


def _refusal(request: httpx.Request, host: str, address: Address | None) -> AddressRefused:
    return AddressRefused(
        f"{host} is not asked: it leads to {_kind(address)}. Who runs this server can list it in "
        "BATON_ALLOWED_ADDRESSES.",
        request=request,
    )


def _kind(address: Address | None) -> str:
    """Describe the kind of an address without revealing it to a stranger."""
    if address is None:
        return "no address"
    address = _unmapped(address)
    if address.is_loopback or address.is_unspecified:
        return "this server itself (a loopback address)"
    if address.is_link_local:
        return "a link-local address"
    return "an address that is not public"


def _unmapped(address: Address) -> Address:
    """The IPv4 address behind an IPv6 one that maps it."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


_ASSIGNMENTS = IPv4Network("192.0.0.0/24")
"""Protocol assignments (RFC 6890), of which older Pythons take some for public."""

_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses that end with the IPv4 address they stand for (RFC 6052)."""

_UNICAST = IPv6Network("2000::/3")
"""All that IPv6 has given out as public so far."""


def _within(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a translator or a tunnel would go on to (RFC 6052, RFC 3056)."""
    return IPv4Address(address.packed[-4:]) if address in _TRANSLATED else address.sixtofour


_HOST = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*")


def _entry(text: str) -> _Listed:
    bracketed = re.fullmatch(r"\[([^\]]+)\](?::(\d+))?", text)
    plain = re.fullmatch(r"([^:]+)(?::(\d+))?", text)
    found = bracketed or plain
    what, port = found.groups() if found else (text, None)
    try:
        network: Network | str = ip_network(what, strict=False)
    except ValueError:
        network = what.rstrip(".").lower()
        if bracketed or not _HOST.fullmatch(network) or network.replace(".", "").isdigit():
            raise ValueError(
                f"{text!r} is neither a network (10.0.0.0/8) nor a host (models.internal), with a "
                "port behind it (:8080) or not."
            ) from None
    if port is not None and not 0 < int(port) < 65_536:
        raise ValueError(f"{text!r} names a port that does not exist.")
    return _Listed(network, None if port is None else int(port))


@cache
def _trusted() -> SSLContext:
    """Return the trusted TLS certificates, loaded once: loading takes longer than most requests."""
    return httpx.create_ssl_context(trust_env=False)
