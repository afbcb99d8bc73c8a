"""What is nested without end is no answer, and takes nobody down with it."""

import httpx
import pytest

from orchestration.exceptions import ProviderError
from orchestration.providers.errors import RequestTarget, refusal
from orchestration.providers.sse import arguments_of, read_object

DEEP = b"[" * 60_000


def test_an_event_that_is_nested_without_end_is_garbled() -> None:
    with pytest.raises(ProviderError, match="not JSON") as failed:
        read_object(DEEP)
    assert failed.value.transient


def test_a_refusal_that_is_nested_without_end_is_told_by_its_status() -> None:
    asked = RequestTarget("models.test", "m1", "KEY", "ADDRESS")
    failed = refusal(httpx.Response(503), DEEP, asked, ())
    assert (failed.status, failed.transient) == (503, True)


def test_arguments_that_are_nested_without_end_are_none() -> None:
    assert arguments_of(DEEP.decode()) == {}
