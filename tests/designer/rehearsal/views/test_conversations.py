"""Rehearsal pages: valid, invalid, of another user, without sign-in."""

import re
from typing import Any

import pytest
from django.urls import reverse

from designer.definitions.patches import Settings
from designer.models import Conversation
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import start_conversation, take_steps
from designer.rehearsal.actions.event_rows import event_body, insert_event
from orchestration import events as e
from tests.designer.editor_requests import send
from tests.designer.leases import begin_run
from tests.designer.live_conversations import make_pipeline
from tests.designer.rehearsal.run_events import record_answered_run, run_started
from tests.orchestration.conversations import NOON, four_stages

pytestmark = pytest.mark.django_db


def test_the_first_visit_shows_the_pipeline_and_words_to_begin_with(client, pipeline):
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    assert response.status_code == 200
    html = response.content.decode()
    assert 'id="stage-intake"' in html
    assert "data-starter>" in html
    assert not Conversation.objects.exists()


def test_a_later_visit_continues_the_newest_rehearsal_and_says_so(client, user, pipeline):
    start_conversation(pipeline=pipeline, user=user)
    newest = start_conversation(pipeline=pipeline, user=user)
    page = reverse("rehearse", args=[pipeline.pk])
    assert client.get(page).url == reverse("conversation", args=[newest.pk])
    begin_run(conversation_id=newest.pk, event=run_started())
    continued = client.get(page, follow=True)
    assert continued.redirect_chain[0][0].startswith(reverse("conversation", args=[newest.pk]))
    assert "You continue this rehearsal, which has not ended." in continued.content.decode()
    assert 'name="start_phase"' in client.get(page + "?new=1").content.decode()


@pytest.mark.parametrize(
    ("phase", "answers", "ends"),
    [
        ("resolution", "resolution", True),
        ("resolution", "review", False),
        ("review", "review", False),
    ],
)
def test_rehearse_begins_anew_after_the_end(client, user, pipeline, phase, answers, ends):
    conversation = start_conversation(pipeline=pipeline, user=user)
    record_answered_run(conversation, answer_in=answers, end_in=phase)
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    assert (response.status_code == 200) is ends
    html = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert ("The conversation reached its end (<bdi>resolution</bdi>)" in html) is ends
    assert ('form="new-rehearsal" class="button button--primary' in html) is ends


def test_a_conversation_that_a_person_ended_is_over(client, user, pipeline):
    conversation = start_conversation(pipeline=pipeline, user=user)
    left = e.HumanLeft(1, NOON, conversation.session_id, "", "review", by="ann", ended=True)
    take_steps(conversation_id=conversation.pk, events=[left])
    assert client.get(reverse("rehearse", args=[pipeline.pk])).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_rehearsal_begins_at_a_chosen_stage_with_channel_and_intent(client, pipeline):
    page = client.get(reverse("rehearse", args=[pipeline.pk]) + "?start_phase=review")
    assert '<option value="review" selected>' in page.content.decode()
    create = reverse("conversation_create", args=[pipeline.pk])
    fields = {"id": "message-1", "text": "Hello", "channel_type": "sms", "intent": "refund"}
    response = client.post(create, fields | {"start_phase": "elsewhere"})
    assert response.status_code == 422
    assert (
        "There is no stage elsewhere any more. Choose where to begin." in response.content.decode()
    )
    assert not Conversation.objects.exists()

    client.post(create, fields | {"start_phase": "review"})
    [conversation] = Conversation.objects.all()
    first: Any = conversation.events()[0]
    assert first.message.start_phase == "review"
    after_hand_back = e.RunStarted(
        1_000, NOON, conversation.session_id, "run-2", "review", goes_on=True
    )
    insert_event(conversation.pk, after_hand_back, event_body(after_hand_back), None, "")
    html = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert '<option value="sms" selected>' in html
    assert 'value="refund"' in html


def values_in(html: str) -> dict[str, str]:
    """Return the values in the table of variables."""
    return dict(re.findall(r'name="variable:([^"]+)" value="([^"]*)"', html))


@pytest.mark.django_db(transaction=True)
def test_the_table_of_variables_begins_with_defaults_and_keeps_the_values(client, user):
    variables = {"customer.name": "Ada", "plan": "basic"}
    pipeline = make_pipeline(user, four_stages(variables=variables))
    html = client.get(reverse("rehearse", args=[pipeline.pk])).content.decode()
    assert values_in(html) == variables
    create = reverse("conversation_create", args=[pipeline.pk])
    fields = {"text": " ", "id": "message-1", "variable:plan": "pro", "variable:customer.name": "B"}
    refused = client.post(create, fields)
    assert values_in(refused.content.decode()) == {"customer.name": "B", "plan": "pro"}
    client.post(create, fields | {"text": "Hello", "variable:customer.name": "Ada"})
    conversation = Conversation.objects.get()
    first = conversation.events()[0]
    assert isinstance(first, e.RunStarted)
    assert first.message
    assert first.message.variables == {"plan": "pro"}
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert values_in(page) == {"customer.name": "Ada", "plan": "pro"}
    assert "plan = <bdi>pro</bdi>" in page


