"""The pages of a fork."""

from __future__ import annotations

import pytest

from designer.models import Conversation
from designer.rehearsal.actions.forks import fork_conversation
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import find_seq, types
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_its_pages_stand_below_the_bar_of_its_pipeline(client, recorded):
    pipeline = recorded.pipeline
    pages = [url("fork", recorded.pk, 1), url("share_links", recorded.pk)]
    for page in [*pages, url("compare", pipeline.pk)]:
        html = client.get(page).content.decode()
        for mode in ("editor", "rehearse"):
            assert f'<a href="{url(mode, pipeline.pk)}"' in html


def test_the_page_of_a_fork_says_where_it_is_and_begins_it(client, recorded):
    seq = find_seq(recorded, "message.received", 1)
    page = client.get(url("fork", recorded.pk, seq)).content.decode()
    assert f"Fork at event {seq}" in page
    assert "<b>message</b>" in page
    assert "inbound from web: <q>Yes, please.</q>." in page
    sent = {"where": "before", "runs": "same", "name": "Another answer"}
    response = client.post(url("fork", recorded.pk, seq), sent)
    fork = Conversation.objects.get(forked_from=recorded)
    assert response.url == url("conversation", fork.pk)
    assert (fork.name, types(fork)[-1]) == ("Another answer", "run.completed")


def test_a_fork_says_of_which_rehearsal_it_is_one_and_from_where(client, user, recorded):
    seq = find_seq(recorded, "message.received", 1)
    fork = fork_conversation(recorded, user=user, before=seq)
    page = client.get(url("conversation", fork.pk)).content.decode()
    kept, home = fork.forked_at, url("conversation", recorded.pk)
    origin = f'A fork of <a href="{home}">Rehearsal 1</a>, the same up to event {kept}'
    assert origin in page
    assert "<small>fork of 1 · draft" in page
    assert "A fork of" not in client.get(home).content.decode()
    from_the_first = fork_conversation(recorded, user=user, before=1)
    page = client.get(url("conversation", from_the_first.pk)).content.decode()
    assert "from before its first message" in page
    recorded.delete()
    page = client.get(url("conversation", fork.pk)).content.decode()
    assert "A fork of a rehearsal that is gone" in page


def test_from_the_menu_it_is_forked_where_it_is_by_then(client, recorded):
    page = client.get(url("conversation", recorded.pk)).content.decode()
    assert f'href="{url("fork_now", recorded.pk)}"' in page
    Conversation.objects.filter(pk=recorded.pk).update(last_seq=recorded.last_seq - 1)
    response = client.get(url("fork_now", recorded.pk))
    assert response.url == url("fork", recorded.pk, recorded.last_seq - 1)


def test_where_nothing_has_happened_there_is_nothing_to_fork(client, user):
    new = make_conversation(user)
    response = client.get(url("fork_now", new.pk), follow=True)
    assert response.redirect_chain[-1][0] == url("conversation", new.pk)
    assert "it cannot be forked" in response.content.decode()


def test_every_event_that_can_be_forked_at_is_told_of_as_its_row_in_the_trace_is(client, recorded):
    seq = find_seq(recorded, "handoff.accepted")
    page = client.get(url("fork", recorded.pk, seq)).content.decode()
    assert "Triage → Handler accepted." in page
    for event in recorded.events():
        page = client.get(url("fork", recorded.pk, event.seq)).content.decode()
        assert event.type not in page


def test_a_fork_with_a_pipeline_that_no_longer_fits_is_refused_in_words(client, recorded):
    recorded.pipeline.stages.all().delete()
    sent = {"where": "after", "runs": "edited"}
    response = client.post(url("fork", recorded.pk, 3), sent)
    assert response.status_code == 422
    assert "cannot be rehearsed as it is now" in response.content.decode()


def test_there_is_no_fork_of_an_event_that_is_not_there(client, recorded):
    assert client.get(url("fork", recorded.pk, 999)).status_code == 404
