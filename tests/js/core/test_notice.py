"""Announcements for screen readers."""

from collections.abc import Callable
from typing import Any

import pytest

ANNOUNCED = """async (texts) => {
  const { announce } = await import("/core/notice.js");
  const announcer = document.body.appendChild(document.createElement("p"));
  announcer.id = "announcer";
  for (const [by, text] of texts)
    if (by === "page") announce(text);
    else announcer.textContent = text;
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  announcer.remove();
  return announcer.textContent;
}"""


@pytest.mark.parametrize(
    "texts",
    [
        [("page", "Connected")],
        [("page", "Connected"), ("page", "Moved")],
        [("page", "Connected"), ("server", "Undone")],
        [("server", "Undone"), ("page", "Connected")],
        [("page", "Connected"), ("server", "Undone"), ("page", "Moved")],
    ],
)
def test_the_latest_text_is_announced(run: Callable[..., Any], texts: list[list[str]]) -> None:
    assert run(ANNOUNCED, texts) == texts[-1][1]
