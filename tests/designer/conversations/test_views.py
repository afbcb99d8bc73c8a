"""Pages of conversations."""

import pytest
from django.urls import reverse

from designer.models import Conversation, ConversationSummary, ConversationTag, Membership
from designer.rehearsal.actions.conversations import start_conversation
from designer.versions import publish
from tests.designer.recorded_conversations import converse

pytestmark = pytest.mark.django_db


def page_of(conversation) -> str:
    return reverse("pipeline_conversations", args=[conversation.pipeline_id])


def words(response) -> list[str]:
    return [row.summary.first_words for row in response.context["rows"]]


@pytest.fixture
def several(user, conversation):
    """Three conversations of one pipeline: their first words are Zebra, Apple and Mango."""
    pipeline = conversation.pipeline
    others = [start_conversation(pipeline=pipeline, user=user) for _ in range(2)]
    rows = [conversation, *others]
    for row, text in zip(rows, ("Zebra", "Apple", "Mango"), strict=True):
        converse(row, text)
    return rows


def test_the_page_lists_the_conversations_of_a_pipeline(client, recorded):
    response = client.get(page_of(recorded))
    summary = recorded.summary
    assert response.status_code == 200
    for text in (summary.first_words, "Replied", "draft", "1 conversation"):
        assert text in response.text
    assert reverse("conversation", args=[recorded.pk]) in response.text
    assert "Save as test" not in response.text


@pytest.mark.parametrize(
    ("outcome", "is_open"), [("replied", False), ("running", True), ("paused", True)]
)
def test_the_page_says_that_the_figures_of_a_run_follow(client, recorded, outcome, is_open):
    ConversationSummary.objects.filter(pk=recorded.pk).update(outcome=outcome)
    assert ("figures follow" in client.get(page_of(recorded)).text) == is_open


def test_an_empty_page_leads_to_a_rehearsal(client, pipeline):
    response = client.get(reverse("pipeline_conversations", args=[pipeline.pk]))
    assert "No conversations yet" in response.text
    assert reverse("rehearse", args=[pipeline.pk]) in response.text


def test_agents_and_tags_are_in_natural_order(client, recorded):
    for name in ("agent 10", "Agent 9", "agent 8"):
        recorded.pipeline.agents.create(key=name.lower().replace(" ", "-"), name=name)
        ConversationTag.objects.create(summary=recorded.summary, name=name)
    response = client.get(page_of(recorded))
    order = ["agent 8", "Agent 9", "agent 10"]
    assert response.context["tags"] == order
    places = [response.text.index(f">{name}</option>") for name in order]
    assert places == sorted(places)


def test_the_page_of_all_pipelines_names_them(client, recorded, user, pipeline):
    start_conversation(pipeline=recorded.pipeline, user=user)
    response = client.get(reverse("conversations"))
    assert response.context["total"] == 2
    assert recorded.pipeline.name in response.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=zebra", ["Zebra"]),
        ("outcome=replied&outcome=failed&sort=first_words", ["Apple", "Mango", "Zebra"]),
        ("outcome=failed", []),
        ("version=99", []),
        ("version=0&q=zebra", ["Zebra"]),
        ("version=7", ["Apple"]),
        ("agent=agent-triage&q=mango", ["Mango"]),
        ("agent=nobody", []),
        ("channel=web&sort=-first_words", ["Zebra", "Mango", "Apple"]),
        ("channel=sms", []),
        ("source=fork", []),
        ("tag=VIP", ["Apple"]),
        ("since=2020-01-01&until=2020-01-02", []),
        ("until=2020-01-02", []),
        ("until=9999-12-31&sort=last_at", ["Zebra", "Apple", "Mango"]),
        ("", ["Mango", "Apple", "Zebra"]),
        ("page=2", []),
    ],
)
def test_the_query_string_filters_and_sorts(client, several, query, expected):
    ConversationTag.objects.create(summary=several[1].summary, name="vip")
    ConversationSummary.objects.filter(pk=several[1].pk).update(version=7)
    response = client.get(f"{page_of(several[0])}?{query}")
    assert (response.status_code, words(response)) == (200, expected)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("outcome=unknown", "Outcome has no choice “unknown”."),
        ("version=x", "Version"),
        ("version=99999999999999999999", "Version"),
        ("since=yesterday", "From"),
        ("since=2026-02-02&until=2026-01-01", "exchange the dates"),
        ("page=0", "page"),
        ("sort=password", "Sort has no choice “password”."),
        ("q=***", "Search for words"),
        (f"q={'x' * 201}", "Search the messages"),
        ("agent=%00", "Agent must not contain the character NUL."),
    ],
)
def test_an_invalid_filter_is_explained(client, recorded, query, message):
    response = client.get(f"{page_of(recorded)}?{query}")
    assert (response.status_code, words(response)) == (422, [])
    assert message.lower() in response.text.lower()


