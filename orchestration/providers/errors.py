"""Errors of requests to a vendor, with the next step in words."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.network import AddressRefused, Secrets, strike
from orchestration.providers.retry_policy import Patience, asked_to_wait
from orchestration.providers.sse import RETRIED, said_in

MAX_ERROR = 64 * 1024
"""Bytes of an error's body that are read."""

_REQUEST_IDS = (
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-amzn-requestid",
    "x-goog-request-id",
    "x-cloud-trace-context",
)
"""By which headers vendors and the clouds before them name a request."""


class RequestTarget(NamedTuple):
    """The provider as error messages name it."""

    host: str
    model: str
    key: str
    """Name of the setting with its key."""
    address: str
    """Name of the setting with its address."""


def refusal(
    response: httpx.Response, body: bytes, asked: RequestTarget, secrets: Secrets
) -> ProviderError:
    """Convert a response with a status other than 200 to an error."""
    status, headers, error = response.status_code, response.headers, _error_in(body)
    words = said_in(error, secrets) if error is not None else ""
    code = str(error.get("code") or error.get("type") or "") if isinstance(error, Mapping) else ""
    meaning = _MEANINGS.get(status, f"answered with status {status}")
    again = status in RETRIED
    if status in (400, 413) and (code in _TOO_LONG_CODES or _TOO_LONG.search(words)):
        meaning = "finds the conversation too long for {model!r}"
    elif code == "insufficient_quota":
        meaning, again = "has no quota left for {key}: look at its billing", False
    elif 300 <= status < 400:
        where = strike(headers.get("location", "nowhere"), secrets)[:200]
        meaning = f"sends us on to {where} (status {status}), where nobody is asked: correct "
        meaning = meaning.replace("{", "{{").replace("}", "}}") + "{address}"
    text = meaning.format(model=asked.model, key=asked.key, address=asked.address)
    message = f"{asked.host} {text}."
    message += f" It says: {words}" if words else ""
    if (should := headers.get("x-should-retry")) in ("true", "false"):
        again = should == "true"
    return ProviderError(
        message,
        status=status,
        request_id=request_id_of(headers, body, secrets),
        transient=again,
        wait=asked_to_wait(headers, error) if again else None,
    )


def place_of(url: str) -> str:
    """Return the host of an address, with its port if given, for error messages."""
    found = httpx.URL(url)
    host = f"[{found.host}]" if ":" in found.host else found.host
    return f"{host}:{found.port}" if host and found.port else host


def no_answer(error: httpx.HTTPError, place: str) -> str:
    """Why nothing came from a place, in words."""
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return f"{place} cannot be reached: its certificate is not trusted."
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"{place} cannot be reached: it does not answer as https does."
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"{place} cannot be reached: its name leads nowhere."
    if isinstance(error, httpx.ConnectError):
        return f"Nobody answers at {place}."
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return f"{place} broke the connection off before it answered."
    return f"{place} cannot be reached: {type(error).__name__}."


def unreachable(error: httpx.HTTPError, asked: RequestTarget, patience: Patience) -> ProviderError:
    """Convert a failed request without an answer to an error."""
    if isinstance(error, AddressRefused):
        return ProviderError(str(error))
    if isinstance(error, httpx.ConnectTimeout):
        within = f"no connection within {patience.connect:g} s"
        return ProviderTimeout(f"{asked.host} cannot be reached: {within}.", transient=True)
    if isinstance(error, httpx.TimeoutException):
        return too_late(asked, patience)
    return ProviderError(no_answer(error, asked.host), transient=True)


def too_late(asked: RequestTarget, patience: Patience) -> ProviderError:
    """An answer did not begin."""
    return ProviderTimeout(
        f"{asked.host} did not answer in time: nothing came within {patience.first_byte:g} s.",
        transient=True,
    )


def silent(asked: RequestTarget, patience: Patience) -> ProviderError:
    """An answer began, and then nothing came."""
    return ProviderTimeout(
        f"{asked.host} stopped in the middle of its answer: nothing came for "
        f"{patience.between:g} s.",
        transient=True,
    )


def too_slow(asked: RequestTarget, patience: Patience) -> ProviderError:
    """The time of the turn is over."""
    return ProviderTimeout(
        f"{asked.host} is not done within the {patience.turn:g} s that a turn may take."
    )


def torn(asked: RequestTarget) -> ProviderError:
    """The connection is gone."""
    return ProviderError(
        f"The connection to {asked.host} broke off during the answer.", transient=True
    )


def request_id_of(headers: httpx.Headers, body: bytes, secrets: Secrets) -> str | None:
    """Return the vendor's id of the request from the headers or the error's body."""
    given: object = next((headers[name] for name in _REQUEST_IDS if name in headers), None)
    if given is None:
        found = _read(body)
        given = found.get("request_id") if isinstance(found, Mapping) else None
    return said_in(given, secrets) if given else None


def _error_in(body: bytes) -> Any:
    """The error object of a body, or whatever stands for it; Google's may stand in a list."""
    found = _read(body)
    if isinstance(found, list) and found:
        found = found[0]
    return found.get("error") or found if isinstance(found, Mapping) else None


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


_MEANINGS = {
    400: "did not accept the request for model {model!r}",
    401: "refused the key: check {key}",
    403: "does not allow this: check {key} and what it may do",
    404: "knows no model {model!r}, or {address} is not its address",
    408: "took too long",
    413: "finds the conversation too long",
    429: "is asked too much at the moment, or the quota is used up",
    500: "has an error of its own (status 500)",
    502: "is not available (status 502)",
    503: "is not available (status 503)",
    504: "did not answer in time (status 504)",
    529: "is overloaded (status 529)",
}

_TOO_LONG_CODES = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
)

_TOO_LONG = re.compile(
    r"prompt is too long|maximum context length|exceeds? the (?:maximum number of tokens|context)"
    r"|exceeded max context length|context (?:window|size|length) .{0,40}exceed",
    re.IGNORECASE,
)
"""Vendors' phrases for a conversation that exceeds the context, if they have no code for it."""
