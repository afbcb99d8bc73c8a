"""Compression of responses."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from designer.serving.compression import CompressionMiddleware


@pytest.mark.parametrize(
    ("content_type", "is_compressed"),
    [
        ("text/html", True),
        ("text/event-stream", False),
        ("text/event-stream; charset=utf-8", False),
    ],
)
def test_everything_but_event_streams_is_compressed(content_type, is_compressed):
    response = HttpResponse("text " * 1_000, content_type=content_type)
    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    compressed = CompressionMiddleware(lambda _: response).process_response(request, response)
    assert (compressed.get("Content-Encoding") == "gzip") is is_compressed
