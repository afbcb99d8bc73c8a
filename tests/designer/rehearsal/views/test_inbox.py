"""The page of the inbox."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from designer.models import RecordedEvent
from orchestration.control import End, HandOver, TakeOver
from orchestration.definition import HUMAN
from tests.designer.recorded_conversations import converse, steer
from tests.designer.rehearsal.rehearsal_pages import post, said

pytestmark = pytest.mark.django_db


def to_the_human() -> HandOver:
    return HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True)


def test_an_empty_inbox_says_so_and_the_bar_leads_to_it_without_a_count(client):
    page = client.get(reverse("inbox")).content.decode()
    assert "No conversation waits for a human." in page
    assert 'href="/inbox/"' in client.get("/").content.decode()
    assert 'aria-label="Inbox" title="Inbox"' in page
    assert re.search(
        r"<button[^>]* data-notifications[^>]* hidden>\s*Notify me in this browser", page
    )


def test_the_count_of_the_inbox_is_sent_if_the_page_shows_another(client, recorded):
    count = reverse("inbox_count")
    assert client.get(count, {"shown": "0"}).status_code == 204
    steer(recorded, to_the_human())
    changed = client.get(count, {"shown": "0"})
    assert 'aria-label="Inbox: 1 for a human"' in changed.content.decode()
    assert changed["HX-Trigger"] == '{"baton:waiting": {"count": 1}}'  # the inbox itself comes anew
    assert client.get(count, {"shown": "1"}).status_code == 204


def test_a_row_shows_the_last_words_with_their_author_and_the_waiting_time(client, recorded):
    steer(recorded, to_the_human())
    page = client.get(reverse("inbox")).content.decode()
    last = recorded.recorded_events.filter(type="message.completed").last()
    name = recorded.snapshot().agents_by_id[last.body["agent_id"]].name
    assert f"{name}: <bdi>{last.body['text'][:40]}" in unescape(page)
    assert recorded.pipeline
    assert f"<small>{recorded.pipeline.name} · {recorded.version_label}</small>" in page
    subtask = last.body | {"session_id": f"{recorded.session_id}__task_look_up_1", "text": "Within"}
    accepted = recorded.recorded_events.filter(type="handoff.accepted").last()
    late = recorded.recorded_events.last().seq + 1
    within = RecordedEvent.objects.create(
        conversation=recorded, seq=late, type="message.completed", body=subtask
    )
    earlier = (timezone.now() - timedelta(minutes=5)).isoformat()
    RecordedEvent.objects.filter(pk=accepted.pk).update(body=accepted.body | {"at": earlier})
    page = client.get(reverse("inbox")).content.decode()
    assert "Within" not in page
    assert re.search(r"waiting\s+for 5\sminutes", page)
    within.delete()
    converse(recorded, "Is anybody there?")
    page = client.get(reverse("inbox")).content.decode()
    assert "Customer: <bdi>Is anybody there?</bdi>" in page


@pytest.mark.django_db(transaction=True)
def test_a_waiting_conversation_is_taken_by_one_person_only(client, recorded):
    steer(recorded, to_the_human())
    assert f'action="/conversations/{recorded.pk}/take/"' in client.get("/inbox/").content.decode()
    response = post(client, "take", recorded)
    assert response.url == reverse("conversation", args=[recorded.pk])
    recorded.refresh_from_db()
    assert (recorded.taken_by.username, recorded.waits_for_human) == ("ada", False)
    assert said(post(client, "take", recorded)) == ["ada has the conversation already."]


def test_an_ended_conversation_returns_to_the_inbox_with_a_new_message(client, recorded):
    steer(recorded, to_the_human())
    steer(recorded, End(id="end-command", by="ada"))
    assert (recorded.waits_for_human, recorded.taken_by) == (False, None)
    page = client.get(reverse("conversation", args=[recorded.pk])).content.decode()
    assert "ada ended the conversation. A new message waits for the human" in page
    converse(recorded, "One more thing")
    assert recorded.waits_for_human


def test_a_handoff_to_the_human_stays_in_the_inbox_until_a_takeover(client, other_client, recorded):
    command = HandOver(
        id="to-human-1", by="ada", target=HUMAN, reason="Needs <b>a person</b>", past_check=True
    )
    steer(recorded, command)
    page = client.get(reverse("inbox")).content.decode()
    assert "just now" in page
    assert "Needs &lt;b&gt;a person&lt;/b&gt;" in page
    assert 'aria-label="Inbox: 1 for a human"' in client.get("/").content.decode()
    assert "No conversation waits" in other_client.get(reverse("inbox")).content.decode()

    steer(recorded, TakeOver(id="take-over-2", by="ada"))
    page = client.get(reverse("inbox")).content.decode()
    assert "No conversation waits" in page
    assert "you have it" in page
    assert 'aria-label="Inbox" title="Inbox"' in page
