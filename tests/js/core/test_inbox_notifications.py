"""Text of a browser notification about the inbox."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("before", "now", "text"),
    [
        (0, 1, "A conversation waits for a human."),
        (1, 3, "3 conversations wait for a human."),
        (2, 2, None),
        (3, 1, None),
    ],
)
def test_only_more_waiting_conversations_give_a_notification(
    module: Callable[..., Any], before: int, now: int, text: str | None
) -> None:
    assert module("core/inbox-notifications.js", "noticeOf", before, now) == text
