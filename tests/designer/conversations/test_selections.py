"""Tags and pins of selected conversations."""

import pytest
from django.urls import reverse

from designer.models import ConversationSummary, ConversationTag
from tests.designer.live_conversations import make_conversation

pytestmark = pytest.mark.django_db

TAG, PIN = "tag_selection", "pin_selection"


def tags() -> list[tuple[int, str]]:
    return list(ConversationTag.objects.values_list("summary", "name").order_by("summary", "name"))


def test_selected_conversations_get_and_lose_a_tag(client, user, conversation):
    other = make_conversation(user)
    data = {"conversation": [conversation.pk, other.pk], "tag": "  Big   customer "}
    response = client.post(reverse(TAG), data | {"next": "/conversations/?q=x"})
    assert response.url == "/conversations/?q=x"
    client.post(reverse(TAG), data | {"tag": "big customer"})
    assert tags() == [(conversation.pk, "Big customer"), (other.pk, "Big customer")]
    data = {"conversation": [other.pk], "tag": "BIG customer", "remove": "1"}
    client.post(reverse(TAG), data)
    assert tags() == [(conversation.pk, "Big customer")]


def test_a_comma_separates_tags(client, conversation):
    data = {"conversation": [conversation.pk], "tag": " late,two  words,, Late,"}
    client.post(reverse(TAG), data)
    assert tags() == [(conversation.pk, "late"), (conversation.pk, "two words")]
    client.post(reverse(TAG), data | {"tag": "Two words, early, LATE", "remove": "1"})
    assert tags() == []


@pytest.mark.parametrize("tag", ["", ",", "x" * 25])
def test_an_invalid_tag_changes_nothing(client, conversation, tag):
    client.post(reverse(TAG), {"conversation": [conversation.pk], "tag": tag})
    assert tags() == []


def test_a_ninth_tag_is_refused(client, conversation):
    for number in range(9):
        client.post(reverse(TAG), {"conversation": [conversation.pk], "tag": f"t{number}"})
    assert len(tags()) == 8
    assert "at most 8 tags" in client.get(reverse("conversations")).text


def test_selected_conversations_are_pinned_and_unpinned(client, conversation):
    data = {"conversation": [conversation.pk]}
    client.post(reverse(PIN), data)
    assert ConversationSummary.objects.get().is_pinned
    client.post(reverse(PIN), data | {"unpin": "1"})
    assert not ConversationSummary.objects.get().is_pinned


@pytest.mark.parametrize("address", ["https://example.com/", "//example.com", "javascript:x", ""])
def test_no_other_site_follows(client, conversation, address):
    data = {"conversation": [conversation.pk], "next": address}
    assert client.post(reverse(PIN), data).url == reverse("conversations")


@pytest.mark.parametrize("name", [TAG, PIN])
@pytest.mark.parametrize("pk", ["x", "0", str(2**70), "-1"])
def test_an_unknown_conversation_is_not_found(client, conversation, name, pk):
    data = {"conversation": [conversation.pk, pk], "tag": "x"}
    assert client.post(reverse(name), data).status_code == 404
    assert (tags(), ConversationSummary.objects.get().is_pinned) == ([], False)


@pytest.mark.parametrize("name", [TAG, PIN])
def test_conversations_of_others_are_not_found(other_client, anonymous_client, conversation, name):
    data = {"conversation": [conversation.pk], "tag": "x"}
    assert other_client.post(reverse(name), data).status_code == 404
    assert anonymous_client.post(reverse(name), data).status_code == 302
    assert (tags(), ConversationSummary.objects.get().is_pinned) == ([], False)
