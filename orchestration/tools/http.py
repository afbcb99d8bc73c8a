"""Tools that an HTTP API answers.

A call goes to public addresses, and to those the operator lists; at most three redirects are
followed, each of them checked again. The credentials of a connection go to its own host alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from orchestration.definition import HttpCall, Tool
from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.network import (
    AddressRefused,
    AllowedAddresses,
    ConnectionSettings,
    FindConnection,
    guarded_transport,
    may_be_set,
)
from orchestration.tools.function import CallContext
from orchestration.tools.templates import (
    fill_form,
    fill_header,
    fill_json,
    fill_text,
    fill_url,
    names_in,
    origin_of,
)

MAX_REDIRECTS = 3
"""Maximum number of redirects of a call."""

MAX_HTTP_BYTES = 2 * 1024 * 1024
"""Bytes of an answer that are read."""

MAX_REFUSAL = 2_000
"""Characters that a model is told of an answer which is no success."""

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of answers that may be others the next time (RFC 9110, 6585 and 8470)."""
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"


class Web:
    """Sends the calls of one event loop, to allowed addresses only; keeps no cookie."""

    def __init__(self, allowed: AllowedAddresses) -> None:
        self._allowed = allowed
        self._client: httpx.AsyncClient | None = None

    @property
    def client(self) -> httpx.AsyncClient:
        """The HTTP client, created with the first request."""
        if self._client is None:
            self._client = httpx.AsyncClient(
                transport=guarded_transport(self._allowed),
                headers={"User-Agent": "baton", "Accept": "application/json, */*;q=0.5"},
                cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
                timeout=httpx.Timeout(
                    None, connect=10.0, pool=10.0
                ),  # the tool handler has a watch
                follow_redirects=False,
                trust_env=False,
            )
        return self._client

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


@dataclass(frozen=True, slots=True)
class HttpTool:
    """A request as a tool: its arguments fill the places of the templates."""

    name: str
    call: HttpCall
    find: FindConnection
    web: Web

    @classmethod
    def of(cls, tool: Tool, find: FindConnection, web: Web) -> HttpTool:
        """The tool of a definition."""
        return cls(tool.name, tool.http or HttpCall(), find, web)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Make the request, and give back the part of its answer that is asked for."""
        connection = await self._connection()
        strike = connection.without_secrets if connection else str
        try:
            request = self._request(arguments, connection, context)
            response = await self._send(request, connection)
            try:
                body = await self._body(response)
            finally:
                await response.aclose()
        except AddressRefused as refusal:
            raise ToolError(str(refusal)) from None
        except httpx.InvalidURL as error:
            raise ToolError(f"The address of {self.name} is wrong: {error}.") from None
        except httpx.TimeoutException:
            raise ToolUnavailableError(
                f"{self._host(connection)} did not answer in time."
            ) from None
        except httpx.ConnectError:
            raise ToolUnavailableError(f"{self._host(connection)} cannot be reached.") from None
        except httpx.HTTPError as error:
            raise ToolUnavailableError(
                f"The connection to {self._host(connection)} broke off ({type(error).__name__})."
            ) from None
        if not response.is_success:
            kind = ToolUnavailableError if response.status_code in _PASSING else ToolError
            raise kind(strike(_refusal(response, _text(response, body))))
        return strike(self._given(response, body))

    async def _connection(self) -> ConnectionSettings | None:
        wanted = self.call.connection
        if wanted is None:
            return None
        found = await self.find(wanted)
        if found is None or found.kind != "http":
            kind = f"is one of the kind {found.kind}" if found else "this server does not have"
            raise ToolError(
                f"{self.name} goes with the HTTP connection {wanted!r}, which {kind}: add it to the"
                " connections."
            )
        if found.fault:
            raise ToolError(found.fault)
        return found

    def _host(self, connection: ConnectionSettings | None) -> str:
        """Return the host for error messages, without parts that an argument added."""
        address = connection.base_url if connection else self.call.url
        return origin_of(address).partition("://")[2].rpartition("@")[2] or repr(address[:80])

    # The request

    def _request(
        self,
        arguments: Mapping[str, Any],
        connection: ConnectionSettings | None,
        context: CallContext,
    ) -> httpx.Request:
        headers = httpx.Headers()
        if self.call.method not in ("GET", "DELETE"):
            headers["Idempotency-Key"] = context.key
        for name, template in self.call.headers.items():
            if not may_be_set(name):
                raise ToolError(f"The header {name!r} cannot be set by a tool.")
            value = fill_header(template, arguments)
            if value is not None:
                headers[name] = value
        content = self._content(arguments, headers)
        if content is not None:
            headers.setdefault("Content-Type", _JSON)
        if connection:
            headers.update(connection.credentials)
        url = _joined(connection, fill_url(self.call.url, arguments), self.name)
        client, method = self.web.client, self.call.method
        return client.build_request(method, url, headers=headers, content=content)

    def _content(self, arguments: Mapping[str, Any], headers: httpx.Headers) -> bytes | None:
        call = self.call
        if not call.body:
            if call.method not in _WITH_BODY:
                return None
            placed = {*names_in(call.url), *names_in("".join(call.headers.values()))}
            rest = {name: value for name, value in arguments.items() if name not in placed}
            return json.dumps(rest, ensure_ascii=False).encode()
        kind = headers.get("Content-Type", _JSON).partition(";")[0].strip().lower()
        if kind == _FORM:
            return fill_form(call.body, arguments).encode()
        if kind == _JSON or kind.endswith("+json"):
            return fill_json(call.body, arguments).encode()
        return fill_text(call.body, arguments).encode()

    async def _send(
        self, request: httpx.Request, connection: ConnectionSettings | None
    ) -> httpx.Response:
        """The answer, after its redirects; what is a connection's stays at its host."""
        home = _origin(request.url)
        for _ in range(MAX_REDIRECTS + 1):
            response = await self.web.client.send(request, stream=True)
            onward = response.next_request
            if onward is None:
                return response
            await response.aclose()
            if request.url.scheme == "https" and onward.url.scheme != "https":
                raise ToolError(f"{request.url.host} leads from https to http: it is not followed.")
            if _origin(onward.url) != home:
                home = None
                for name in {*self.call.headers, *(connection.credentials if connection else ())}:
                    onward.headers.pop(name, None)
            request = onward
        raise ToolError(f"{self._host(connection)} sends the call on more than 3 times.")

    # The answer

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_HTTP_BYTES:
                if self.call.take and response.is_success:
                    raise ToolError(f"The answer of {self.name} is longer than 2 MB.")
                break
        return bytes(body[:MAX_HTTP_BYTES])

    def _given(self, response: httpx.Response, body: bytes) -> str:
        """Return the result for the model: the selected part, or the whole answer."""
        if self.call.take:
            found = _taken(_parsed(self.name, body), self.call.take)
            return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        if not body:
            return f"It is done (status {response.status_code}); there is nothing in the answer."
        return _text(response, body)


