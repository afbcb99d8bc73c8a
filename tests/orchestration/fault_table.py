"""The fault table: faults of a model's server with the outcome for each adapter.

`again`: the retry is announced, and its answer arrives. `wait`: the same, after the delay that the
vendor requested. `error`: the turn fails at once, with a message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

from orchestration.providers.retry_policy import RetryPolicy
from tests.orchestration.faulty_server import Behaviour, answering, silence, streaming
from tests.orchestration.providers.completions_server import chunk, part
from tests.orchestration.vendor_formats import (
    DONE_CALL,
    MESSAGE_START,
    OLLAMA_END,
    block,
    by_lines,
    candidate,
    delta,
    line,
    message_end,
    response_event,
    sse,
)
from tests.orchestration.vendor_streams import VENDORS

ADAPTERS = tuple(VENDORS)

UNHURRIED = RetryPolicy(first_wait=0.0)

REQUEST_ID = {
    "openai_compatible": "x-request-id",
    "openai": "x-request-id",
    "anthropic": "request-id",
}
"""Header with the request id, for vendors that have one."""


@dataclass(frozen=True)
class Fault:
    """A fault and its declared outcome."""

    name: str
    outcome: str | dict[str, str]
    """Outcome of all adapters, or by adapter; `else` is for the others."""
    words: str | dict[str, str]
    """Pattern of the error message."""
    behaviour: Callable[[str], Behaviour] = lambda _: silence
    """Behaviour of the server at the first request of an adapter."""
    retry_policy: RetryPolicy = UNHURRIED
    late: str = ""
    answered: bool = True
    """True if the vendor's answer contains the request id."""

    def outcome_of(self, adapter: str) -> str:
        return _of(self.outcome, adapter)

    def words_of(self, adapter: str) -> str:
        return _of(self.words, adapter)


def _of(told: str | dict[str, str], adapter: str) -> str:
    return told if isinstance(told, str) else told.get(adapter, told.get("else", ""))


def id_of(adapter: str) -> dict[str, str]:
    """Return the header with the request id."""
    name = REQUEST_ID.get(adapter)
    return {name: "req_7"} if name else {}


def status(code: int, words: str = "No.", **headers: str) -> Callable[[str], Behaviour]:
    told = {name.replace("_", "-"): value for name, value in headers.items()}

    def made(adapter: str) -> Behaviour:
        body = {"error": words if adapter == "ollama" else {"message": words}}
        return answering(code, body, id_of(adapter) | told)

    return made


def stream(which: dict[str, bytes] | str, then: str = "") -> Callable[[str], Behaviour]:
    """Stream the bytes of the adapter, or a field of its vendor."""

    def made(adapter: str) -> Behaviour:
        vendor = VENDORS[adapter]
        sent = getattr(vendor, which) if isinstance(which, str) else which[adapter]
        return streaming(sent, kind=vendor.content_type, then=then, headers=id_of(adapter))

    return made


def _by_own_rules(adapter: str) -> Behaviour:
    """Answer with status 429, and a retry delay in the vendor's own format."""
    headers = {
        "openai_compatible": {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "20ms",
        },
        "anthropic": {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:00Z",
        },
    }
    headers["openai"] = headers["openai_compatible"]
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.02s"}
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "No.", "details": [info]}
    return answering(429, {"error": error}, headers.get(adapter, {}))


def _too_long(adapter: str) -> Behaviour:
    """Answer with the vendor's error for a conversation that does not fit its model."""
    said: dict[str, Any] = {
        "openai_compatible": {"code": "context_length_exceeded", "message": "Reduce it."},
        "anthropic": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"},
        "gemini": {
            "code": 400,
            "status": "INVALID_ARGUMENT",
            "message": "The input token count exceeds the maximum number of tokens allowed (8).",
        },
        "ollama": "the prompt is too long; exceeded max context length by 1 tokens",
    }
    said["openai"] = said["openai_compatible"]
    return answering(400, {"error": said[adapter]}, id_of(adapter))


BEGUN = {
    "openai_compatible": chunk({"role": "assistant", "content": ""}),
    "openai": sse({"type": "response.created", "response": {"id": "resp_1"}}, named=True),
    "anthropic": sse(MESSAGE_START, named=True),
    "gemini": sse(candidate()),
    "ollama": by_lines(line("")),
}
"""Beginning of an answer, without text to show."""

OVERLOADED = {
    "openai_compatible": sse({"error": {"type": "server_error", "message": "Busy."}}),
    "openai": sse({"type": "error", "code": "server_error", "message": "Busy."}, named=True),
    "anthropic": sse(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}, named=True
    ),
    "gemini": sse({"error": {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}}),
    "ollama": by_lines({"error": "Busy."}),
}

NO_JSON = {
    adapter: b'{"half\n' if adapter == "ollama" else b'data: {"half\n\n' for adapter in ADAPTERS
}

