"""Answers that are compressed: unpacked piece by piece, so that whoever reads can stop in time."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterable

import httpx

PIECE = 64 * 1024
"""Bytes that are unpacked at once: a few of them may hold a thousand times as many."""

_NAMES = frozenset({"gzip", "x-gzip", "deflate"})
_EITHER = 32 + zlib.MAX_WBITS
"""Has zlib see by itself which of the two it is."""


def unpacked(response: httpx.Response) -> httpx.Response | None:
    """The answer as it is read; None where nothing bounds what would come of it.

    That is any other form than gzip and deflate, and one within another.
    """
    encoding = response.headers.pop("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return response
    if encoding not in _NAMES or not isinstance(response.stream, httpx.AsyncByteStream):
        return None
    response.headers.pop("Content-Length", None)
    response.stream = _Unpacked(response.stream)
    return response


class _Unpacked(httpx.AsyncByteStream):
    """Decompressed content of a stream."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        unpacking = zlib.decompressobj(_EITHER)
        packed: AsyncIterable[bytes] = self._inner
        async for chunk in packed:
            rest = chunk
            while rest and not unpacking.eof:
                try:
                    piece = unpacking.decompress(rest, PIECE)
                except zlib.error as error:
                    raise httpx.DecodingError(f"It cannot be unpacked: {error}.") from None
                rest = unpacking.unconsumed_tail
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
