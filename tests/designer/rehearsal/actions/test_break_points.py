"""Actions on the break points of a conversation."""

import pytest

from designer.models import Conversation
from designer.rehearsal.actions.break_points import MAX_POINTS, mark_point

pytestmark = pytest.mark.django_db


def points(conversation: Conversation) -> dict[str, list[object]]:
    conversation.refresh_from_db()
    stored: dict[str, list[object]] = conversation.break_points
    return stored


def test_a_break_point_is_set_once_and_removed(conversation):
    for _ in range(2):
        assert mark_point(conversation_id=conversation.pk, point="review", on=True) == ""
    transition = ("intake", "handling")
    assert mark_point(conversation_id=conversation.pk, point=transition, on=True) == ""
    assert points(conversation) == {"stages": ["review"], "ways": [["intake", "handling"]]}
    assert mark_point(conversation_id=conversation.pk, point="review", on=False) == ""
    assert points(conversation) == {"stages": [], "ways": [["intake", "handling"]]}


@pytest.mark.parametrize("point", ["nowhere", ("intake", "nowhere")])
def test_a_break_point_at_an_unknown_stage_is_refused(conversation, point):
    refusal = mark_point(conversation_id=conversation.pk, point=point, on=True)
    assert refusal == "There is no stage 'nowhere' here."
    assert points(conversation) == {}


def test_break_points_above_the_limit_are_refused(conversation):
    full = {"stages": ["review"] * MAX_POINTS}
    Conversation.objects.filter(pk=conversation.pk).update(break_points=full)
    refusal = mark_point(conversation_id=conversation.pk, point="intake", on=True)
    assert refusal == f"There are {MAX_POINTS} break points already. Remove one first."


def test_a_trace_from_a_file_has_no_break_points(conversation):
    Conversation.objects.filter(pk=conversation.pk).update(pipeline=None)
    refusal = mark_point(conversation_id=conversation.pk, point="review", on=True)
    assert "opened from a file" in refusal
