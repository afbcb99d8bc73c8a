"""One request to a vendor: send it, read the answer within the time limits, report failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from typing import Any

import httpx
import msgspec

from orchestration.exceptions import ProviderError
from orchestration.messages import clean
from orchestration.network import Secrets
from orchestration.providers import errors
from orchestration.providers.errors import error_text
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from orchestration.providers.retry_policy import RetryPolicy
from orchestration.providers.sse import MAX_EVENT, Decoder, EventReader, StreamParser
from orchestration.providers.wire_log import ExchangeRecorder
from orchestration.tokens import estimate_tokens


class VendorRequest:
    """Request of one turn; each attempt sends it again."""

    def __init__(
        self,
        request: ModelRequest,
        *,
        client: httpx.AsyncClient,
        url: str,
        body: bytes,
        decoder: Callable[[], Decoder],
        reader: Callable[[], StreamParser],
        retry_policy: RetryPolicy,
        target: errors.RequestTarget,
        secrets: Secrets,
        private: Iterable[str],
    ) -> None:
        self._request, self._client, self._url, self._body = request, client, url, body
        self._decoder, self._reader = decoder, reader
        self._retry_policy, self._target = retry_policy, target
        self._secrets, self._private = secrets, private
        """`private` are the names of headers that are hidden in logs."""

    async def pieces(self, deadline: float) -> AsyncGenerator[Piece, None]:
        """Send the request once; yield the answer. Raises `ProviderError` with the request id."""
        sending = self._client.build_request("POST", self._url, content=self._body)
        listener, recorder = self._request.listen, None
        if listener is not None:
            recorder = ExchangeRecorder(listener, sending, self._secrets, self._private)
        decoder = self._decoder()
        response: httpx.Response | None = None
        error = "The request was cancelled before the end of the answer."
        try:
            response = await self._send(sending, deadline)
            if recorder is not None:
                recorder.record_response(response)
            async with (
                aclosing(self._chunks(response, deadline, recorder)) as chunks,
                aclosing(self._answer(response, chunks, decoder)) as pieces,
            ):
                async for piece in pieces:
                    yield piece
            error = ""
        except ProviderError as failed:
            failure = _with_request_id(failed, self._request_id(response, decoder))
            error = str(failure)
            raise failure from None
        finally:
            if response is not None:
                await response.aclose()
            if recorder is not None:
                recorder.end(error)

    async def _answer(
        self, response: httpx.Response, chunks: AsyncGenerator[bytes, None], decoder: Decoder
    ) -> AsyncGenerator[Piece, None]:
        """Yield the pieces of an answer; an error status raises."""
        if response.status_code != httpx.codes.OK:
            body = await _read_up_to(chunks, errors.MAX_ERROR)
            raise errors.refusal(response, body, self._target, self._secrets)
        text_length = 0
        async with aclosing(self._events(response, chunks)) as events:
            async for data in events:
                for piece in _checked_pieces(decoder.decode(data)):
                    text_length += len(piece.text) if isinstance(piece, TextPiece) else 0
                    yield piece
                if decoder.ended:
                    break
        request_id = self._request_id(response, decoder)
        for piece in _checked_pieces(map(_storable, decoder.finish())):
            yield _with_usage(piece, self._request, text_length, request_id)
        await _drain(chunks)

    async def _send(self, sending: httpx.Request, deadline: float) -> httpx.Response:
        first_byte_due = asyncio.get_running_loop().time() + self._retry_policy.first_byte
        try:
            async with asyncio.timeout_at(min(first_byte_due, deadline)):
                return await self._client.send(sending, stream=True)
        except TimeoutError:
            raise self._late(first_byte_due, deadline, begun=False) from None
        except httpx.HTTPError as error:
            raise errors.connection_error(error, self._target, self._retry_policy) from None

    async def _chunks(
        self, response: httpx.Response, deadline: float, recorder: ExchangeRecorder | None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the answer's bytes within the time limits."""
        loop, begun = asyncio.get_running_loop(), False
        chunks = response.aiter_bytes()
        chunk_due = loop.time() + self._retry_policy.first_byte
        while True:
            try:
                async with asyncio.timeout_at(min(chunk_due, deadline)):
                    chunk = await anext(chunks, None)
            except (TimeoutError, httpx.TimeoutException):
                raise self._late(chunk_due, deadline, begun=begun) from None
            except httpx.HTTPError:
                raise errors.connection_lost(self._target) from None
            if chunk is None:
                return
            if recorder is not None:
                recorder.record_chunk(chunk)
            begun = True
            yield chunk
            chunk_due = loop.time() + self._retry_policy.between

    async def _events(
        self, response: httpx.Response, chunks: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[bytes, None]:
        reader = self._reader()
        if isinstance(reader, EventReader) and "json" in response.headers.get("content-type", ""):
            yield (await _read_up_to(chunks, MAX_EVENT)) or b"{}"
            return
        async for chunk in chunks:
            for data in reader.feed(chunk):
                yield data
        for data in reader.close():
            yield data

    def _late(self, chunk_due: float, deadline: float, *, begun: bool) -> ProviderError:
        """Return the error of the time limit that was exceeded."""
        if deadline <= chunk_due:
            return errors.turn_timeout(self._target, self._retry_policy)
        make_error = errors.stall_timeout if begun else errors.first_byte_timeout
        return make_error(self._target, self._retry_policy)

    def _request_id(self, response: httpx.Response | None, decoder: Decoder) -> str | None:
        """Return the vendor's id of the request or of the answer."""
        if response is None:
            return None
        request_id = errors.request_id_of(response.headers, b"", self._secrets)
        return request_id or error_text(decoder.answer_id, self._secrets) or None


def _checked_pieces(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield the pieces of an event; convert errors about its structure to `ProviderError`.

    Decoders assume the vendor's format: any value of another type fails here.
    """
    try:
        yield from pieces
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ProviderError(
            "The model sent an event with an unknown structure.", transient=True
        ) from error


def _storable(piece: Piece) -> Piece:
    """Return the piece without characters that cannot be stored (`clean`)."""
    return msgspec.convert(_cleaned(msgspec.to_builtins(piece)), type(piece))


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(key)): _cleaned(part) for key, part in value.items()}
        case list() | tuple():
            return [_cleaned(part) for part in value]
        case _:
            return value


def _with_request_id(error: ProviderError, request_id: str | None) -> ProviderError:
    """Add the request id to an error without one."""
    if error.request_id is not None or request_id is None:
        return error
    return error.with_message(str(error), request_id=request_id)


async def _read_up_to(chunks: AsyncIterator[bytes], most: int) -> bytes:
    body = b""
    async for chunk in chunks:
        body += chunk
        if len(body) >= most:
            break
    return body[:most]


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the rest after the last event, so that the connection can be reused."""
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(0.5):
            await anext(chunks, None)


def _with_usage(
    piece: Piece, request: ModelRequest, text_length: int, request_id: str | None
) -> Piece:
    """Add the request id to `Finished`, and estimated tokens if the server sent no usage."""
    if not isinstance(piece, Finished):
        return piece
    if piece.input_tokens or piece.output_tokens:
        return msgspec.structs.replace(piece, request_id=request_id)
    sent = estimate_tokens(request.system) + sum(message.tokens for message in request.messages)
    return msgspec.structs.replace(
        piece, request_id=request_id, input_tokens=sent, output_tokens=text_length // 4 + 1
    )