def test_each_column_is_a_link_that_sorts(client, several):
    headings = client.get(f"{page_of(several[0])}?q=zebra&sort=-turns").context["headings"]
    assert len(headings) == 12
    assert {heading.direction for heading in headings} == {"", "descending"}
    for heading in headings:
        response = client.get(f"{page_of(several[0])}?{heading.query}")
        assert (response.status_code, words(response)) == (200, ["Zebra"])


def test_pages_follow_one_another(client, user, conversation):
    for _ in range(51):
        start_conversation(pipeline=conversation.pipeline, user=user)
    first = client.get(page_of(conversation))
    assert (len(first.context["rows"]), first.context["newer"]) == (50, "")
    second = client.get(f"{page_of(conversation)}?{first.context['older']}")
    assert (len(second.context["rows"]), second.context["older"]) == (2, "")
    assert "51\N{EN DASH}52 of 52" in second.text


def test_the_number_of_queries_does_not_depend_on_the_number_of_conversations(
    client, several, django_assert_max_num_queries
):
    client.get(page_of(several[0]))
    with django_assert_max_num_queries(21):
        client.get(page_of(several[0]))


def test_an_editor_sees_conversations_without_closed_subtasks_and_the_number_of_others(
    user, other_client, other_user, recorded
):
    Membership.objects.create(pipeline=recorded.pipeline, user=other_user, role="editor")
    closed = start_conversation(pipeline=recorded.pipeline, user=user)
    ConversationSummary.objects.filter(pk=closed.pk).update(has_subtasks=True)
    for address in (page_of(recorded), reverse("conversations")):
        response = other_client.get(address)
        assert [row.summary.pk for row in response.context["rows"]] == [recorded.pk]
        text = " ".join(response.text.split())
        assert "1 more conversation runs a pipeline that is not shared with you, so" in text
    Conversation.objects.filter(pk=closed.pk).update(waits_for_human=True)
    inbox = " ".join(other_client.get(reverse("inbox")).text.split())
    assert "1 more conversation waits that runs a pipeline that is not shared with you." in inbox


@pytest.mark.parametrize("name", ["pipeline_conversations", "pipeline_conversation_charts"])
def test_other_people_see_nothing(name, other_client, anonymous_client, other_user, recorded):
    address = reverse(name, args=[recorded.pipeline_id])
    assert other_client.get(address).status_code == 404
    assert anonymous_client.get(address).status_code == 302
    assert other_client.get(reverse("conversations")).context["total"] == 0
    Membership.objects.create(pipeline=recorded.pipeline, user=other_user, role="viewer")
    assert other_client.get(address).status_code == 403
    assert other_client.get(reverse("conversations")).context["total"] == 0


def test_the_charts_are_drawn_with_their_tables(client, recorded):
    address = reverse("pipeline_conversation_charts", args=[recorded.pipeline_id])
    text = client.get(address).text
    for title in (
        "Conversations per day",
        "Rejected transitions",
        "Tokens per day",
        "Cost per day",
    ):
        assert title in text
    assert "<svg" in text
    assert f"{recorded.summary.tokens:,}" in text
    speakers = recorded.pipeline.agents.values_list("name", flat=True)
    assert any(f'<th scope="row" title="{name}">' in text for name in speakers)
    assert client.get(f"{address}?since=never").status_code == 200
    everywhere = client.get(reverse("conversation_charts"))
    assert any(f'<th scope="row" title="{name}">' in everywhere.text for name in speakers)


def test_the_promotion_of_the_live_version_is_in_the_drawing_and_its_table(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    address = reverse("pipeline_conversation_charts", args=[pipeline.pk])
    text = client.get(address).text
    assert text.count("v1 live") == 3  # the label of the drawing, its text, and the table
    assert "v1 live" not in client.get(f"{address}?until=2020-01-01").text
    assert "v1 live" not in client.get(reverse("conversation_charts")).text


def test_the_owner_sets_the_retention(client, other_client, other_user, recorded):
    address = reverse("pipeline_retention", args=[recorded.pipeline_id])
    pipeline = recorded.pipeline
    for sent, kept in (("30", 30), ("0", 30), ("x", 30), ("", None)):
        assert client.post(address, {"days": sent}).url == page_of(recorded)
        pipeline.refresh_from_db()
        assert pipeline.keep_days == kept
    assert other_client.post(address, {"days": "1"}).status_code == 404
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    assert other_client.post(address, {"days": "1"}).status_code == 403


def test_the_version_of_a_conversation_is_shown(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    for choice in ("1", "draft"):
        start_conversation(pipeline=pipeline, user=user, choice=choice)
    address = reverse("pipeline_conversations", args=[pipeline.pk])
    labels = [row.summary.version_label for row in client.get(address).context["rows"]]
    assert labels == ["draft", "v1"]
    filtered = client.get(f"{address}?version=1").context["rows"]
    assert [row.summary.version_label for row in filtered] == ["v1"]
