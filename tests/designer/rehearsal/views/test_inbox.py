"""The page of the inbox."""

import pytest
from django.urls import reverse

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


def test_the_count_of_the_inbox_is_sent_if_the_page_shows_another(client, recorded):
    count = reverse("inbox_count")
    assert client.get(count, {"shown": "0"}).status_code == 204
    steer(recorded, to_the_human())
    changed = client.get(count, {"shown": "0"})
    assert 'aria-label="Inbox: 1 for a human"' in changed.content.decode()
    assert "baton:waiting" in changed["HX-Trigger"]  # the inbox itself comes anew
    assert client.get(count, {"shown": "1"}).status_code == 204


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
