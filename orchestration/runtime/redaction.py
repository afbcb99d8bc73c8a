"""Redaction of secrets in everything that enters a conversation from models and tools.

A model or a tool may repeat a secret that was sent to its server. The answers of models and the
results of tools are redacted before they become events, so no event, trace or link contains it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import aclosing
from functools import partial

from msgspec.structs import replace

from orchestration.messages import ToolCall, ToolResult
from orchestration.network import (
    Secrets,
    StreamRedactor,
    merged_secrets,
    redact,
    redact_json,
    redact_json_text,
)
from orchestration.providers import (
    CallPiece,
    ExchangeListener,
    Finished,
    Piece,
    Provider,
    Retry,
    TextPiece,
    WireExchange,
    redacted_exchange,
)
from orchestration.tools import ToolSource


class Redaction:
    """Secrets of a session's providers and tools, and their redaction."""

    __slots__ = ("_all", "_of_tools", "_own", "_tools", "is_needed")

    def __init__(self, secrets: Secrets, tools: ToolSource | None) -> None:
        self._own = self._all = secrets
        self._tools = tools
        self._of_tools: Secrets = ()
        self.is_needed = bool(secrets) or tools is not None
        """False if the session has no secrets, now and later."""

    @classmethod
    def of(
        cls,
        providers: Mapping[str, Provider],
        tools: ToolSource | None = None,
        secrets: Collection[str] = (),
    ) -> Redaction:
        """Return the redaction of a session; sessions without any secret share one.

        `secrets` are values beside those of the providers, such as the tokens of tools in code.
        """
        groups = [held for client in providers.values() if (held := _held_secrets(client))]
        if not groups and not secrets and tools is None:
            return _NO_SECRETS
        return cls(merged_secrets([tuple(secrets), *groups]), tools)

    @property
    def secrets(self) -> Secrets:
        """All secrets so far; the tools add those of the connections that they use."""
        if self._tools is not None and (held := _held_secrets(self._tools)) is not self._of_tools:
            self._of_tools, self._all = held, merged_secrets([self._own, held])
        return self._all

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return redact(text, self.secrets)

    def result(self, result: ToolResult) -> ToolResult:
        """Return the result of a tool without secrets."""
        if not (secrets := self.secrets):
            return result
        content = redact_json_text(result.content, secrets)
        error = None if result.error is None else redact(result.error, secrets)
        notes = None if result.notes is None else redact_json(result.notes, secrets)
        if (content, error, notes) == (result.content, result.error, result.notes):
            return result
        return replace(result, content=content, error=error, notes=notes)

    def pieces(self, stream: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece, None]:
        """Return the pieces of an answer without secrets."""
        secrets = self.secrets
        return _redacted_pieces(stream, secrets) if secrets else stream

    def listener(self, listener: ExchangeListener) -> ExchangeListener:
        """Return a listener that passes on exchanges without secrets."""
        return partial(self._pass_on, listener)

    def _pass_on(self, listener: ExchangeListener, exchange: WireExchange) -> None:
        listener(redacted_exchange(exchange, self.secrets))


_NO_SECRETS = Redaction((), None)


def _held_secrets(client: object) -> Secrets:
    """Return the attribute `secrets` of a provider or a source of tools, if it has one.

    It is no protocol: `isinstance` would cost more than all other work for a new session.
    """
    secrets: Secrets = getattr(client, "secrets", ())
    return secrets


async def _redacted_pieces(
    stream: AsyncGenerator[Piece, None], secrets: Secrets
) -> AsyncGenerator[Piece, None]:
    redactor = StreamRedactor(secrets)
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            match piece:
                case TextPiece():
                    if text := redactor.feed(piece.text):
                        yield piece if text == piece.text else TextPiece(text)
                case Retry():
                    redactor.reset()
                    yield replace(piece, message=redact(piece.message, secrets))
                case CallPiece():
                    yield CallPiece(_redacted_call(piece.call, secrets))
                case Finished():
                    if rest := redactor.finish():
                        yield TextPiece(rest)
                    yield _redacted_end(piece, secrets)


def _redacted_call(call: ToolCall, secrets: Secrets) -> ToolCall:
    redacted = ToolCall(
        id=redact(call.id, secrets),
        name=redact(call.name, secrets),
        arguments=redact_json_text(call.arguments, secrets),
    )
    return call if redacted == call else redacted


def _redacted_end(end: Finished, secrets: Secrets) -> Finished:
    """Return the end of an answer without secrets.

    A vendor's own data is dropped if it contains a secret: vendors refuse changed data.
    """
    kept = end.kept
    if kept is not None and redact_json(kept.parts, secrets) != kept.parts:
        kept = None
    request_id = None if end.request_id is None else redact(end.request_id, secrets)
    return replace(end, kept=kept, request_id=request_id)