HALF_CALLS = {
    "openai_compatible": chunk(part(0, "call_1", "look_up", '{"ci')) + chunk({}, "tool_calls"),
    "openai": sse(
        {"type": "response.output_item.done", "item": DONE_CALL | {"arguments": '{"ci'}},
        response_event("completed", status="completed"),
        named=True,
    ),
    "anthropic": sse(
        MESSAGE_START,
        block(0, type="tool_use", id="toolu_1", name="look_up", input={}),
        delta(0, type="input_json_delta", partial_json='{"ci'),
        *message_end("tool_use"),
        named=True,
    ),
    "gemini": sse(candidate(reason="MALFORMED_FUNCTION_CALL")),
    "ollama": by_lines(
        line(tool_calls=[{"function": {"name": "look_up", "arguments": '{"ci'}}]),
        line(**OLLAMA_END),
    ),
}

EMPTY = {
    "openai_compatible": chunk({}, "stop"),
    "openai": sse(response_event("completed", status="completed"), named=True),
    "anthropic": sse(MESSAGE_START, *message_end("end_turn"), named=True),
    "gemini": sse(candidate(reason="STOP")),
    "ollama": by_lines(line(**OLLAMA_END)),
}

ENDLESS = {
    adapter: (b"{" if adapter == "ollama" else b"data: {") + b"x" * (1 << 21)
    for adapter in ADAPTERS
}

BREAKS_OFF = "broke off before its end"

FAULTS = (
    Fault("nobody listens", "again", "No server answers at", late="closed", answered=False),
    Fault(
        "no connection in time",
        "again",
        "cannot be reached: no connection within",
        retry_policy=RetryPolicy(connect=0.3, first_wait=0.0),
        late="full",
        answered=False,
    ),
    Fault(
        "no first byte in time",
        "again",
        r"did not answer within 1 s",
        retry_policy=RetryPolicy(first_byte=1.0, first_wait=0.0),
        answered=False,
    ),
    Fault(
        "silence in the middle of the text",
        "error",
        r"stopped in the middle of its answer: no data within 0\.2 s",
        stream("cut_off", "hang"),
        RetryPolicy(between=0.2),
    ),
    Fault(
        "the turn takes too long",
        "error",
        r"did not finish within the 0\.5 s",
        stream("cut_off", "drip"),
        RetryPolicy(turn=0.5),
    ),
    Fault("401, or 403", "error", r"refused the key: check [A-Z]+_API_KEY", status(401)),
    Fault("404", "error", "knows no model 'm1'", status(404)),
    Fault("408", "again", "took too long", status(408)),
    Fault("409", "again", "status 409", status(409)),
    Fault(
        "429 with Retry-After in seconds",
        "wait",
        "received too many requests",
        status(429, retry_after="0"),
        RetryPolicy(first_wait=8.0),
    ),
    Fault(
        "429 with Retry-After as a date",
        "wait",
        "received too many requests",
        status(429, retry_after=formatdate(0, usegmt=True)),
        RetryPolicy(first_wait=8.0),
    ),
    Fault(
        "429 with the vendor's own word",
        {"ollama": "again", "else": "wait"},
        "received too many requests",
        _by_own_rules,
        RetryPolicy(first_wait=0.01),
        answered=False,
    ),
    Fault("500", "again", r"internal error \(status 500\)", status(500)),
    Fault("502, 503, 504", "again", r"not available \(status 503\)", status(503)),
    Fault("529, overloaded", "again", "overloaded", status(529)),
    Fault("the stream ends before any text", "again", BREAKS_OFF, stream(BEGUN)),
    Fault("the stream ends in the middle of the text", "error", BREAKS_OFF, stream("cut_off")),
    Fault(
        "the connection breaks in the middle of the text",
        "error",
        "broke off during the answer",
        stream("cut_off", "reset"),
    ),
    Fault("an event that is no JSON", "again", "an event that is not JSON", stream(NO_JSON)),
    Fault(
        "an event that is no JSON, in the middle of the text",
        "error",
        "an event that is not JSON",
        stream({one: VENDORS[one].cut_off + NO_JSON[one] for one in ADAPTERS}),
    ),
    Fault(
        "arguments that are no JSON",
        {"gemini": "error", "else": "again"},
        {
            "gemini": "sent a tool call that cannot be parsed",
            "else": "called look_up with arguments that are not JSON",
        },
        stream(HALF_CALLS),
    ),
    Fault(
        "half a call, cut off at the bound",
        "error",
        r"returned an empty answer \(it reached the maximum length",
        stream("too_long"),
    ),
    Fault("neither text nor a call", "error", "returned an empty answer", stream(EMPTY)),
    Fault(
        "an error in a 200, overloaded",
        {"ollama": "error", "else": "again"},
        "reported an error: Busy",
        stream(OVERLOADED),
    ),
    Fault(
        "an error in the middle of the text",
        "error",
        "reported an error",
        stream({one: VENDORS[one].cut_off + OVERLOADED[one] for one in ADAPTERS}),
    ),
    Fault(
        "the conversation is too long",
        "error",
        "received a conversation that is too long",
        _too_long,
    ),
    Fault("an event without an end", "error", "that is too long", stream(ENDLESS)),
    Fault(
        "a redirect",
        "error",
        r"redirects to http://elsewhere\.test/ \(status 307\).*correct [A-Z]+_BASE_URL",
        status(307, location="http://elsewhere.test/"),
    ),
)
