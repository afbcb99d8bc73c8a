"""Actions on forks."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse

from designer.core.socket_messages import Withdraw, parse
from designer.models import Connection, Conversation, Membership, Pipeline
from designer.pipelines.actions import delete_pipeline
from designer.rehearsal.actions.conversations import NotRehearsableError
from designer.rehearsal.actions.forks import NotForkableError, fork_conversation
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition, Tool
from orchestration.events import SubtaskStarted
from orchestration.messages import SubtaskRequest
from tests.designer.live_conversations import make_conversation, make_pipeline, sample
from tests.designer.recorded_conversations import converse, find_seq, record_rehearsal, types

pytestmark = pytest.mark.django_db


@pytest.fixture
def origin(user) -> Conversation:
    """Conversation with two answered messages, the first with handoffs."""
    return record_rehearsal(user)


def without_stage(definition: PipelineDefinition, phase: str) -> PipelineDefinition:
    """Return a pipeline without a stage and its references."""
    body = definition.model_dump(mode="json", exclude_defaults=True)
    body["stages"] = [one for one in body["stages"] if one["phase"] != phase]
    body["transitions"] = [
        one for one in body["transitions"] if phase not in (one["source"], one["target"])
    ]
    body["layout"]["stages"].pop(phase, None)
    return PipelineDefinition.model_validate(body)


def test_a_fork_before_a_message_ends_with_the_previous_event(origin, user):
    second = find_seq(origin, "message.received", 1)
    fork = fork_conversation(origin, user=user, before=second)
    kept = find_seq(origin, "run.completed")
    assert types(fork) == types(origin)[:kept]
    assert (fork.forked_from, fork.forked_at, fork.last_seq) == (origin, kept, kept)
    assert (fork.run_id, fork.is_paused, fork.commands.count()) == ("", False, 0)
    assert fork.number == origin.number + 1


def test_a_fork_is_gone_on_with_as_its_origin_would_be(origin, user):
    fork = fork_conversation(origin, user=user, before=find_seq(origin, "message.received", 1))
    converse(fork, "No, thank you.")
    assert types(fork)[-1] == "run.completed"
    assert {event.session_id for event in fork.events()} == {origin.session_id}
    assert [event.seq for event in origin.events()] == list(range(1, origin.last_seq + 1))


def test_before_the_first_message_nothing_is_kept(origin, user):
    fork = fork_conversation(origin, user=user, before=find_seq(origin, "message.received"))
    assert types(fork) == []
    converse(fork, "Hello")
    assert types(fork)[-1] == "run.completed"


def test_a_fork_of_a_fork_keeps_the_conversation_of_the_first(origin, user):
    fork = fork_conversation(origin, user=user, after=find_seq(origin, "run.completed"))
    again = fork_conversation(fork, user=user, after=find_seq(fork, "run.completed"))
    assert (again.forked_from, again.session_id) == (fork, origin.session_id)
    assert types(again) == types(fork)


def test_in_the_middle_of_a_run_the_fork_stands_still_until_somebody_lets_it_go_on(origin, user):
    fork = fork_conversation(origin, user=user, after=find_seq(origin, "handoff.accepted"))
    assert fork.run_id == origin.events()[0].run_id
    assert fork.lease_until is not None
    [command] = fork.commands.all()
    assert (command.kind, command.by) == ("pause", user)


def test_a_fork_with_the_edited_pipeline_runs_that_one(origin, user):
    edited = sample("support").model_copy(update={"name": "Support, edited"})
    fork = fork_conversation(
        origin, user=user, after=find_seq(origin, "run.completed"), definition=edited, name="Edited"
    )
    assert fork.snapshot().name == "Support, edited"
    assert (fork.name, fork.pipeline_version) == ("Edited", origin.pipeline.version)
    assert origin.snapshot().name != "Support, edited"


def test_an_edited_pipeline_without_the_stage_of_that_moment_is_refused(origin, user):
    handed = find_seq(origin, "handoff.accepted")
    phase = origin.events()[handed - 1].to_phase
    edited = without_stage(sample("support"), phase)
    with pytest.raises(NotForkableError, match=f"in the stage '{phase}', which the pipeline no"):
        fork_conversation(origin, user=user, after=handed, definition=edited)
    assert Conversation.objects.count() == 1


def test_an_edited_pipeline_without_the_agent_of_that_moment_is_refused(origin, user):
    handed = find_seq(origin, "handoff.accepted")
    agent_id = origin.events()[handed - 1].to_agent
    body = sample("support").model_dump(mode="json", exclude_defaults=True)
    text = PipelineDefinition.model_validate(body).dump().replace(f'"{agent_id}"', '"agent-new"')
    edited = PipelineDefinition.model_validate_json(text)
    with pytest.raises(NotForkableError, match=f"'{agent_id}' had the conversation"):
        fork_conversation(origin, user=user, after=handed, definition=edited)


def test_before_that_stage_was_come_to_the_edited_pipeline_is_as_good(origin, user):
    edited = without_stage(sample("support"), "resolution")
    fork = fork_conversation(origin, user=user, before=1, definition=edited)
    assert types(fork) == []


def test_an_edited_pipeline_with_errors_is_refused_as_at_a_beginning(origin, user):
    broken = sample("support").model_copy(update={"entry": None})
    with pytest.raises(NotRehearsableError):
        fork_conversation(origin, user=user, before=1, definition=broken)


@pytest.fixture
def asks_of_gone(user) -> Conversation:
    """Conversation with agents that use a deleted connection."""
    definition = sample("support")
    agents = [one.model_copy(update={"provider": "gone"}) for one in definition.agents]
    Connection.objects.create(owner=user, name="gone", kind="ollama")
    origin = make_conversation(user, definition.model_copy(update={"agents": tuple(agents)}))
    converse(origin, "Hello")
    Connection.objects.all().delete()
    return origin


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_fork_with_a_missing_connection_does_not_start(asks_of_gone, user, is_edited):
    definition = asks_of_gone.snapshot() if is_edited else None
    with pytest.raises(NotRehearsableError, match="uses the provider 'gone', but you have no"):
        fork_conversation(asks_of_gone, user=user, before=1, definition=definition)
    assert Conversation.objects.count() == 1


@pytest.mark.parametrize(("runs", "when"), [("same", "was then"), ("edited", "is now")])
def test_the_page_of_a_fork_names_the_missing_connection(client, asks_of_gone, runs, when):
    page = reverse("fork", args=[asks_of_gone.pk, 1])
    response = client.post(page, {"where": "before", "runs": runs})
    assert response.status_code == 422
    assert f"cannot be rehearsed as it {when}: Agent" in response.content.decode()


def test_an_event_that_is_not_there_is_refused(origin, user):
    with pytest.raises(NotForkableError, match="There is no event 999 in this conversation"):
        fork_conversation(origin, user=user, after=999)


def test_a_trace_from_a_file_is_not_gone_on_with(origin, user):
    Conversation.objects.filter(pk=origin.pk).update(pipeline=None)
    origin.refresh_from_db()
    with pytest.raises(NotForkableError, match="opened from a file"):
        fork_conversation(origin, user=user, after=1)


def test_the_pause_that_a_fork_waits_in_can_be_withdrawn(origin, user):
    fork = fork_conversation(origin, user=user, after=find_seq(origin, "handoff.accepted"))
    asked = json.dumps({"op": "withdraw", "key": fork.commands.get().key})
    assert isinstance(parse(asked), Withdraw)


# The pipelines of subtasks

DIALOGUE = ("Plan a weekend in Lisbon", "Two of us", "Yes", "What is there to see?")


def without_subtasks(definition: PipelineDefinition, *tools: Tool) -> PipelineDefinition:
    """Return a pipeline with other tools for its first agent, and without subtasks."""
    kept = tuple(tool for tool in definition.tools if tool.kind != "subtask")
    names = {tool.name for tool in kept}
    agents = [
        agent.model_copy(update={"tools": tuple(one for one in agent.tools if one in names)})
        for agent in definition.agents
    ]
    first = agents[0].model_copy(
        update={"tools": (*agents[0].tools, *(tool.name for tool in tools))}
    )
    changes = {"agents": (first, *agents[1:]), "tools": (*kept, *tools)}
    return PipelineDefinition.model_validate(definition.model_copy(update=changes).model_dump())


def request_of(conversation: Conversation) -> SubtaskRequest:
    """Return the request of the first subtask with a pipeline."""
    asked = (event for event in conversation.events() if isinstance(event, SubtaskStarted))
    return next(event.request for event in asked if event.request is not None)


def test_a_fork_in_an_edited_pipeline_finds_the_pipelines_of_its_old_subtasks(user):
    """Contract T-9: the fork shows their agents' names and their models' requests."""
    origin = record_rehearsal(user, *DIALOGUE, name="weekend-trip")
    edited = without_subtasks(origin.snapshot())
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=edited)
    found = fork.pipeline_for(request_of(fork))
    assert found is not None
    assert found.name == "City guide"
    again = fork_conversation(fork, user=user, after=fork.last_seq, definition=edited)
    assert again.pipeline_for(request_of(again)) == found


def test_a_fork_before_any_subtask_keeps_no_pipeline_that_it_does_not_run(user):
    origin = record_rehearsal(user, *DIALOGUE, name="weekend-trip")
    edited = without_subtasks(origin.snapshot())
    before = find_seq(origin, "message.received")
    fork = fork_conversation(origin, user=user, before=before, definition=edited)
    assert fork.subtask_definitions == []


def test_a_fork_runs_the_pipelines_of_now_and_none_that_it_only_tells_of(user):
    """The hints of a tool would match the deleted pipeline of the origin."""
    origin = record_rehearsal(user, *DIALOGUE, name="weekend-trip")
    request = request_of(origin)
    ran = origin.pipeline_for(request)
    assert ran is not None
    for row in Pipeline.objects.filter(name=ran.name):
        delete_pipeline(pipeline=row)
    other = ran.model_copy(update={"name": "Guide", "description": f"Not the {ran.name}."})
    make_pipeline(user, other)
    words = tuple(ran.name.split())
    tool = Tool(name="find_out", kind="subtask", template_hints=words)
    edited = without_subtasks(origin.snapshot(), tool)
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=edited)
    by_hints = SubtaskRequest(type="find_out", template_hints=words)
    assert find_template(by_hints, [ran, other]) is ran
    assert fork.pipeline_for(by_hints) == other


def test_the_migration_closes_old_forks_to_others_and_finds_their_pipelines(user, other_user):
    """Behaviour of migration 0012."""
    origin = record_rehearsal(user, *DIALOGUE, name="weekend-trip")
    request = request_of(origin)
    edited = without_subtasks(origin.snapshot())
    fork = fork_conversation(origin, user=user, after=origin.last_seq, definition=edited)
    of_fork = fork_conversation(fork, user=user, after=fork.last_seq, definition=edited)
    before = find_seq(origin, "message.received")
    harmless = fork_conversation(origin, user=user, before=before, definition=edited)
    for row in (fork, of_fork, harmless):  # as they were made then
        row.subtask_pipelines.all().delete()
        Conversation.objects.filter(pk=row.pk).update(subtask_definitions=[])
    assert origin.pipeline is not None
    Membership.objects.create(pipeline=origin.pipeline, user=other_user, role="editor")
    ours = Conversation.objects.filter(pk__in=[fork.pk, of_fork.pk, harmless.pk])
    assert set(Conversation.objects.of(other_user)) == {fork, of_fork, harmless}

    migration = import_module("designer.migrations.0012_forks_that_tell_of_subtasks")
    migration.close_and_complete(apps, None)

    assert set(Conversation.objects.of(other_user)) == {harmless}
    assert set(Conversation.objects.of(user)) >= set(ours)
    for row in ours.exclude(pk=harmless.pk):
        assert row.pipeline_for(request) == origin.pipeline_for(request)
    assert ours.get(pk=harmless.pk).subtask_definitions == []
