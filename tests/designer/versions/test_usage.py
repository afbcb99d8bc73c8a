"""Conversations of the last 30 days that used a removed part."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.models import Conversation
from designer.versions.usage import RemovedPartUsage, usage_of_removed_parts
from orchestration.definition import PipelineDefinition
from orchestration.difference import difference

pytestmark = pytest.mark.django_db


def without(definition: PipelineDefinition, kind: str, key: str) -> PipelineDefinition:
    """Return the definition without a part, for a comparison only."""
    keys = {"stages": "phase", "agents": "id", "rules": "id", "tools": "name"}
    parts = tuple(part for part in getattr(definition, kind) if getattr(part, keys[kind]) != key)
    return definition.model_copy(update={kind: parts})


@pytest.fixture
def taken(recorded) -> tuple[str, str]:
    """The first handoff of the recorded conversation."""
    body = recorded.recorded_events.filter(type="handoff.accepted").first().body
    return body["from_phase"], body["to_phase"]


def count(user, conversation: Conversation, after: PipelineDefinition) -> RemovedPartUsage | None:
    assert conversation.pipeline is not None
    changes = difference(conversation.snapshot(), after)
    return usage_of_removed_parts(user, conversation.pipeline, changes)


def test_a_removed_transition_that_was_taken_counts(user, recorded, taken):
    before = recorded.snapshot()
    kept = tuple(each for each in before.transitions if (each.source, each.target) != taken)
    after = before.model_copy(update={"transitions": kept})
    assert count(user, recorded, after) == RemovedPartUsage(1, 1, is_complete=True)


def test_removed_stages_agents_and_tools_that_were_used_count(user, recorded, taken):
    before = recorded.snapshot()
    agent = before.stages_by_phase[taken[1]].agent_id
    call = recorded.recorded_events.filter(type="tool.called").first().body["call"]["name"]
    parts = {"stages": taken[1], "agents": agent, "tools": call}
    for kind, key in parts.items():
        usage = count(user, recorded, without(before, kind, key))
        assert usage == RemovedPartUsage(1, 1, is_complete=True), kind


def test_an_unused_part_counts_nothing(user, recorded):
    before = recorded.snapshot()
    unused = before.stages[0].model_copy(update={"phase": "unused"})
    with_unused = before.model_copy(update={"stages": (*before.stages, unused)})
    changes = difference(with_unused, before)
    assert usage_of_removed_parts(user, recorded.pipeline, changes) == RemovedPartUsage(0, 1, True)


def test_without_a_removed_part_nothing_is_counted(user, recorded):
    assert count(user, recorded, recorded.snapshot()) is None


def test_conversations_before_the_last_30_days_do_not_count(user, recorded, taken):
    Conversation.objects.update(created=timezone.now() - timedelta(days=31))
    after = without(recorded.snapshot(), "stages", taken[1])
    assert count(user, recorded, after) == RemovedPartUsage(0, 0, is_complete=True)


def test_conversations_of_others_do_not_count(other_user, recorded, taken):
    after = without(recorded.snapshot(), "stages", taken[1])
    assert count(other_user, recorded, after) == RemovedPartUsage(0, 0, is_complete=True)