def _joined(connection: ConnectionSettings | None, url: str, tool: str) -> str:
    """Return the address of the call: with a connection, always below its address."""
    origin = origin_of(url)
    if connection is None:
        if not origin:
            raise ToolError(f"{tool} has no address to go to: it begins with https://.")
        return url
    base = connection.base_url.rstrip("/")
    if not origin:
        path, mark, query = url.partition("?")
        below = path.lstrip("/")
        return (f"{base}/{below}" if below else base) + mark + query
    if not f"{url}/".startswith((f"{base}/", f"{base}?")):
        raise ToolError(
            f"{tool} goes with the connection {connection.name!r}, and so only to addresses below"
            " the connection's own."
        )
    return url


def _origin(url: httpx.URL) -> tuple[str, str, int | None] | None:
    usual = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or usual


def _refusal(response: httpx.Response, said: str) -> str:
    status = response.status_code
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    sentence = f"{response.request.url.host} answered with status {status}{phrase}"
    return f"{sentence}: {said[:MAX_REFUSAL]}" if said.strip() else f"{sentence}."


def _text(response: httpx.Response, body: bytes) -> str:
    """The body as text; of what is none, only what it is."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if b"\x00" in body or kind.startswith(("image/", "audio/", "video/", "font/")):
        return f"({kind or 'data'}, {len(body):,} bytes: no text)"
    try:
        return body.decode(response.charset_encoding or "utf-8", errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")


def _parsed(tool: str, body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ToolError(
            f"The answer of {tool} is no JSON, of which a part could be taken."
        ) from None


def _taken(value: Any, pointer: str) -> Any:
    """The part of a JSON value at a JSON Pointer (RFC 6901)."""
    found = value
    nowhere = ToolError(f"The answer has nothing at {pointer!r}.")
    first, *steps = pointer.split("/")
    if first:  # it does not begin with a slash
        raise nowhere
    for step in steps:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isascii() and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            raise nowhere
    return found