def test_a_pipeline_without_variables_has_no_table(client, pipeline):
    html = client.get(reverse("rehearse", args=[pipeline.pk])).content.decode()
    assert values_in(html) == {}


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


@pytest.mark.django_db(transaction=True)
def test_the_first_message_brings_the_break_points_that_were_set_before_it(client, pipeline):
    address = reverse("conversation_create", args=[pipeline.pk])
    points = ["intake", "intake review", "elsewhere", "intake elsewhere", ""]
    chosen = {"break_point": points, "start_phase": "review"}
    client.post(address, chosen | {"id": "message-1", "text": "Hello"})
    [conversation] = Conversation.objects.all()
    assert conversation.break_points == {"stages": ["intake"], "ways": [["intake", "review"]]}
    first: Any = conversation.events()[0]
    assert (first.message.text, first.message.start_phase) == ("Hello", "review")


def test_break_points_outlive_a_reload_and_a_refusal(client, pipeline):
    points = ["intake", "intake review", "elsewhere", "intake elsewhere", ""]
    shown = client.get(reverse("rehearse", args=[pipeline.pk]), {"break_point": points})
    fields = {"id": "message-1", "text": "x" * 8_001, "break_point": points}
    refused = client.post(reverse("conversation_create", args=[pipeline.pk]), fields)
    for page in (refused.content.decode(), shown.content.decode()):
        assert page.count('name="break_point"') == 3, "two at existing stages, and a blank one"
        assert 'name="break_point" value="intake review"' in page


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


def test_the_page_says_why_and_where(client, user):
    definition = four_stages()
    nobody = definition.stages[0].model_copy(update={"agent_id": None})
    pipeline = make_pipeline(user, four_stages(stages=[nobody, *definition.stages[1:]]))
    response = client.get(reverse("rehearse", args=[pipeline.pk]))
    html = response.content.decode()
    assert "This pipeline cannot be rehearsed yet" in html
    assert f'href="/pipelines/{pipeline.pk}/?select=stage%3A{nobody.phase}"' in html
    assert 'id="composer"' not in html


def test_a_problem_that_prevents_a_rehearsal_is_fixed_beside_the_chat(client, user, invalid):
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


def test_a_conversation_shows_its_earlier_events(client, conversation):
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
    assert "Start again" in client.get(page).content.decode()


def test_earlier_conversations_are_listed_with_their_first_message(client, user, pipeline):
    first = start_conversation(pipeline=pipeline, user=user)
    received = e.dump(run_started()) | {"seq": 2, "type": "message.received"}
    first.recorded_events.create(seq=2, type="message.received", body=received)
    second = start_conversation(pipeline=pipeline, user=user)
    html = client.get(reverse("conversation", args=[second.pk])).content.decode()
    assert "Hello &lt;b&gt;" in html
    assert "<span>this one</span>" in html


def test_no_page_carries_inline_script_or_style(client, conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    html = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "<style" not in html
    assert " style=" not in html
    assert "<script>" not in html


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
def test_an_anonymous_visitor_is_asked_to_sign_in(anonymous_client, conversation, name):
    method = anonymous_client.post if name == "conversation_create" else anonymous_client.get
    response = method(address(name, conversation))
    assert response.status_code == 302
    assert response.url.startswith("/sign-in/")


@pytest.mark.parametrize("name", GETS)
def test_looking_changes_nothing(client, conversation, name):
    assert client.post(address(name, conversation)).status_code == 405


def test_a_conversation_is_not_begun_by_looking(client, conversation):
    """The address remains in the browser after a refusal, so a reload must redirect."""
    response = client.get(address("conversation_create", conversation))
    assert response.url == reverse("rehearse", args=[conversation.pipeline.pk])
    assert Conversation.objects.count() == 1


def test_only_pages_of_this_site_show_a_rehearsal_in_a_frame(client, conversation):
    page = client.get(reverse("conversation", args=[conversation.pk]), {"drawer": "1"})
    assert page.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    assert '<body class="chat-drawer"' in page.content.decode()
    inbox = client.get(reverse("inbox"))
    assert "frame-ancestors 'none'" in inbox.headers["Content-Security-Policy"]
