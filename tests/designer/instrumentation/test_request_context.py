"""Context of the current request."""

import asyncio
import re

import pytest

from designer.instrumentation.request_context import (
    RequestContext,
    current_request,
    in_request,
    new_request_id,
)


def test_outside_of_requests_the_context_is_empty():
    assert current_request() == RequestContext("", "")


def test_an_inner_request_ends_with_its_block_even_by_an_error():
    outer, inner = RequestContext("outer", "192.0.2.1"), RequestContext("inner")
    seen = []

    def fail() -> None:
        seen.append(current_request())
        raise ValueError("broken")

    with in_request(outer):
        with pytest.raises(ValueError, match="broken"), in_request(inner):
            fail()
        assert current_request() == outer
    assert seen == [inner]
    assert current_request().id == ""


async def test_requests_at_the_same_time_have_contexts_of_their_own():
    together = asyncio.Barrier(2)

    async def serve(name: str) -> str:
        with in_request(RequestContext(name)):
            await together.wait()
            seen = current_request().id
            await together.wait()
        return seen

    assert [*await asyncio.gather(serve("a"), serve("b"))] == ["a", "b"]


def test_each_request_gets_another_id():
    ids = {new_request_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in ids)
