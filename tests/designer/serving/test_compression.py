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
    middleware = CompressionMiddleware(
        lambda _: HttpResponse("text " * 1_000, content_type=content_type)
    )
    response = middleware(RequestFactory().get("/", headers={"Accept-Encoding": "gzip"}))
    assert (response.get("Content-Encoding") == "gzip") is is_compressed
