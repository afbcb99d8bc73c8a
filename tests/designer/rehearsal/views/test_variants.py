"""The variants of a conversation's messages."""

import re

import pytest

from designer.rehearsal.actions.rehearsals import delete_conversation, resend_message
from designer.rehearsal.actions.share_links import create_share_link
from tests.designer.recorded_conversations import converse, find_seq
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def variant(recorded):
    """Variant of the second message of `recorded`."""
    seq = find_seq(recorded, "message.received", 1)
    fork = resend_message(
        conversation=recorded, seq=seq, text="No, thanks.", user=recorded.started_by
    )
    fork.commands.all().delete()
    return converse(fork, "No, thanks.")


def test_a_variant_has_labelled_buttons_to_the_others(client, recorded, variant):
    page = client.get(url("conversation", variant.pk)).text
    assert 'aria-label="Variant 2 of 2"' in page
    assert re.search(r'data-step-to="previous" aria-label="Show the previous variant"', page)
    assert f'<form class="variants__step" action="{url("conversation", recorded.pk)}">' in page
    assert len(re.findall(r'data-step-to="next"[^>]*disabled', page)) == 1
    [run] = re.findall(r'class="variants" data-of="([^"]+)"', page)
    assert f'data-run="{run}"' in page
    again = client.get(url("variants", variant.pk)).text
    assert 'aria-label="Variant 2 of 2"' in again


def test_the_position_disappears_with_the_last_other_variant(client, recorded, variant):
    assert "Variant 1 of 2" in client.get(url("variants", recorded.pk)).text
    delete_conversation(conversation=variant)
    assert "Variant" not in client.get(url("variants", recorded.pk)).text
    assert "Variant" not in client.get(url("conversation", recorded.pk)).text


def test_a_watcher_sees_the_position_without_buttons(anonymous_client, user, variant):
    token = create_share_link(conversation=variant, user=user)
    for page in (url("watch", token), url("watch_variants", token)):
        html = anonymous_client.get(page).text
        assert 'aria-label="Variant 2 of 2"' in html
        assert "<span>2/2</span>" in html
        assert "data-step-to" not in html
        assert "/conversations/" not in html


def test_the_variants_of_another_person_are_not_found(client, other_client, variant):
    assert client.get(url("variants", variant.pk)).status_code == 200
    assert other_client.get(url("variants", variant.pk)).status_code == 404


def test_in_the_drawer_of_the_editor_a_switch_stays_in_the_drawer(client, variant):
    page = client.get(url("conversation", variant.pk), {"drawer": "1"}).text
    [step] = re.findall(r'<form class="variants__step" action.*?</form>', page, re.DOTALL)
    assert '<input type="hidden" name="drawer" value="1">' in step
    [form] = re.findall(r'<form id="resend-form".*?</form>', page, re.DOTALL)
    assert '<input type="hidden" name="drawer" value="1">' in form
