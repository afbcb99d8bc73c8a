"""The chat at an earlier moment of the conversation."""

from collections.abc import Callable
from typing import Any

import pytest

SHOWN = """async ([seqs, moments, later]) => {
  const { followMoments } = await import("/rehearsal/chat-moment.js");
  document.body.innerHTML = '<div id="chat-log" style="height: 100px; overflow-y: auto"></div>';
  const log = document.getElementById("chat-log");
  const add = (seq) => {
    const entry = log.appendChild(document.createElement("div"));
    Object.assign(entry, { id: `chat-${seq}`, style: "height: 60px" });
    entry.dataset.event = String(seq);
  };
  for (const seq of seqs) add(seq);
  const call = log.querySelector("#chat-9").appendChild(document.createElement("details"));
  call.innerHTML = '<summary>lookup</summary><div data-event="10">found</div>';
  followMoments(log);
  for (const seq of moments)
    document.dispatchEvent(new CustomEvent("baton:moment", { detail: { seq } }));
  for (const seq of later) add(seq);
  await new Promise((go) => setTimeout(go));
  const frame = log.getBoundingClientRect();
  const isVisible = ({ top, bottom }) => top < frame.bottom && bottom > frame.top;
  const seqsOf = (entries) => entries.map((entry) => Number(entry.dataset.event));
  return {
    dimmed: seqsOf([...log.querySelectorAll("[data-later]")]),
    visible: seqsOf([...log.children].filter((entry) => isVisible(entry.getBoundingClientRect()))),
    isPast: log.hasAttribute("data-past"),
  };
}"""

ENTRIES = [2, 5, 9, 14, 20, 26, 31]
ALL = sorted([*ENTRIES, 10])
"""Entries, and the result in the folded call of the entry 9."""


@pytest.mark.parametrize(
    ("moment", "dimmed", "visible"),
    [(26, [31], 26), (11, [14, 20, 26, 31], 9), (5, [9, 10, 14, 20, 26, 31], 5), (1, ALL, 2)],
)
def test_messages_after_the_moment_are_dimmed_and_the_moment_is_in_view(
    run: Callable[..., Any], moment: int, dimmed: list[int], visible: int
) -> None:
    shown = run(SHOWN, [ENTRIES, [None, 30, moment], []])
    assert shown["dimmed"] == dimmed
    assert visible in shown["visible"]
    assert shown["isPast"]


def test_at_the_present_no_message_is_dimmed_and_the_last_is_in_view(
    run: Callable[..., Any],
) -> None:
    shown = run(SHOWN, [ENTRIES, [5, None], []])
    assert (shown["dimmed"], shown["isPast"]) == ([], False)
    assert shown["visible"][-1] == ENTRIES[-1]


def test_a_message_that_arrives_at_an_earlier_moment_is_dimmed(run: Callable[..., Any]) -> None:
    assert run(SHOWN, [ENTRIES, [26], [40]])["dimmed"] == [31, 40]
