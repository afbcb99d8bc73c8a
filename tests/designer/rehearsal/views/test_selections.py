"""Comparison, export and deletion of selected conversations."""

import pytest
from django.urls import reverse

from designer.models import Conversation, Job, Membership
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.views import selections
from orchestration.runtime import read_trace
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import converse

pytestmark = pytest.mark.django_db(transaction=True)

COMPARE, EXPORT, DELETE = "compare_selection", "export_selection", "delete_selection"


@pytest.fixture
def pair(user, conversation):
    """Two conversations of one pipeline, with a message each."""
    other = start_conversation(pipeline=conversation.pipeline, user=user)
    return converse(conversation, "Hello"), converse(other, "Good morning")


def picked(*rows: Conversation) -> dict[str, list[int]]:
    return {"conversation": [row.pk for row in rows]}


def test_two_conversations_of_one_pipeline_are_compared(client, pair):
    response = client.get(reverse(COMPARE), picked(*pair), follow=True)
    assert response.status_code == 200
    comparison = response.context["comparison"]
    sides = comparison.left.conversation, comparison.right.conversation
    assert sides == pair


def test_older_conversations_than_those_of_the_form_are_compared(client, user, pair):
    rows = [start_conversation(pipeline=pair[0].pipeline, user=user) for _ in range(2)]
    assert rows
    response = client.get(reverse(COMPARE), picked(*pair), follow=True)
    assert response.context["comparison"].left.conversation == pair[0]


def test_other_selections_cannot_be_compared(client, user, pair):
    stranger = make_conversation(user)
    for rows in ((), pair[:1], (pair[0], stranger)):
        response = client.get(reverse(COMPARE), picked(*rows), follow=True)
        assert "Select two conversations of one pipeline" in response.text


def test_a_small_selection_is_exported_at_once(client, pair):
    response = client.post(reverse(EXPORT), picked(*pair))
    assert response["Content-Type"] == "application/x-ndjson"
    head = b'{"format": "baton.trace/1"'
    _, *files = response.content.split(head)
    events = [list(read_trace(head + file).events) for file in files]
    assert events == [pair[0].events(), pair[1].events()]


def test_a_large_selection_is_exported_by_a_job(client, pair):
    Conversation.objects.filter(pk=pair[0].pk).update(last_seq=selections.MAX_DIRECT_EVENTS)
    response = client.post(reverse(EXPORT), picked(*pair))
    job = Job.objects.get()
    assert (response.url, job.total) == (reverse("job", args=[job.pk]), 2)
    assert job.kind == "export-conversations"


def test_an_empty_selection_is_refused(client):
    assert client.post(reverse(EXPORT)).url == reverse("conversations")
    assert "no rehearsals to export" in client.get(reverse("conversations")).text


def test_selected_conversations_are_deleted(client, pair):
    response = client.post(reverse(DELETE), picked(*pair) | {"next": "/conversations/?q=x"})
    assert response.url == "/conversations/?q=x"
    assert not Conversation.objects.exists()
    assert "2 conversations deleted" in client.get(reverse("conversations")).text


def test_an_editor_deletes_own_conversations_only(other_client, other_user, pair):
    pipeline = pair[0].pipeline
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    own = start_conversation(pipeline=pipeline, user=other_user)
    assert other_client.post(reverse(DELETE), picked(pair[0], own)).status_code == 403
    assert Conversation.objects.count() == 3
    other_client.post(reverse(DELETE), picked(own))
    assert set(Conversation.objects.all()) == set(pair)


@pytest.mark.parametrize("name", [COMPARE, EXPORT, DELETE])
def test_conversations_of_others_are_not_found(name, other_client, anonymous_client, pair):
    method = "get" if name == COMPARE else "post"
    assert getattr(other_client, method)(reverse(name), picked(*pair)).status_code == 404
    assert getattr(anonymous_client, method)(reverse(name), picked(*pair)).status_code == 302
    assert getattr(other_client, method)(reverse(name), picked()).status_code == 302
    assert Conversation.objects.count() == 2
