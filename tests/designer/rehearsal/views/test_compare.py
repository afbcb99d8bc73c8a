"""The page of a comparison."""

from __future__ import annotations

import pytest

from designer.rehearsal.actions.forks import fork_conversation
from tests.designer.recorded_conversations import converse, find_seq
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_the_page_marks_the_first_difference(client, user, recorded):
    seq = find_seq(recorded, "message.received", 1)
    fork = converse(fork_conversation(recorded, user=user, before=seq), "No, thank you.")
    path = url("compare", recorded.pipeline_id)
    page = client.get(path).content.decode()
    assert page.count("First difference") == 1
    assert "No, thank you." in page
    same = client.get(path, {"left": fork.pk, "right": fork.pk}).content.decode()
    assert "Both are the same" in same or "First difference" in same


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_conversation_is_compared_with_its_origin_unless_another_is_named(
    client, user, recorded, side
):
    seq = find_seq(recorded, "message.received", 1)
    fork = converse(fork_conversation(recorded, user=user, before=seq), "No, thank you.")
    for named, other in ((fork, recorded), (recorded, fork)):
        response = client.get(url("compare", recorded.pipeline_id), {side: named.pk})
        shown = response.context["form"].cleaned_data
        assert {shown["left"], shown["right"]} == {named.pk, other.pk}
        assert shown[side] == named.pk


def test_with_one_conversation_there_is_nothing_to_compare(client, recorded):
    page = client.get(url("compare", recorded.pipeline_id)).content.decode()
    assert "to compare there have to be two" in page
