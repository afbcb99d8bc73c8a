"""Cards of the list of pipelines."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from designer.models import Conversation, Membership, Pipeline
from designer.pipelines.actions import import_definition
from designer.pipelines.pipeline_cards import pipeline_cards
from designer.pipelines.sample_pipelines import create_samples, samples
from orchestration.definition import Tool
from tests.designer.editor_requests import chain, draw
from tests.designer.pipelines.template_pages import gallery_cards

pytestmark = pytest.mark.django_db


@pytest.fixture
def rehearsed(user):
    """Pipeline that was edited three days ago and rehearsed today."""
    pipeline = draw(user, "intake", name="Rehearsed")
    Pipeline.objects.update(updated=timezone.now() - timedelta(days=3))
    Conversation.objects.create(
        pipeline=pipeline, started_by=user, number=1, definition={}, pipeline_version=1
    )
    return pipeline


def test_the_last_activity_is_an_edit_or_a_rehearsal_and_sorts_the_list(user, rehearsed):
    edited = draw(user, "intake", name="Edited")
    Pipeline.objects.filter(pk=edited.pk).update(updated=timezone.now() - timedelta(days=1))
    cards = pipeline_cards(user)
    activities = [(card.pipeline.name, card.activity) for card in cards]
    assert activities == [("Rehearsed", "rehearsed"), ("Edited", "edited")]
    assert cards[0].active == Conversation.objects.get().created


def test_the_list_shows_the_last_activity_with_its_clock_time(client, rehearsed):
    html = " ".join(client.get(reverse("pipelines")).content.decode().split())
    created = Conversation.objects.get().created
    assert f'<span>rehearsed <time datetime="{created.isoformat()[:19]}' in html
    assert f'title="{created:%Y-%m-%d %H:%M} UTC"' in html


def test_viewers_do_not_see_when_a_pipeline_was_rehearsed(rehearsed, other_user):
    Membership.objects.create(pipeline=rehearsed, user=other_user, role="viewer")
    assert [card.activity for card in pipeline_cards(other_user)] == ["edited"]


def test_renaming_and_deleting_name_the_pipelines_that_run_it(client, user):
    draw(user, "intake", name="Guide")
    tool = Tool(name="ask_guide", kind="subtask", pipeline="Guide")
    for name in ("Trip", "Desk"):
        draw(user, "intake", name=name, tools=(tool,))
    draw(user, "intake", name="Alone")
    html = " ".join(client.get(reverse("pipelines")).content.decode().split())
    assert html.count("Desk, Trip run it by its name: choose the new one there.") == 1
    assert html.count("Desk, Trip run it, and cannot be rehearsed without it.") == 1
    assert {card.pipeline.name: card.run_by for card in pipeline_cards(user) if card.run_by} == {
        "Guide": ("Desk", "Trip")
    }


def test_the_search_reads_names_agents_descriptions_and_tags(user):
    pipeline = draw(user, "intake", name="Desk", description="For refunds")
    Pipeline.objects.filter(pk=pipeline.pk).update(tags=["sales"])
    [card] = pipeline_cards(user)
    assert all(word in card.search_text for word in ("Desk", "refunds", "sales", "Intake"))


def test_fifty_pipelines_need_as_many_queries_as_two(client, user, django_assert_max_num_queries):
    for number in range(50):
        import_definition(user=user, definition=chain("intake", name=f"N {number}"))
    client.get(reverse("pipelines"))  # draws the pictures
    with django_assert_max_num_queries(16):
        html = client.get(reverse("pipelines")).content.decode()
    assert html.count('<li class="card" id="pipeline-') == 50


def test_a_sample_that_became_a_pipeline_is_not_shown_twice(client, user):
    create_samples(user=user)
    assert not gallery_cards(client)
    Pipeline.objects.filter(name="Customer support").delete()
    assert list(gallery_cards(client)) == ["Customer support"]
    assert len(samples()) == 1 + Pipeline.objects.count()


def test_an_empty_list_mentions_each_sample_once(client):
    html = client.get(reverse("pipelines")).content.decode()
    for sample in samples().values():
        assert html.count(f">{sample.name}<") == 1
