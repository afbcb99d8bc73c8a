"""Decompression of answers in chunks, so that a reader can stop early."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterable

import httpx

CHUNK_SIZE = 64 * 1024
"""Maximum number of bytes to decompress at once; compressed data may expand a thousandfold."""

_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})
_DETECT_FORMAT = 32 + zlib.MAX_WBITS
"""Setting for zlib to detect gzip or deflate."""


def decompressed(response: httpx.Response) -> httpx.Response | None:
    """Return the answer with a decompressed stream; None for an unsupported compression.

    Only gzip and deflate are supported, and no nested compression.
    """
    encoding = response.headers.pop("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return response
    if encoding not in _ENCODINGS or not isinstance(response.stream, httpx.AsyncByteStream):
        return None
    response.headers.pop("Content-Length", None)
    response.stream = _DecompressedStream(response.stream)
    return response


class _DecompressedStream(httpx.AsyncByteStream):
    """Decompressed content of a stream."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        decompressor = zlib.decompressobj(_DETECT_FORMAT)
        compressed: AsyncIterable[bytes] = self._inner
        async for chunk in compressed:
            rest = chunk
            while rest and not decompressor.eof:
                try:
                    piece = decompressor.decompress(rest, CHUNK_SIZE)
                except zlib.error as error:
                    message = f"The answer cannot be decompressed: {error}."
                    raise httpx.DecodingError(message) from None
                rest = decompressor.unconsumed_tail
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
