"""Tools implemented by an HTTP API.

A call goes to public addresses and to the operator's list of others. At most three redirects are
followed, and each is checked again. A connection's credentials are sent to its own host only.
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
    is_allowed_header,
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
"""Maximum bytes of a response that are read."""

MAX_ERROR_TEXT = 2_000
"""Maximum characters of an error response in the message for the model."""

_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of errors for which a retry may succeed (RFC 9110, 6585 and 8470)."""
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"


class WebClient:
    """HTTP client for the calls of one event loop: allowed addresses only, no cookies."""

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
                # No read timeout: the tool handler limits the time of a call.
                timeout=httpx.Timeout(None, connect=10.0, pool=10.0),
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
    """An HTTP request as a tool: the arguments fill the placeholders of its templates."""

    name: str
    call: HttpCall
    find: FindConnection
    web: WebClient

    @classmethod
    def of(cls, tool: Tool, find: FindConnection, web: WebClient) -> HttpTool:
        """Create the tool of a definition."""
        return cls(tool.name, tool.http or HttpCall(), find, web)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Make the request and return the selected part of the response."""
        connection = await self._connection()
        redact = connection.without_secrets if connection else str
        try:
            request = self._request(arguments, connection, context)
            response = await self._send(request, connection)
            try:
                body = await self._body(response)
            finally:
                await response.aclose()
        except AddressRefused as error:
            raise ToolError(str(error)) from None
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
            kind = ToolUnavailableError if response.status_code in _TRANSIENT else ToolError
            raise kind(redact(_error_message(response, _text(response, body))))
        return redact(self._result(response, body))

    async def _connection(self) -> ConnectionSettings | None:
        name = self.call.connection
        if name is None:
            return None
        connection = await self.find(name)
        if connection is None or connection.kind != "http":
            reason = f"has the kind {connection.kind}" if connection else "does not exist"
            raise ToolError(
                f"{self.name} uses the HTTP connection {name!r}, which {reason}: add it to the"
                " connections."
            )
        if connection.fault:
            raise ToolError(connection.fault)
        return connection

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
            if not is_allowed_header(name):
                raise ToolError(f"The header {name!r} cannot be set by a tool.")
            value = fill_header(template, arguments)
            if value is not None:
                headers[name] = value
        content = self._content(arguments, headers)
        if content is not None:
            headers.setdefault("Content-Type", _JSON)
        if connection:
            headers.update(connection.credentials)
        url = _full_url(connection, fill_url(self.call.url, arguments), self.name)
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
        """Return the response after redirects; credentials are never sent to another host."""
        origin = _origin(request.url)
        for _ in range(MAX_REDIRECTS + 1):
            response = await self.web.client.send(request, stream=True)
            redirected = response.next_request
            if redirected is None:
                return response
            await response.aclose()
            if request.url.scheme == "https" and redirected.url.scheme != "https":
                raise ToolError(
                    f"{request.url.host} redirects from https to http, which is not allowed."
                )
            if _origin(redirected.url) != origin:
                origin = None  # a redirect back to the first host gets no credentials either
                for name in {*self.call.headers, *(connection.credentials if connection else ())}:
                    redirected.headers.pop(name, None)
            request = redirected
        raise ToolError(
            f"{self._host(connection)} redirects the call more than {MAX_REDIRECTS} times."
        )

    # The response

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_HTTP_BYTES:
                if self.call.take and response.is_success:
                    raise ToolError(f"The answer of {self.name} is longer than 2 MB.")
                break
        return bytes(body[:MAX_HTTP_BYTES])

    def _result(self, response: httpx.Response, body: bytes) -> str:
        """Return the result for the model: the selected part, or the whole response."""
        if self.call.take:
            part = _select(_parse(self.name, body), self.call.take)
            return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
        if not body:
            return f"Done (status {response.status_code}); the answer is empty."
        return _text(response, body)


def _full_url(connection: ConnectionSettings | None, url: str, tool: str) -> str:
    """Return the address of the call; with a connection, always below the connection's address."""
    origin = origin_of(url)
    if connection is None:
        if not origin:
            raise ToolError(f"{tool} has no host: begin its address with https:// and the host.")
        return url
    base = connection.base_url.rstrip("/")
    if not origin:
        path, mark, query = url.partition("?")
        below = path.lstrip("/")
        return (f"{base}/{below}" if below else base) + mark + query
    if not f"{url}/".startswith((f"{base}/", f"{base}?")):
        raise ToolError(
            f"{tool} uses the connection {connection.name!r} and can only call addresses below"
            " the connection's address."
        )
    return url


def _origin(url: httpx.URL) -> tuple[str, str, int | None] | None:
    default_port = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or default_port


def _error_message(response: httpx.Response, text: str) -> str:
    status = response.status_code
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    sentence = f"{response.request.url.host} answered with status {status}{phrase}"
    return f"{sentence}: {text[:MAX_ERROR_TEXT]}" if text.strip() else f"{sentence}."


def _text(response: httpx.Response, body: bytes) -> str:
    """Return the body as text; for other content, its type and size."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if b"\x00" in body or kind.startswith(("image/", "audio/", "video/", "font/")):
        return f"({kind or 'data'}, {len(body):,} bytes: no text)"
    try:
        return body.decode(response.charset_encoding or "utf-8", errors="replace")
    except LookupError:
        return body.decode("utf-8", errors="replace")


def _parse(tool: str, body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ToolError(
            f"The answer of {tool} is not JSON, so that no part can be selected."
        ) from None


def _select(value: Any, pointer: str) -> Any:
    """Return the part of a JSON value at a JSON Pointer (RFC 6901)."""
    part = value
    missing = ToolError(f"The answer has nothing at {pointer!r}.")
    first, *steps = pointer.split("/")
    if first:  # the pointer does not begin with a slash
        raise missing
    for step in steps:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(part, dict) and key in part:
            part = part[key]
        elif isinstance(part, list) and key.isascii() and key.isdigit() and int(key) < len(part):
            part = part[int(key)]
        else:
            raise missing
    return part
