"""One request to a vendor and its answer: sent, read in time, and named where it fails."""

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
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from orchestration.providers.retry_policy import Patience
from orchestration.providers.sse import MAX_EVENT, Decoder, EventReader, StreamParser, said_in
from orchestration.providers.wire_log import Tap
from orchestration.tokens import estimate_tokens


class Asking:
    """One turn's request, which may be sent several times."""

    def __init__(
        self,
        request: ModelRequest,
        *,
        client: httpx.AsyncClient,
        url: str,
        body: bytes,
        decoder: Callable[[], Decoder],
        reader: Callable[[], StreamParser],
        patience: Patience,
        asked: errors.RequestTarget,
        secrets: Secrets,
        private: Iterable[str],
    ) -> None:
        self._request, self._client, self._url, self._body = request, client, url, body
        self._decoder, self._reader = decoder, reader
        self._patience, self._asked = patience, asked
        self._secrets, self._private = secrets, private
        """`private` are the names of headers that no log shows."""

    async def pieces(self, deadline: float) -> AsyncGenerator[Piece, None]:
        """Ask once, and give the answer. Raises `ProviderError` that names the request."""
        sending = self._client.build_request("POST", self._url, content=self._body)
        listener, tap = self._request.listen, None
        if listener is not None:
            tap = Tap(listener, sending, self._secrets, self._private)
        decoder = self._decoder()
        response: httpx.Response | None = None
        error = "It was given up before its end."
        try:
            response = await self._send(sending, deadline)
            if tap is not None:
                tap.answered(response)
            async with (
                aclosing(self._chunks(response, deadline, tap)) as chunks,
                aclosing(self._answer(response, chunks, decoder)) as pieces,
            ):
                async for piece in pieces:
                    yield piece
            error = ""
        except ProviderError as failed:
            named = _named(failed, self._name_of(response, decoder))
            error = str(named)
            raise named from None
        finally:
            if response is not None:
                await response.aclose()
            if tap is not None:
                tap.end(error)

    async def _answer(
        self, response: httpx.Response, chunks: AsyncGenerator[bytes, None], decoder: Decoder
    ) -> AsyncGenerator[Piece, None]:
        """The pieces of an answer; a refusal raises."""
        if response.status_code != httpx.codes.OK:
            body = await _all_of(chunks, errors.MAX_ERROR)
            raise errors.refusal(response, body, self._asked, self._secrets)
        said = 0
        async with aclosing(self._events(response, chunks)) as events:
            async for data in events:
                for piece in _of_the_vendor(decoder.decode(data)):
                    said += len(piece.text) if isinstance(piece, TextPiece) else 0
                    yield piece
                if decoder.ended:
                    break
        name = self._name_of(response, decoder)
        for piece in _of_the_vendor(map(_storable, decoder.finish())):
            yield _counted(piece, self._request, said, name)
        await _drain(chunks)

    async def _send(self, sending: httpx.Request, deadline: float) -> httpx.Response:
        begins_by = asyncio.get_running_loop().time() + self._patience.first_byte
        try:
            async with asyncio.timeout_at(min(begins_by, deadline)):
                return await self._client.send(sending, stream=True)
        except TimeoutError:
            raise self._late(begins_by, deadline, begun=False) from None
        except httpx.HTTPError as error:
            raise errors.unreachable(error, self._asked, self._patience) from None

    async def _chunks(
        self, response: httpx.Response, deadline: float, tap: Tap | None
    ) -> AsyncGenerator[bytes, None]:
        """The answer's bytes, each in time."""
        loop, begun = asyncio.get_running_loop(), False
        chunks = response.aiter_bytes()
        comes_by = loop.time() + self._patience.first_byte
        while True:
            try:
                async with asyncio.timeout_at(min(comes_by, deadline)):
                    chunk = await anext(chunks, None)
            except (TimeoutError, httpx.TimeoutException):
                raise self._late(comes_by, deadline, begun=begun) from None
            except httpx.HTTPError:
                raise errors.torn(self._asked) from None
            if chunk is None:
                return
            if tap is not None:
                tap.take(chunk)
            begun = True
            yield chunk
            comes_by = loop.time() + self._patience.between

    async def _events(
        self, response: httpx.Response, chunks: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[bytes, None]:
        reader = self._reader()
        if isinstance(reader, EventReader) and "json" in response.headers.get("content-type", ""):
            yield (await _all_of(chunks, MAX_EVENT)) or b"{}"
            return
        async for chunk in chunks:
            for data in reader.feed(chunk):
                yield data
        for data in reader.close():
            yield data

    def _late(self, comes_by: float, deadline: float, *, begun: bool) -> ProviderError:
        """Return the error of the time limit that was exceeded."""
        if deadline <= comes_by:
            return errors.too_slow(self._asked, self._patience)
        say = errors.silent if begun else errors.too_late
        return say(self._asked, self._patience)

    def _name_of(self, response: httpx.Response | None, decoder: Decoder) -> str | None:
        """Return the vendor's id of the request or of its answer."""
        if response is None:
            return None
        named = errors.request_id_of(response.headers, b"", self._secrets)
        return named or said_in(decoder.answer_id, self._secrets) or None


def _of_the_vendor(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces of an event. One that is not built as the vendor's are is an error of the model.

    Decoders take the vendor at its word; what else may stand anywhere in an event is found here.
    """
    try:
        yield from pieces
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ProviderError(
            "The model sent an event that is not built as its vendor's are.", transient=True
        ) from error


def _storable(piece: Piece) -> Piece:
    """The piece as its class has it, without what no event can carry (`clean`)."""
    return msgspec.convert(_without_loose_ends(msgspec.to_builtins(piece)), type(piece))


def _without_loose_ends(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(key)): _without_loose_ends(part) for key, part in value.items()}
        case list() | tuple():
            return [_without_loose_ends(part) for part in value]
        case _:
            return value


def _named(error: ProviderError, request_id: str | None) -> ProviderError:
    """The error with what the vendor calls the request, where it does not say so itself."""
    if error.request_id is not None or request_id is None:
        return error
    return error.again(str(error), request_id=request_id)


async def _all_of(chunks: AsyncIterator[bytes], most: int) -> bytes:
    body = b""
    async for chunk in chunks:
        body += chunk
        if len(body) >= most:
            break
    return body[:most]


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the little that follows the end, so that the connection can be used again."""
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(0.5):
            await anext(chunks, None)


def _counted(piece: Piece, request: ModelRequest, said: int, name: str | None) -> Piece:
    """The end, with the request's name, and estimated tokens where the server did not count."""
    if not isinstance(piece, Finished):
        return piece
    if piece.input_tokens or piece.output_tokens:
        return msgspec.structs.replace(piece, request_id=name)
    sent = estimate_tokens(request.system) + sum(message.tokens for message in request.messages)
    return msgspec.structs.replace(
        piece, request_id=name, input_tokens=sent, output_tokens=said // 4 + 1
    )
