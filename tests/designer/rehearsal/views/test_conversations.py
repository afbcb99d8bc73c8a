"""Rehearsal pages: working, invalid, someone else's, not signed in."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from designer.core.http import conversation_of_session
from designer.definitions.patches import Settings
from designer.models import Conversation
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import (
    LeaseLostError,
    NotRehearsableError,
    OutOfOrderError,
    begin_run,
    record_event,
    renew_lease,
    seize_lease,
    start_conversation,
    take_lease,
)
from designer.rehearsal.fragments.conversation import suggestions
from orchestration import events as e
from orchestration.definition import Agent
from orchestration.messages import InboundMessage
from tests.designer.editor_requests import send
from tests.designer.live_conversations import a_pair, make_conversation, make_pipeline, sample
from tests.orchestration.conversations import NOON, four_stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return make_pipeline(user, sample("support"))


@pytest.fixture
def invalid(user):
    return make_pipeline(user, four_stages(entry=None))


@pytest.fixture
def conversation(user):
    return make_conversation(user)


def run_started(number: int = 1) -> e.RunStarted:
    return e.RunStarted(
        seq=1,
        at=NOON,
        session_id="conversation-1",
        run_id="run-1",
        phase="intake",
        message=InboundMessage(id=f"message-{number}", text="Hello <b>"),
    )


# Beginning one


def test_the_first_visit_shows_the_pipeline_and_words_to_begin_with(client, pipeline):
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    assert response.status_code == 200
    html = response.content.decode()
    assert 'id="stage-intake"' in html
    assert "data-starter>" in html
    assert not Conversation.objects.exists()


def test_what_to_begin_with_is_the_longest_phrase_of_each_cue():
    agents = [agent.model_dump() for agent in four_stages().agents]
    agents[0]["cues"] = [
        {"when": ["charged", "I was charged twice", "refund"]},
        {"when": ["hello", "hi"]},
        {"when": ["i was charged twice"]},
        {"say": "Anything else?"},
    ]
    definition = four_stages(agents=agents, entry="handling")
    assert suggestions(definition) == ["I was charged twice", "Hello"]


def test_where_a_group_begins_the_cues_of_all_its_members_count():
    one = Agent(id="one", name="One", cues=[{"when": ["hello"]}])
    two = Agent(id="two", name="Two", cues=[{"when": ["is it raining"]}])
    assert suggestions(a_pair(agents=[one, two])) == ["Hello", "Is it raining"]


def test_in_a_team_and_in_a_workflow_the_entry_begins_whatever_the_default():
    agents = [
        agent.model_dump() | {"cues": [{"when": [f"to {agent.name}"]}]}
        for agent in four_stages().agents
    ]
    begin = {
        topology: suggestions(
            four_stages(agents=agents, topology=topology, default_agent_id="agent-handler")
        )
        for topology in ("pipeline", "workflow")
    }
    assert begin == {"pipeline": ["To Handler"], "workflow": ["To Triage"]}


def test_a_later_visit_opens_the_newest_conversation(client, user, pipeline):
    start_conversation(pipeline=pipeline, user=user)
    newest = start_conversation(pipeline=pipeline, user=user)
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    assert response.url == reverse("conversation", args=[newest.pk])


def test_a_conversation_keeps_the_pipeline_as_it_was(user, pipeline):
    conversation = start_conversation(pipeline=pipeline, user=user)
    update_settings(pipeline=pipeline, user=user, settings=Settings(name="Another name"))
    pipeline.refresh_from_db()
    conversation.refresh_from_db()
    assert conversation.snapshot() == sample("support")
    assert conversation.pipeline_version < pipeline.version


def test_conversations_are_counted_for_each_pipeline(user, pipeline):
    numbers = [start_conversation(pipeline=pipeline, user=user).number for _ in range(3)]
    assert numbers == [1, 2, 3]


def test_a_new_conversation_is_opened(client, pipeline):
    response = client.post(reverse("conversation_create", args=[pipeline.pk]))
    [conversation] = Conversation.objects.all()
    assert response.url == reverse("conversation", args=[conversation.pk])
    assert conversation.pipeline == pipeline


@pytest.mark.django_db(transaction=True)
def test_the_first_message_begins_a_conversation(client, pipeline):
    fields = {"id": "message-1", "text": "Hello", "channel_type": "sms", "intent": ""}
    client.post(reverse("conversation_create", args=[pipeline.pk]), fields)
    [conversation] = Conversation.objects.all()
    first: Any = conversation.events()[0]
    assert (first.type, first.message.text) == ("run.started", "Hello")
    assert first.message.channel_type == "sms"


def test_a_break_point_before_the_first_message_begins_a_conversation_with_it(client, pipeline):
    address = reverse("conversation_create", args=[pipeline.pk])
    fields = {"op": "break_point", "stage": "intake", "source": "", "target": "", "on": "true"}
    page = client.get(reverse("rehearse", args=[pipeline.pk])).content.decode()
    assert f'<form id="break-form" method="post" action="{address}"' in page
    response = client.post(address, fields)
    [conversation] = Conversation.objects.all()
    assert response.url == reverse("conversation", args=[conversation.pk])
    assert conversation.break_points == {"stages": ["intake"]}
    elsewhere = client.post(address, fields | {"stage": "elsewhere"}, follow=True)
    assert "There is no stage &#x27;elsewhere&#x27; here." in elsewhere.content.decode()
    assert client.post(address, {"op": "pause"}).status_code == 422


def test_a_first_message_over_the_bound_is_refused_and_kept(client, pipeline):
    text = "x" * 8_001
    response = client.post(
        reverse("conversation_create", args=[pipeline.pk]), {"id": "message-1", "text": text}
    )
    assert response.status_code == 422
    html = response.content.decode()
    assert "8,001 characters; 8,000 are allowed" in html
    assert text in html
    assert not Conversation.objects.exists()


# What a message costs


def test_no_message_and_no_lease_reads_the_definition(client, conversation, user):
    """It may be megabytes; a run reads it once, when it begins."""
    with CaptureQueriesContext(connection) as queries:
        assert conversation_of_session(client.session.session_key, conversation.pk)
        lease = begin_run(conversation_id=conversation.pk, event=run_started())
        assert renew_lease(lease=lease)
        assert take_lease(conversation_id=conversation.pk) is None
        assert seize_lease(conversation_id=conversation.pk)
    assert not [one["sql"] for one in queries if '"definition"' in one["sql"]]


# Events in their order


def received(seq: int) -> e.MessageReceived:
    message = InboundMessage(id="message-1", text="Hi")
    return e.MessageReceived(seq, NOON, "conversation-1", "run-1", "intake", message=message)


@pytest.mark.parametrize("seq", [1, 3])
def test_an_event_out_of_order_is_not_recorded_and_is_no_lost_lease(conversation, seq):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    with pytest.raises(OutOfOrderError, match=f"'message.received' as {seq}"):
        record_event(lease=lease, event=received(seq))
    record_event(lease=lease, event=received(2))
    assert conversation.recorded_events.count() == 2


@pytest.mark.parametrize("seq", [2, 3])
def test_without_the_lease_nothing_is_recorded_in_whatever_order(conversation, seq):
    lease = begin_run(conversation_id=conversation.pk, event=run_started())
    seize_lease(conversation_id=conversation.pk)
    with pytest.raises(LeaseLostError):
        record_event(lease=lease, event=received(seq))
    assert conversation.recorded_events.count() == 1


# A pipeline with errors


def test_a_pipeline_with_errors_cannot_be_rehearsed(user, invalid):
    with pytest.raises(NotRehearsableError) as refused:
        start_conversation(pipeline=invalid, user=user)
    assert {issue.code for issue in refused.value.issues} >= {"entry-missing"}
    assert not Conversation.objects.exists()


def test_the_page_says_why_and_where(client, user):
    definition = four_stages()
    nobody = definition.stages[0].model_copy(update={"agent_id": None})
    pipeline = make_pipeline(user, four_stages(stages=[nobody, *definition.stages[1:]]))
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    html = response.content.decode()
    assert "This pipeline cannot be rehearsed yet" in html
    assert f'href="/pipelines/{pipeline.pk}/?select=stage%3A{nobody.phase}"' in html
    assert 'id="composer"' not in html


def test_what_bars_a_rehearsal_is_mended_beside_the_chat(client, user, invalid):
    page = reverse("rehearse", args=[invalid.pk])
    html = client.get(page).content.decode()
    [token] = re.findall(r'form="fix-problem" name="issue" value="([^"]+)"', html)
    fields = {"issue": token, "rehearsing": ""}
    answer = client.post(reverse("fix_problem", args=[invalid.pk]), fields)
    assert answer.headers["Location"] == page
    assert "cannot be rehearsed" not in client.get(page).content.decode()

    begun = start_conversation(pipeline=invalid, user=user)
    send(client, invalid, "undo")
    beside = reverse("conversation", args=[begun.pk])
    assert f'name="rehearsing" value="{begun.pk}"' in client.get(beside).content.decode()
    fields["rehearsing"] = str(begun.pk)
    answer = client.post(reverse("fix_problem", args=[invalid.pk]), fields)
    assert answer.headers["Location"] == beside
    assert client.post(
        reverse("fix_problem", args=[invalid.pk]), fields | {"rehearsing": "999999"}
    ).status_code in (404, 409)


def test_beginning_one_of_a_pipeline_with_errors_shows_them(client, invalid):
    response = client.post(reverse("conversation_create", args=[invalid.pk]))
    assert response.status_code == 422
    assert "cannot be rehearsed yet" in response.content.decode()


# ReaderMessage at one


def test_a_conversation_shows_what_happened_so_far(client, conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    html = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert f'ws-connect="/ws/conversations/{conversation.pk}/"' in html
    assert 'id="event-1"' in html
    assert 'name="after" value="1"' in html
    assert "data-running" in html


def test_a_conversation_of_an_older_version_offers_to_start_again(client, user, conversation):
    pipeline = conversation.pipeline
    page = reverse("conversation", args=[conversation.pk])
    assert "Start again" not in client.get(page).content.decode()
    update_settings(pipeline=pipeline, user=user, settings=Settings(name="Another name"))
    pipeline.refresh_from_db()
    assert f"Start again with v{pipeline.version}" in client.get(page).content.decode()


def test_earlier_conversations_are_listed_by_what_was_said_first(client, user, pipeline):
    first = start_conversation(pipeline=pipeline, user=user)
    received = e.dump(run_started()) | {"seq": 2, "type": "message.received"}
    first.recorded_events.create(seq=2, type="message.received", body=received)
    second = start_conversation(pipeline=pipeline, user=user)
    html = client.get(reverse("conversation", args=[second.pk])).content.decode()
    assert "Hello &lt;b&gt;" in html
    assert "<span>this one</span>" in html


def test_one_event_can_be_seen_whole(client, conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    html = client.get(reverse("conversation_event", args=[conversation.pk, 1])).content.decode()
    assert "&quot;type&quot;: &quot;run.started&quot;" in html
    missing = client.get(reverse("conversation_event", args=[conversation.pk, 2]))
    assert missing.status_code == 404


def test_what_a_typed_handoff_tells_stands_in_fields_before_the_whole_of_it(client, conversation):
    """Contract S-3."""
    payload = {"order": {"id": "A-1043"}, "urgent": True, "tags": ["<b>", "late"], "note": None}
    body = e.dump(run_started()) | {"type": "handoff.accepted", "payload": payload}
    conversation.recorded_events.create(seq=1, type="handoff.accepted", body=body)
    html = client.get(reverse("conversation_event", args=[conversation.pk, 1])).content.decode()
    shown = re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", html)
    assert sorted(shown) == [
        ("note", "none"),
        ("order.id", "A-1043"),
        ("tags", "&lt;b&gt;, late"),
        ("urgent", "yes"),
    ]


def test_no_page_carries_inline_script_or_style(client, conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    html = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "<style" not in html
    assert " style=" not in html
    assert "<script>" not in html


# Who may

GETS = ["rehearse", "conversation", "conversation_event"]


def address(name, conversation):
    return {
        "rehearse": reverse("rehearse", args=[conversation.pipeline_id]),
        "conversation": reverse("conversation", args=[conversation.pk]),
        "conversation_event": reverse("conversation_event", args=[conversation.pk, 1]),
        "conversation_create": reverse("conversation_create", args=[conversation.pipeline_id]),
    }[name]


@pytest.mark.parametrize("name", GETS)
def test_someone_else_s_answers_404(other_client, conversation, name):
    begin_run(conversation_id=conversation.pk, event=run_started())
    assert other_client.get(address(name, conversation)).status_code == 404


def test_nobody_begins_a_conversation_on_someone_else_s_pipeline(other_client, conversation):
    response = other_client.post(address("conversation_create", conversation))
    assert response.status_code == 404
    assert Conversation.objects.count() == 1


@pytest.mark.parametrize("name", [*GETS, "conversation_create"])
def test_who_is_not_signed_in_is_asked_to(anonymous_client, conversation, name):
    method = anonymous_client.post if name == "conversation_create" else anonymous_client.get
    response = method(address(name, conversation))
    assert response.status_code == 302
    assert response.url.startswith("/sign-in/")


@pytest.mark.parametrize("name", GETS)
def test_looking_changes_nothing(client, conversation, name):
    assert client.post(address(name, conversation)).status_code == 405


def test_a_conversation_is_not_begun_by_looking(client, conversation):
    """The address stays in the browser after a refusal: asked for anew it leads on."""
    response = client.get(address("conversation_create", conversation))
    assert response.url == reverse("rehearse", args=[conversation.pipeline.pk])
    assert Conversation.objects.count() == 1
