"""Marks on the canvas of a rehearsal."""

from collections.abc import Callable
from typing import Any

import pytest

SHOWN = """async (events) => {
  const { noMarks, addMarks, showMarks } = await import("/rehearsal/canvas-marks.js");
  document.body.innerHTML =
    '<article id="stage-desk" class="stage"></article><article id="supervisor-card"></article>';
  const marks = noMarks();
  for (const light of events) addMarks(marks, light);
  showMarks(marks);
  const names = (id) => document.getElementById(id).getAttributeNames();
  const marked = (id) => names(id).filter((name) => name.startsWith("data-"));
  return { desk: marked("stage-desk"), supervisor: marked("supervisor-card") };
}"""

ACTIVE, BEGINS, ENDS = (
    {"active": "stage-desk"},
    {"begins": "supervisor-card"},
    {"ends": "supervisor-card"},
)

CALL = {"paused": "stage-desk", "approval": "yes"}


@pytest.mark.parametrize(
    ("events", "supervisor"),
    [
        ([ACTIVE], []),
        ([ACTIVE, BEGINS], ["data-working"]),
        ([ACTIVE, BEGINS, ENDS], ["data-seen"]),
        ([ACTIVE, BEGINS, ENDS, BEGINS], ["data-working"]),
        ([ACTIVE, BEGINS, {"over": "yes"}], ["data-seen"]),
    ],
)
def test_a_working_supervisor_is_marked_beside_the_active_stage(
    run: Callable[..., Any], events: list[dict[str, str]], supervisor: list[str]
) -> None:
    assert run(SHOWN, events) == {"desk": ["data-live"], "supervisor": supervisor}


def test_a_pause_moves_with_a_handoff_during_it(run: Callable[..., Any]) -> None:
    paused = [{"active": "supervisor-card"}, {"paused": "supervisor-card"}, ACTIVE]
    marked = {"desk": ["data-live", "data-paused"], "supervisor": ["data-seen"]}
    assert run(SHOWN, paused) == marked
    asking = [{"active": "supervisor-card"}, CALL | {"paused": "supervisor-card"}, ACTIVE]
    assert "data-paused" in run(SHOWN, asking)["supervisor"]


HELD = """async ([kind, events]) => {
  const { noMarks, addMarks, showMarks } = await import("/rehearsal/canvas-marks.js");
  document.body.innerHTML = `<article id="stage-desk" class="stage" data-kind="${kind}"></article>`;
  const marks = noMarks();
  for (const light of events) addMarks(marks, light);
  showMarks(marks);
  return [...document.querySelectorAll("[data-live]")].map((element) => element.id);
}"""

HUMAN, AGENT, OVER = {"human": "yes"}, {"human": "no"}, {"over": "yes"}


@pytest.mark.parametrize(
    ("kind", "events", "ringed"),
    [
        ("agent", [ACTIVE, HUMAN], "human-marker"),
        ("human", [ACTIVE, HUMAN], "stage-desk"),
        ("agent", [ACTIVE, CALL], "human-marker"),
        ("agent", [ACTIVE, {"paused": "stage-desk"}], "stage-desk"),
        ("agent", [ACTIVE, CALL, {"resumed": "yes"}], "stage-desk"),
        ("agent", [ACTIVE, CALL, OVER], "stage-desk"),
        ("agent", [ACTIVE, HUMAN, OVER], "human-marker"),
        ("agent", [ACTIVE, HUMAN, AGENT], "stage-desk"),
    ],
)
def test_the_ring_is_around_the_human_while_a_human_has_the_conversation(
    run: Callable[..., Any], kind: str, events: list[dict[str, str]], ringed: str
) -> None:
    assert run(HELD, [kind, events]) == [ringed]
