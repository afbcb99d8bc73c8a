"""Error messages for failed requests to a vendor, with the next step."""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.messages import clean
from orchestration.network import AddressRefused, Secrets, redact
from orchestration.providers.retry_policy import (
    RETRYABLE_CODES,
    RETRYABLE_STATUS,
    RetryPolicy,
    requested_wait,
)

MAX_ERROR = 64 * 1024
"""Maximum number of bytes read from the body of an error."""

_REQUEST_IDS = (
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-amzn-requestid",
    "x-goog-request-id",
    "x-cloud-trace-context",
)
"""Headers with the request id, of vendors and of cloud gateways."""


class RequestTarget(NamedTuple):
    """Names of a model, its host and its settings for error messages."""

    host: str
    model: str
    key: str
    """Name of the setting with the key."""
    address: str
    """Name of the setting with the address."""


def error_text(error: object, secrets: Secrets) -> str:
    """Return the message of a vendor's error object, shortened and without secrets."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("error") or error
    # Before it is shortened: a part of a key would not be recognised.
    return redact(clean(" ".join(str(error).split())), secrets)[:300]


def as_sentence(words: str) -> str:
    """Return a vendor's words with a full stop, because another sentence may follow."""
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def quotation(words: str) -> str:
    """Return a server's words as a further sentence of an error message; empty without words."""
    return f" It says: {as_sentence(words)}" if words else ""


def refusal(
    response: httpx.Response, body: bytes, target: RequestTarget, secrets: Secrets
) -> ProviderError:
    """Convert a response with a status other than 200 to an error."""
    status, headers, error = response.status_code, response.headers, _error_in(body)
    words = error_text(error, secrets) if error is not None else ""
    code = str(error.get("code") or error.get("type") or "") if isinstance(error, Mapping) else ""
    meaning = _MEANINGS.get(status, f"answered with status {status}")
    transient = status in RETRYABLE_STATUS
    if status in (400, 413) and (code in _TOO_LONG_CODES or _TOO_LONG.search(words)):
        meaning = "received a conversation that is too long for {model!r}"
    elif code == "insufficient_quota":
        meaning, transient = "has no quota left for {key}: check its billing", False
    elif 300 <= status < 400:
        where = redact(headers.get("location", "nowhere"), secrets)[:200]
        meaning = (
            f"redirects to {where} (status {status}), but redirects are not followed: correct "
        )
        meaning = meaning.replace("{", "{{").replace("}", "}}") + "{address}"
    text = meaning.format(model=target.model, key=target.key, address=target.address)
    message = f"{target.host} {text}.{quotation(words)}"
    if (should := headers.get("x-should-retry")) in ("true", "false"):
        transient = should == "true"
    return ProviderError(
        message,
        status=status,
        request_id=request_id_of(headers, body, secrets),
        transient=transient,
        wait=requested_wait(headers, error) if transient else None,
    )


def host_of(url: str) -> str:
    """Return the host of an address, with its port if given, for error messages."""
    parsed = httpx.URL(url)
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    return f"{host}:{parsed.port}" if host and parsed.port else host


def reported_error(error: object, secrets: Secrets, request_id: object = None) -> ProviderError:
    """Return the error that a vendor sent in its stream."""
    transient = False
    if isinstance(error, dict):
        kinds = [error.get(key) for key in ("type", "code", "status")]
        transient = any(
            kind in RETRYABLE_STATUS or str(kind).lower() in RETRYABLE_CODES
            for kind in kinds
            if isinstance(kind, str | int)
        )
    return ProviderError(
        f"The model reported an error: {as_sentence(error_text(error, secrets))}",
        request_id=error_text(request_id, secrets) if request_id else None,
        transient=transient,
    )


def connection_error_text(error: httpx.HTTPError, host: str) -> str:
    """Return the reason for a missing answer, as a sentence."""
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cause)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return f"{host} cannot be reached: its certificate is not trusted."
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"{host} cannot be reached: it does not support https."
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"{host} cannot be reached: its name cannot be resolved."
    if isinstance(error, httpx.ConnectError):
        return f"No server answers at {host}."
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        return f"{host} broke the connection off before it answered."
    return f"{host} cannot be reached: {type(error).__name__}."


def connection_error(
    error: httpx.HTTPError, target: RequestTarget, retry_policy: RetryPolicy
) -> ProviderError:
    """Convert a failed request without an answer to an error."""
    if isinstance(error, AddressRefused):
        return ProviderError(str(error))
    if isinstance(error, httpx.ConnectTimeout):
        within = f"no connection within {retry_policy.connect:g} s"
        return ProviderTimeout(f"{target.host} cannot be reached: {within}.", transient=True)
    if isinstance(error, httpx.TimeoutException):
        return first_byte_timeout(target, retry_policy)
    return ProviderError(connection_error_text(error, target.host), transient=True)


def first_byte_timeout(target: RequestTarget, retry_policy: RetryPolicy) -> ProviderError:
    """Return the error of an answer that did not begin in time."""
    return ProviderTimeout(
        f"{target.host} did not answer within {retry_policy.first_byte:g} s.",
        transient=True,
    )


def stall_timeout(target: RequestTarget, retry_policy: RetryPolicy) -> ProviderError:
    """Return the error of an answer that stopped before its end."""
    return ProviderTimeout(
        f"{target.host} stopped in the middle of its answer: "
        f"no data within {retry_policy.between:g} s.",
        transient=True,
    )


def turn_timeout(target: RequestTarget, retry_policy: RetryPolicy) -> ProviderError:
    """Return the error of a turn that exceeded its time limit."""
    return ProviderTimeout(
        f"{target.host} did not finish within the {retry_policy.turn:g} s allowed for a turn."
    )


def connection_lost(target: RequestTarget) -> ProviderError:
    """Return the error of a connection that broke during the answer."""
    return ProviderError(
        f"The connection to {target.host} broke off during the answer.", transient=True
    )


def request_id_of(headers: httpx.Headers, body: bytes, secrets: Secrets) -> str | None:
    """Return the vendor's id of the request, from the headers or the error's body."""
    request_id: object = next((headers[name] for name in _REQUEST_IDS if name in headers), None)
    if request_id is None:
        content = _read(body)
        request_id = content.get("request_id") if isinstance(content, Mapping) else None
    return error_text(request_id, secrets) if request_id else None


def _error_in(body: bytes) -> Any:
    """Return the error object of a body; Google may send a list with one."""
    content = _read(body)
    if isinstance(content, list) and content:
        content = content[0]
    return content.get("error") or content if isinstance(content, Mapping) else None


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


_MEANINGS = {
    400: "did not accept the request for model {model!r}",
    401: "refused the key: check {key}",
    403: "does not allow this: check {key} and its permissions",
    404: "knows no model {model!r}, or {address} is wrong: check both",
    408: "took too long",
    413: "received a conversation that is too long",
    429: "received too many requests, or the quota is used up: wait, or check the quota",
    500: "had an internal error (status 500)",
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
"""Phrases of vendors without an error code for a conversation that exceeds the context."""
