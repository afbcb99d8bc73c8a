"""Filters of messages in an exported project."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestration.interchange.project.runtime.message_filters import (
    FilteredMessage,
    last,
    question_and_handoff,
    well_formed,
)

USER, ANSWER = FilteredMessage("user"), FilteredMessage("assistant")
CALL, RESULT = (
    FilteredMessage("assistant", ["1"], has_text=False),
    FilteredMessage("tool", answers="1"),
)
HANDOFF, HANDED = (
    FilteredMessage("assistant", ["2"], has_text=False),
    FilteredMessage("tool", answers="2"),
)
TALK = [USER, ANSWER, USER, CALL, RESULT, ANSWER, HANDOFF, HANDED]

ids = st.sampled_from("123")
entries = st.builds(FilteredMessage, st.just("user")) | st.builds(
    FilteredMessage, st.just("assistant"), st.lists(ids, max_size=2), has_text=st.booleans()
)
entries |= st.builds(FilteredMessage, st.just("tool"), answers=ids)


def test_the_last_messages_are_kept_with_the_last_question_and_whole_calls() -> None:
    assert last(TALK, 1) == [2, 6, 7]
    assert last(TALK, 3) == [2, 3, 4, 5, 6, 7]
    assert last(TALK, 100) == list(range(8))


def test_a_summary_keeps_the_last_question_and_the_handoff() -> None:
    assert question_and_handoff(TALK) == [2, 6, 7]


def test_an_unanswered_call_is_left_out() -> None:
    assert well_formed([USER, CALL, HANDOFF, HANDED], range(4)) == [0, 2, 3]


@given(st.lists(entries, max_size=10), st.integers(1, 5))
def test_every_selection_can_be_sent_to_a_model(talk: list[FilteredMessage], count: int) -> None:
    kept = last(talk, count)
    assert kept == sorted(set(kept))
    questions = [i for i, each in enumerate(talk) if each.role == "user"]
    assert not questions or (talk[kept[0]].role == "user" and questions[-1] in kept)
    answers = {talk[i].answers for i in kept if talk[i].role == "tool"}
    calls = {call for i in kept for call in talk[i].calls}
    assert calls <= answers
