"""Views of a whole conversation."""

import pytest
from django.urls import reverse

from designer.editor.actions.tidy import tidy
from designer.models import Command, Conversation, Pipeline
from orchestration import events as e
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import find_seq, record_rehearsal, types
from tests.designer.rehearsal.rehearsal_pages import post, said

pytestmark = pytest.mark.django_db


def test_the_name_of_a_rehearsal_is_in_its_head_and_in_the_list(client, conversation):
    response = post(client, "rename_rehearsal", conversation, name="  Angry <b>customer</b> ")
    assert response.url == reverse("conversation", args=[conversation.pk])
    page = client.get(response.url).content.decode()
    assert ">Angry &lt;b&gt;customer&lt;/b&gt;</h2>" in page
    assert "<span>Angry &lt;b&gt;customer&lt;/b&gt;</span>" in page


def test_without_a_name_the_title_is_the_number(client, conversation):
    post(client, "rename_rehearsal", conversation, name="One")
    post(client, "rename_rehearsal", conversation, name="")
    assert ">Rehearsal 1</h2>" in client.get(f"/conversations/{conversation.pk}/").content.decode()


def test_a_name_that_is_too_long_is_refused_and_the_old_one_stays(client, conversation):
    post(client, "rename_rehearsal", conversation, name="One")
    response = post(client, "rename_rehearsal", conversation, name="x" * 121)
    assert said(response) == ["A name has at most 120 characters."]
    conversation.refresh_from_db()
    assert conversation.name == "One"


@pytest.mark.django_db(transaction=True)
def test_a_deleted_rehearsal_is_gone_with_its_trace_and_the_others_stay(client, user):
    recorded = record_rehearsal(user)
    other = make_conversation(user)
    response = post(client, "delete_rehearsal", recorded)
    assert response.url == reverse("rehearse", args=[recorded.pipeline_id])
    assert said(response) == ["“Rehearsal 1” is deleted."]
    assert list(Conversation.objects.all()) == [other]
    assert client.get(f"/conversations/{recorded.pk}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_another_message_is_sent_in_a_fork_from_before_the_old_one(client, user):
    recorded = record_rehearsal(user)
    before = types(recorded)
    second = find_seq(recorded, "message.received", 1)
    response = post(client, "resend", recorded, seq=second, text="No, <thanks>")
    fork = recorded.forks.get()
    assert response.url == reverse("conversation", args=[fork.pk])
    assert fork.name == "Rehearsal 1 (edit)"
    assert fork.forked_at == find_seq(recorded, "run.completed")
    assert types(recorded) == before
    queued = Command.objects.filter(conversation=fork, kind="say").values_list("body", flat=True)
    events = [one.message.text for one in fork.events() if isinstance(one, e.MessageReceived)]
    started = [one.message for one in fork.events() if isinstance(one, e.RunStarted)]
    runs = [message.text for message in started if message]
    assert "No, <thanks>" in [*(one["text"] for one in queued), *events, *runs]


@pytest.mark.django_db(transaction=True)
def test_a_repeated_request_of_one_page_makes_one_fork(client, user):
    recorded = record_rehearsal(user)
    second = find_seq(recorded, "message.received", 1)
    again = {"seq": second, "text": "No", "sending": "0123456789abcdef"}
    responses = [post(client, "resend", recorded, **again) for _ in range(2)]
    fork = recorded.forks.get()
    assert {one.url for one in responses} == {reverse("conversation", args=[fork.pk])}
    for other in (
        {"text": "Yes"},
        {"sending": "another-page"},
        {"seq": find_seq(recorded, "message.received")},
    ):
        post(client, "resend", recorded, **(again | other))
    assert recorded.forks.count() == 4


def test_nothing_is_resent_without_the_connection_of_its_agents(client, recorded):
    recorded.definition["agents"][0]["provider"] = "gone"
    recorded.save()
    response = post(
        client, "resend", recorded, seq=find_seq(recorded, "message.received"), text="Hello"
    )
    [sentence] = said(response)
    assert "uses the provider 'gone', but you have no connection of that name" in sentence
    assert recorded.forks.count() == 0


def test_a_pipeline_with_another_layout_only_has_not_changed(client, recorded):
    conversation = reverse("conversation", args=[recorded.pk])
    before = recorded.pipeline.version
    tidy(pipeline=recorded.pipeline, user=recorded.pipeline.owner)
    assert Pipeline.objects.get(pk=recorded.pipeline.pk).version > before
    assert "The pipeline has changed" not in client.get(conversation).content.decode()
    fork = reverse("fork", args=[recorded.pk, recorded.last_seq])
    assert "The pipeline has changed" not in client.get(fork).content.decode()
