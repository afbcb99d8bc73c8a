"""Selection of the definition for each way to start a run, in each state of the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError
from django.urls import reverse

from designer.definitions import Settings
from designer.management.definition_sources import find_definition
from designer.models import Conversation, Pipeline, Version
from designer.pipelines.settings import update_settings
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.actions.forks import fork_conversation
from designer.versions import (
    UnknownVersionError,
    publish,
    restore_version,
    roll_back,
    select_definition,
)
from tests.designer.editor_requests import draw
from tests.designer.recorded_conversations import converse

pytestmark = pytest.mark.django_db

STATES = {
    "draft edited": ("edited", "one", None),
    "published": ("edited", "edited", 2),
    "promoted": ("edited", "edited", 2),
    "rolled back": ("edited", "one", None),
    "restored": ("one", "edited", None),
}
"""Descriptions of the draft and of the live version in each state."""


@pytest.fixture
def pipeline(user) -> Pipeline:
    """A pipeline whose first version is live and has the description `one`."""
    row = describe(draw(user, "intake", "review"), user, "one")
    publish(pipeline=row, user=user, name="First")
    return row


def describe(pipeline: Pipeline, user: Any, text: str) -> Pipeline:
    settings = Settings(description=text)
    return update_settings(pipeline=pipeline, user=user, settings=settings).pipeline


def reach(state: str, pipeline: Pipeline, user: Any) -> Pipeline:
    """Bring the pipeline into a state; the draft was edited in each of them."""
    pipeline = describe(pipeline, user, "edited")
    if state != "draft edited":
        publish(pipeline=pipeline, user=user, name="Second", expected=1)
    if state == "rolled back":
        roll_back(pipeline=pipeline, user=user, expected=2)
    if state == "restored":
        first = pipeline.versions.get(number=1)
        pipeline = restore_version(pipeline=pipeline, version=first, user=user).pipeline
    return pipeline


def by_action(pipeline: Pipeline, user: Any, client: Any, choice: str) -> str:
    row = start_conversation(pipeline=pipeline, user=user, choice=choice)
    return row.snapshot().description


def by_page(pipeline: Pipeline, user: Any, client: Any, choice: str) -> str:
    path = reverse("conversation_create", args=[pipeline.pk])
    assert client.post(path, {"start_version": choice}).status_code == 302
    return Conversation.objects.latest("pk").snapshot().description


def by_command(pipeline: Pipeline, user: Any, client: Any, choice: str) -> str:
    return find_definition(f"{pipeline.pk}@{choice}")[0].description


def by_slug(pipeline: Pipeline, user: Any, client: Any, choice: str) -> str:
    return find_definition(f"{pipeline.name.lower().replace(' ', '-')}@{choice}")[0].description


def by_fork(pipeline: Pipeline, user: Any, client: Any, choice: str) -> str:
    """A fork keeps the definition of its origin, also after a later edit."""
    origin = converse(start_conversation(pipeline=pipeline, user=user, choice=choice), "Hello")
    now = describe(pipeline, user, "later")
    fork = fork_conversation(origin, user=user, after=origin.last_seq)
    assert fork.version_label == origin.version_label
    describe(now, user, pipeline.description)
    return fork.snapshot().description


WAYS = (by_action, by_page, by_command, by_slug, by_fork)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("start", WAYS)
def test_each_way_to_start_a_run_gets_the_chosen_definition(
    state: str, start: Callable[..., str], pipeline: Pipeline, user: Any, client: Any
) -> None:
    pipeline = reach(state, pipeline, user)
    draft, live, _ = STATES[state]
    assert start(pipeline, user, client, "live") == live
    assert start(pipeline, user, client, "1") == "one"
    assert start(pipeline, user, client, "draft") == draft


@pytest.mark.parametrize("state", STATES)
def test_a_fork_on_the_current_pipeline_gets_the_draft(
    state: str, pipeline: Pipeline, user: Any
) -> None:
    origin = converse(start_conversation(pipeline=pipeline, user=user, choice="1"), "Hello")
    pipeline = reach(state, pipeline, user)
    draft = select_definition(pipeline).definition
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=draft)
    assert fork.snapshot().description == STATES[state][0]
    assert fork.version_label.startswith("draft")
    assert origin.version_label == "v1"


def test_a_conversation_shows_its_version_of_the_pipeline(user, pipeline):
    labels = []
    for choice in ("draft", "live", "1"):
        row = start_conversation(pipeline=pipeline, user=user, choice=choice)
        labels.append(row.version_label)
    pipeline = describe(pipeline, user, "another")
    pipeline = describe(pipeline, user, "")
    row = start_conversation(pipeline=pipeline, user=user)
    assert [*labels, row.version_label] == ["draft", "v1", "v1", "draft + 2 edits"]


def test_an_unknown_version_is_refused_with_one_sentence(user, client, pipeline):
    for choice in ("7", "v7", "older", "-1"):
        with pytest.raises(UnknownVersionError, match="has no version"):
            select_definition(pipeline, choice)
    with pytest.raises(CommandError, match="has no version “7”"):
        find_definition(f"{pipeline.pk}@7")
    other = draw(user, "intake")
    with pytest.raises(UnknownVersionError, match="has no live version"):
        select_definition(other, "live")
    path = reverse("conversation_create", args=[pipeline.pk])
    page = client.post(path, {"start_version": "7"}, follow=True)
    assert "has no version “7”" in page.text
    assert not Conversation.objects.exists()


def test_a_version_of_another_pipeline_is_not_found(user, pipeline):
    other = draw(user, "intake")
    assert Version.objects.filter(pipeline=pipeline).exists()
    with pytest.raises(UnknownVersionError):
        select_definition(other, "1")
