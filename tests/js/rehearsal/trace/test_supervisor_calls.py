"""Calls of the supervisor as groups of rows in the trace."""

from collections.abc import Callable
from typing import Any

LISTED = """async ([rows, pressed]) => {
  document.body.innerHTML = '<ol id="trace"></ol>';
  const { foldCalls, visibleRow } = await import("/rehearsal/trace/supervisor-calls.js");
  const pane = document.getElementById("trace");
  foldCalls(pane);
  for (const [seq, call, part] of rows) {
    const row = pane.appendChild(document.createElement("li"));
    Object.assign(row, { id: `event-${seq}`, className: "event" });
    if (call) row.dataset.call = call;
    if (part) row.dataset.callPart = part;
    const fold = '<button class="event__fold" aria-expanded="false" hidden><span></span></button>';
    const details = '<details><summary><span class="event__detail"></span></summary></details>';
    row.innerHTML = part === "head" ? details + fold : details;
    if (part === "end") row.querySelector(".event__detail").textContent = "sent a note";
  }
  await new Promise((go) => setTimeout(go));
  for (const seq of pressed) document.querySelector(`#event-${seq} .event__fold`).click();
  const seqs = (found) => [...found].map((row) => Number(row.id.replace("event-", "")));
  return {
    folded: seqs(pane.querySelectorAll("[data-folded]")),
    detail: pane.querySelector(".event__detail").textContent,
    buttons: [...pane.querySelectorAll(".event__fold:not([hidden])")].map((b) => b.textContent),
    passing: visibleRow(pane.children[1])?.id,
    shown: visibleRow(pane.children[1], { opens: true })?.id,
    after: seqs(pane.querySelectorAll("[data-folded]")),
  };
}"""

CALL = [(1, "a", "head"), (2, "a", ""), (3, "", ""), (4, "a", "end")]


def test_a_call_is_folded_under_its_first_row_with_the_outcome(run: Callable[..., Any]) -> None:
    found = run(LISTED, [CALL, []])
    assert found["folded"] == [2, 4], "the effects of a call stay visible"
    assert (found["detail"], found["buttons"]) == ("sent a note", ["2 events"])


def test_a_button_shows_and_hides_the_events_of_a_call(run: Callable[..., Any]) -> None:
    assert run(LISTED, [CALL, [1]])["folded"] == []
    assert run(LISTED, [CALL, [1, 1]])["folded"] == [2, 4]


def test_a_sought_event_unfolds_its_call_and_a_passing_one_does_not(
    run: Callable[..., Any],
) -> None:
    found = run(LISTED, [CALL, []])
    assert (found["passing"], found["shown"]) == ("event-1", "event-2")
    assert found["after"] == []


def test_events_without_the_first_row_of_their_call_are_visible(run: Callable[..., Any]) -> None:
    assert run(LISTED, [CALL[1:], []])["folded"] == []
