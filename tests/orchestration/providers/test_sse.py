"""Parsers of streams: limits on size and depth."""

import pytest

from orchestration.exceptions import ProviderError
from orchestration.providers.sse import EventReader, parse_arguments, parse_object
from tests.orchestration.providers.completions_server import (
    answered,
    streamed,
)

DEEP = b"[" * 60_000


def test_a_deeply_nested_event_is_an_error() -> None:
    with pytest.raises(ProviderError, match="not JSON") as failed:
        parse_object(DEEP)
    assert failed.value.transient


def test_deeply_nested_arguments_are_empty() -> None:
    assert parse_arguments(DEEP.decode()) == {}


async def test_an_event_without_a_line_break_is_limited():
    with pytest.raises(ProviderError, match="that is too long"):
        await answered(streamed(*[b"data: " + b"x" * 100_000] * 20))


async def test_an_event_of_many_lines_is_limited():
    with pytest.raises(ProviderError, match="that is too long"):
        await answered(streamed(*[b"data: " + b"x" * 1000 + b"\n"] * 2000))


def test_data_over_several_lines_is_one_event():
    assert list(EventReader().feed(b'data: {"a":\ndata: 1}\n\n')) == [b'{"a":\n1}']
