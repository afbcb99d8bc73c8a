"""Room for a stage in a short transition: a pure function of cards and edges."""

from collections.abc import Callable
from typing import Any

MAKE = """async ([cards, edges, edge]) => {
  const { makeRoom } = await import("/editor/gestures/make-room.js");
  const room = makeRoom(new Map(cards), edges, edge);
  return room && { place: room.place, moves: [...room.moves] };
}"""


def at(x: float, y: float = 0) -> dict[str, float]:
    return {"x": x, "y": y}


def edge(source: str, target: str) -> dict[str, str]:
    return {"source": source, "target": target}


def test_the_stages_that_follow_a_short_transition_move_aside(run: Callable[..., Any]) -> None:
    cards = [["a", at(0)], ["b", at(320)], ["c", at(640)], ["d", at(320, 400)], ["e", at(-320)]]
    edges = [edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "e"), edge("a", "d")]
    room = run(MAKE, [cards, edges, edge("a", "b")])
    assert room["place"] == at(216 + 56)
    assert room["moves"] == [["b", at(544)], ["c", at(864)]]


def test_a_long_transition_and_a_transition_back_need_no_room(run: Callable[..., Any]) -> None:
    cards = [["a", at(0)], ["b", at(600)]]
    edges = [edge("a", "b"), edge("b", "a")]
    assert run(MAKE, [cards, edges, edge("a", "b")]) is None
    assert run(MAKE, [cards, edges, edge("b", "a")]) is None
