"""HTTP transport that connects to allowed addresses only.

A name is resolved once for a connection, all of its addresses are checked, and the connection goes
to one of these addresses; the next look-up is checked again. There is no attempt to connect to an
address that is not allowed, so an error does not depend on its ports.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from functools import cache
from ipaddress import ip_address
from ssl import SSLContext

import httpcore
import httpx
from cachetools import TTLCache

from orchestration.network.addresses import Address, AllowedAddresses, unmapped
from orchestration.network.decompression import decompressed

PINNED_SECONDS = 60.0
"""Seconds for which a name keeps its resolved addresses."""

MAX_PINNED = 1_000
"""Maximum number of names with resolved addresses."""


class AddressRefused(httpx.RequestError):
    """The target of a request is not allowed; a retry does not help."""


class AnswerRefused(AddressRefused):
    """An answer has a compression without a limited size, which was not requested."""


def guarded_transport(allowed: AllowedAddresses) -> httpx.AsyncBaseTransport:
    """Create a transport, for one event loop, that connects to allowed addresses only.

    Another address raises `AddressRefused`. Redirects are checked like requests. Proxies of the
    environment are not used. Requests ask for uncompressed answers; a compressed answer is
    decompressed while it is read, or raises `AnswerRefused`.
    """
    return _GuardedTransport(allowed)


class _GuardedTransport(httpx.AsyncHTTPTransport):
    def __init__(self, allowed: AllowedAddresses) -> None:
        super().__init__(verify=tls_context(), trust_env=False)
        limits = httpx.Limits(max_connections=100, max_keepalive_connections=20)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls_context(),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_CheckedBackend(allowed),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _check_protocol(request)
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if (answer := decompressed(response)) is not None:
            return answer
        await response.aclose()
        raise AnswerRefused(
            f"{request.url.host} sent an answer with an unsupported compression: it is not read."
        )


class _CheckedBackend(httpcore.AsyncNetworkBackend):
    """Network of a connection pool: resolves names, checks the addresses, connects to them."""

    def __init__(self, allowed: AllowedAddresses) -> None:
        self._allowed = allowed
        self._network = httpcore.AnyIOBackend()
        self._pinned: TTLCache[tuple[str, int], tuple[str, ...]] = TTLCache(
            MAX_PINNED, PINNED_SECONDS
        )

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of a host that answers within an equal part of the time."""
        loop = asyncio.get_running_loop()
        due = None if timeout is None else loop.time() + timeout
        addresses = await self._checked_addresses(host, port, timeout)
        for remaining, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            limit = None if due is None else max(0.0, due - loop.time()) / remaining
            try:
                return await self._network.connect_tcp(
                    address, port, limit, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if remaining == 1:
                    self._pinned.pop((host, port), None)
                    raise
        raise httpcore.ConnectError(f"{host} has no address.")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)

    async def _checked_addresses(
        self, host: str, port: int, limit: float | None
    ) -> tuple[str, ...]:
        """Return the addresses of a host; refuse the host if one of them is not allowed."""
        if (pinned := self._pinned.get((host, port))) is not None:
            return pinned
        addresses = await _resolve(host, port, limit)
        for address in addresses:
            if not self._allowed.allow(host, address, port):
                raise _refusal(host, ip_address(address))
        self._pinned[host, port] = addresses
        return addresses


async def _resolve(host: str, port: int, limit: float | None) -> tuple[str, ...]:
    """Return all current addresses of a host."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(limit):
            results = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise httpcore.ConnectTimeout(f"{host} could not be resolved in time.") from None
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host} could not be resolved: check the name.") from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in results))


def _check_protocol(request: httpx.Request) -> None:
    """Refuse other protocols than HTTP."""
    if request.url.scheme not in ("http", "https") or not request.url.host:
        raise AddressRefused(
            f"{str(request.url)[:80]!r} is no web address: use http:// or https:// and a host."
        )


def _refusal(host: str, address: Address) -> AddressRefused:
    return AddressRefused(
        f"{host} is not allowed: it resolves to {_kind(address)}. The server's operator can add it "
        "to BATON_ALLOWED_ADDRESSES."
    )


def _kind(address: Address) -> str:
    """Describe the kind of an address without revealing the address."""
    address = unmapped(address)
    if address.is_loopback or address.is_unspecified:
        return "this server itself (a loopback address)"
    if address.is_link_local:
        return "a link-local address"
    return "an address that is not public"


@cache
def tls_context() -> SSLContext:
    """Return the TLS context of all clients: creating one takes longer than most requests."""
    return httpx.create_ssl_context(trust_env=False)
