"""Fixtures of the tests of monitoring."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.otlp_receiver import OtlpReceiver, collector


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    """Receiver to which the environment points."""
    with collector(monkeypatch) as receiver:
        yield receiver
