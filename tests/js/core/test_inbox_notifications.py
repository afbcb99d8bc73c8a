"""Text of a browser notification about the inbox."""

from collections.abc import Callable
from typing import Any

import pytest

SHOWN = """async (html) => {
  const { countIn } = await import("/core/inbox-notifications.js");
  const link = Object.assign(document.createElement("a"), { innerHTML: html });
  return countIn(link);
}"""


@pytest.mark.parametrize(("html", "count"), [("<span>Inbox</span>", 0), ("Inbox <b>3</b>", 3)])
def test_the_link_to_the_inbox_shows_the_first_count(
    run: Callable[..., Any], html: str, count: int
) -> None:
    assert run(SHOWN, html) == count


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
