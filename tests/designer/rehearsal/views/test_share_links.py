"""Share links and their pages."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from designer.rehearsal.actions.share_links import create_share_link
from orchestration.control import GiveFeedback, SendNote
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import QUESTION, find_seq, steer
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_a_link_is_made_shown_once_and_taken_back(client, anonymous_client, recorded):
    path = url("share_links", recorded.pk)
    made = client.post(path).content.decode()
    [link] = re.findall(r'value="([^"]+/watch/[^"]+)"', made)
    assert f"<code>{link}ag-ui/</code>" in made
    assert link not in client.get(path).content.decode()
    assert anonymous_client.get(link).status_code == 200
    [row] = recorded.share_links.all()
    assert client.post(url("watch_revoke", recorded.pk, row.pk)).url == path
    ended = anonymous_client.get(link)
    assert ended.status_code == 410
    assert "This link no longer works" in ended.text
    assert "It was revoked." in ended.text


def test_a_watcher_sees_the_panes_without_controls(anonymous_client, user, recorded):
    token = create_share_link(conversation=recorded, user=user)
    response = anonymous_client.get(url("watch", token))
    page = response.content.decode()
    assert "Order A-1043 is one desk lamp" in page
    assert 'id="trace"' in page
    assert f'ws-connect="/ws/watch/{token}/"' in page
    for absent in ('id="composer"', "Pipelines</a>", "Export", "sign-out", "/conversations/"):
        assert absent not in page, absent
    assert response["Referrer-Policy"] == "no-referrer"
    for pane in ("watch_events", "watch_earlier", "watch_track", "watch_sums", "watch_timeline"):
        assert anonymous_client.get(url(pane, token)).status_code == 200, pane
    assert anonymous_client.get(url("watch_contexts", token)).status_code == 200


def test_author_and_sharer_are_told_that_watchers_read_the_notes(
    anonymous_client, client, user, recorded
):
    steer(recorded, SendNote(id="note-number-1", by="ada", text="Be kind"))
    token = create_share_link(conversation=recorded, user=user)
    assert "Be kind" in anonymous_client.get(url("watch", token)).content.decode()
    links = client.get(url("share_links", recorded.pk)).content.decode()
    assert "including notes to agents" in links
    own = client.get(url("conversation", recorded.pk)).content.decode()
    assert "Anyone who watches by a link can read it" in own


def test_a_watcher_sees_no_instructions(anonymous_client, client, user, recorded):
    token = create_share_link(conversation=recorded, user=user)
    instructions = [one.instructions for one in recorded.snapshot().agents]
    told = json.dumps(instructions)[2:40]
    turn = find_seq(recorded, "turn.started")
    own = client.get(url("conversation_event", recorded.pk, turn)).content.decode()
    assert "Instructions of the agent" in own
    pages = [anonymous_client.get(url("watch", token)).content.decode()]
    for event in recorded.events():
        response = anonymous_client.get(url("watch_event", token, event.seq))
        assert response.status_code == 200
        pages.append(response.content.decode())
    for page in pages:
        assert "Instructions of the agent" not in page
        assert "Fork here" not in page
        assert told not in page
    assert anonymous_client.get(url("watch_event", token, 999)).status_code == 404


@pytest.mark.parametrize(("days", "shown"), [("1", 1), ("7", 7), ("30", 30), ("", None)])
def test_a_link_expires_after_the_chosen_time(client, recorded, days, shown):
    path = url("share_links", recorded.pk)
    page = client.post(path, {"days": days}).text
    [link] = recorded.share_links.all()
    if shown is None:
        assert link.expires is None
        assert re.search(r"never\s+expires", page)
    else:
        assert round((link.expires - link.created) / timedelta(days=1)) == shown
        assert re.search(r"expires\s+<time", page)


def test_an_expired_link_opens_no_page_and_is_not_listed(client, anonymous_client, user, recorded):
    token = create_share_link(conversation=recorded, user=user, days=1)
    assert anonymous_client.get(url("watch", token)).status_code == 200
    expired = timezone.now() - timedelta(seconds=1)
    recorded.share_links.update(expires=expired)
    for pane in ("watch", "watch_events", "watch_track", "watch_contexts"):
        assert anonymous_client.get(url(pane, token)).status_code == 410, pane
    page = anonymous_client.get(url("watch", token))
    assert "It expired on" in page.text
    assert page["Referrer-Policy"] == "no-referrer"
    assert "Links that work" not in client.get(url("share_links", recorded.pk)).text


def test_an_unknown_link_is_answered_in_plain_words(anonymous_client):
    response = anonymous_client.get(url("watch", "no-such-token"))
    assert response.status_code == 404
    assert "There is no such link" in response.text


def test_an_unknown_expiry_is_refused(client, recorded):
    response = client.post(url("share_links", recorded.pk), {"days": "365"})
    assert response.status_code == 422
    assert "Choose 1, 7 or 30 days" in response.text
    assert not recorded.share_links.exists()


def test_a_link_can_open_the_conversation_at_an_event(client, anonymous_client, recorded):
    page = client.post(url("share_links", recorded.pk), {"days": "7", "at": "9"}).text
    [link] = re.findall(r'value="([^"]+/watch/[^"]+)"', page)
    assert link.endswith("/?at=9")
    assert anonymous_client.get(link).status_code == 200
    late = client.post(url("share_links", recorded.pk), {"days": "7", "at": recorded.last_seq + 1})
    assert late.status_code == 422
    assert f"the last one so far is {recorded.last_seq}." in late.text


def test_a_watcher_reads_feedback_and_cannot_give_any(anonymous_client, user, recorded):
    answer = find_seq(recorded, "message.completed")
    steer(recorded, GiveFeedback(id="feedback-1", by="ada", about=answer, rating="down"))
    page = anonymous_client.get(
        url("watch", create_share_link(conversation=recorded, user=user))
    ).text
    assert f'data-about="{answer}" data-rating="down"' in page
    assert "Rated as bad" in page
    for absent in ("feedback-form", "feedback-dialog", "Good answer"):
        assert absent not in page, absent


def test_the_link_of_another_conversation_cannot_be_taken_back_here(client, user, recorded):
    other = make_conversation(user)
    create_share_link(conversation=other, user=user)
    [link] = other.share_links.all()
    assert client.post(url("watch_revoke", recorded.pk, link.pk)).status_code == 404
    assert other.share_links.get().revoked is None


def test_the_menu_of_a_rehearsal_leads_to_all_of_it(client, recorded):
    page = client.get(url("conversation", recorded.pk)).content.decode()
    assert page.count('data-dialog="trace-dialog"') == page.count('<dialog id="trace-dialog"') == 1
    for name in ("trace_export", "share_links"):
        assert url(name, recorded.pk) in page
    assert url("compare", recorded.pipeline_id) in page
    assert QUESTION in page
