"""The views of events."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from designer.accounts.sharing import share_pipeline
from orchestration import events as e
from tests.designer.leases import begin_run
from tests.designer.rehearsal.exchanges import keep, switch
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db(transaction=True)


def test_switching_the_log_off_deletes_its_exchanges(conversation, client):
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert 'id="wire-log"' in page
    assert 'aria-pressed="true" title="Keep no more' not in page
    assert b'aria-pressed="true"' in switch(client, conversation).content
    keep(conversation, 1)
    assert conversation.exchanges.count() == 1
    assert b'aria-pressed="false"' in switch(client, conversation, "no").content
    assert conversation.exchanges.count() == 0
    keep(conversation, 2)
    assert conversation.exchanges.count() == 0


def test_switching_off_asks_before_it_deletes_exchanges(conversation, client):
    switch(client, conversation)
    for number in (1, 2):
        keep(conversation, number)
    html = switch(client, conversation, "no", sure="").text
    assert 'aria-pressed="true"' in html
    assert "2 exchanges with the models are recorded. They are deleted too" in html
    assert conversation.exchanges.count() == 2
    html = switch(client, conversation, "no").text
    assert 'aria-pressed="false"' in html
    assert "forget-exchanges" not in html
    assert conversation.exchanges.count() == 0


def test_switching_off_asks_nothing_without_exchanges(conversation, client):
    switch(client, conversation)
    html = switch(client, conversation, "no", sure="").text
    assert 'aria-pressed="false"' in html
    assert "forget-exchanges" not in html


def test_a_viewer_neither_switches_the_log_nor_sees_it(
    conversation, client, other_client, other_user
):
    page = reverse("conversation", args=[conversation.pk])
    share_pipeline(pipeline=conversation.pipeline, username=other_user.username, role="viewer")
    assert switch(other_client, conversation).status_code == 404
    assert other_client.get(page).status_code == 404
    share_pipeline(pipeline=conversation.pipeline, username=other_user.username, role="editor")
    assert 'id="wire-log"' in other_client.get(page).text
    assert switch(other_client, conversation).status_code == 200


def test_the_switch_requires_a_sign_in(conversation):
    assert switch(Client(), conversation).status_code == 302


def test_one_event_can_be_seen_whole(client, conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    html = client.get(reverse("conversation_event", args=[conversation.pk, 1])).content.decode()
    assert "&quot;type&quot;: &quot;run.started&quot;" in html
    missing = client.get(reverse("conversation_event", args=[conversation.pk, 2]))
    assert missing.status_code == 404


def test_the_fields_of_a_payload_stand_before_the_whole_payload(client, conversation):
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
