"""Allowed targets of requests: public addresses, and the operator's list of others.

The address of the connection is checked, not the name: names that resolve to private addresses,
unusual notations of addresses, redirects and names that change between two look-ups are refused.
`httpx-secure` connects to exactly the address that was checked.
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

from orchestration.network.decompression import decompressed

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

PINNED_SECONDS = 60.0
"""Seconds for which a name keeps its resolved address."""


class AddressRefused(httpx.RequestError):
    """The target of a request is not allowed; a retry does not help."""


class AnswerRefused(AddressRefused):
    """An answer has a compression without a limited size, which was not requested."""


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
        number = _unmapped(ip_address(address) if isinstance(address, str) else address)
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
    address = _unmapped(address)
    if isinstance(address, IPv6Address):
        if embedded := _embedded(address):
            return is_public(embedded)
        if address not in _UNICAST:
            return False
    elif address in _ASSIGNMENTS:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def guarded_transport(allowed: AllowedAddresses) -> httpx.AsyncBaseTransport:
    """Create a transport, for one event loop, that connects to allowed addresses only.

    Another address raises `AddressRefused`. Redirects are checked like requests. Proxies of the
    environment are not used. Requests ask for uncompressed answers; a compressed answer is
    decompressed while it is read, or raises `AnswerRefused`.
    """
    return _GuardedTransport(allowed)


class _GuardedTransport(httpx.AsyncBaseTransport):
    def __init__(self, allowed: AllowedAddresses) -> None:
        self._allowed = allowed
        self._checked: dict[tuple[str, int], float] = {}
        self._inner = httpx.AsyncHTTPTransport(verify=_tls_context(), trust_env=False)
        httpx_ssrf_protection(
            httpx.AsyncClient(transport=self._inner, trust_env=False),
            check_globally_reachable=False,  # the operator's list decides
            custom_validator=allowed.allow,
            dns_cache_ttl=PINNED_SECONDS,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host, port = request.url.host, _port(request)
        request.headers["Accept-Encoding"] = "identity"
        try:
            await self._check_name(request, host, port)
            response = await self._inner.handle_async_request(request)
        except SSRFProtectionError as error:
            raise _refusal(request, host, error.ip_addr) from None
        if (answer := decompressed(response)) is not None:
            return answer
        await response.aclose()
        raise AnswerRefused(
            f"{host} sent an answer with an unsupported compression: it is not read.",
            request=request,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _check_name(self, request: httpx.Request, host: str, port: int) -> None:
        """Refuse a name with a private address before a connection is attempted.

        The connection checks its address again. Without this check, connection attempts could
        reveal open ports of private addresses.
        """
        now = asyncio.get_running_loop().time()
        if now - self._checked.get((host, port), -PINNED_SECONDS) < PINNED_SECONDS:
            return
        for address in await _resolve(request, host, port):
            if not self._allowed.allow(host, address, port):
                raise _refusal(request, host, address)
        if len(self._checked) > 1_000:
            self._checked.clear()
        self._checked[host, port] = now


async def _resolve(request: httpx.Request, host: str, port: int) -> list[Address]:
    """Return all current addresses of a host."""
    loop = asyncio.get_running_loop()
    limit = request.extensions.get("timeout", {}).get("connect")
    try:
        async with asyncio.timeout(limit):
            results = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise httpx.ConnectTimeout(
            f"{host} could not be resolved in time.", request=request
        ) from None
    except (OSError, UnicodeError) as error:
        message = f"{host} could not be resolved: check the name."
        raise httpx.ConnectError(message, request=request) from error
    return [ip_address(address[0]) for *_, address in results]


def _port(request: httpx.Request) -> int:
    """Return the port of a request; refuse other protocols than HTTP."""
    default = {"http": 80, "https": 443}.get(request.url.scheme)
    if default is None or not request.url.host:
        raise AddressRefused(
            f"{str(request.url)[:80]!r} is no web address: use http:// or https:// and a host.",
            request=request,
        )
    return request.url.port or default


def _refusal(request: httpx.Request, host: str, address: Address | None) -> AddressRefused:
    return AddressRefused(
        f"{host} is not allowed: it resolves to {_kind(address)}. The server's operator can add it "
        "to BATON_ALLOWED_ADDRESSES.",
        request=request,
    )


def _kind(address: Address | None) -> str:
    """Describe the kind of an address without revealing the address."""
    if address is None:
        return "no address"
    address = _unmapped(address)
    if address.is_loopback or address.is_unspecified:
        return "this server itself (a loopback address)"
    if address.is_link_local:
        return "a link-local address"
    return "an address that is not public"


def _unmapped(address: Address) -> Address:
    """Return the IPv4 address of an IPv4-mapped IPv6 address, or the address itself."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


_ASSIGNMENTS = IPv4Network("192.0.0.0/24")
"""Protocol assignments (RFC 6890); older Python versions treat some of them as public."""

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


@cache
def _tls_context() -> SSLContext:
    """Return the TLS context; it is created once, because this takes longer than most requests."""
    return httpx.create_ssl_context(trust_env=False)
