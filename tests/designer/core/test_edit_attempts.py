"""Attempts of an edit: reading and checking hold no lock, and no edit is overwritten."""

import contextvars
import sys

import pytest
from django.db import connection

from designer.core.edit_attempts import (
    MAX_ATTEMPTS,
    current_row,
    edit_action,
    preview_edit,
    writing,
)
from designer.core.edit_errors import GoneError, RefusedError, StaleEditError
from designer.core.undo import redo_edit, undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, rules, topology
from designer.pipelines.actions import duplicate_pipeline, import_definition, rename_pipeline
from designer.pipelines.sample_pipelines import create_samples
from designer.pipelines.settings import update_settings
from designer.pipelines.templates import save_template, use_template
from designer.pipelines.traces import open_trace
from designer.rehearsal.actions.break_points import mark_point
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.conversations import record_event, start_conversation
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.rehearsals import resend_message
from designer.versions import publish, restore_version
from orchestration.definition import Agent, Conditions, Position, Rule
from orchestration.messages import InboundMessage
from orchestration.runtime import TraceFile
from tests.designer.editor_requests import chain, draw, now
from tests.designer.leases import begin_run
from tests.designer.rehearsal.run_events import received, run_started

pytestmark = pytest.mark.django_db

SLOW_MODULES = (
    "orchestration.validation",
    "orchestration.runtime",
    "orchestration.conversation",
    "designer.definitions.reading",
    "designer.definitions.patch_application",
    "designer.core.subtask_pipelines",
    "designer.core.connection_issues",
)
"""Modules that read whole pipelines, run the rules or replay events."""


@pytest.fixture
def who(user):
    return {"pipeline": draw(user, "intake", "review"), "user": user}


def rename_by_others(who, name):
    """Rename the pipeline as another person does at the same time."""
    contextvars.Context().run(rename_pipeline, **who, name=name)


def test_an_edit_in_between_is_not_overwritten(who):
    names = []

    @edit_action
    def add_agents_named_like_the_pipeline():
        names.append(current_row(who["pipeline"]).name)
        if len(names) == 1:
            rename_by_others(who, "Desk")
        return agents.add_agent(**who, name=names[-1])

    change = add_agents_named_like_the_pipeline()
    assert names == ["Support", "Desk"]
    assert [agent.name for agent in now(who["pipeline"]).agents] == ["Desk", "Intake", "Review"]
    assert change.pipeline.version == 3


@pytest.mark.django_db(transaction=True)
def test_the_last_attempt_locks_before_it_reads(who):
    has_lock = []

    @edit_action
    def rename():
        pipeline = current_row(who["pipeline"])
        has_lock.append(connection.in_atomic_block)
        if not has_lock[-1]:
            rename_by_others(who, f"Desk {len(has_lock)}")
        with writing(pipeline):
            return pipeline.name

    assert rename() == f"Desk {MAX_ATTEMPTS - 1}"
    assert has_lock == [False] * (MAX_ATTEMPTS - 1) + [True]


def test_a_refusal_of_an_old_version_is_checked_again(who):
    names = []

    @edit_action
    def refuse_the_old_name():
        names.append(current_row(who["pipeline"]).name)
        if len(names) == 1:
            rename_by_others(who, "Desk")
            raise RefusedError("The name is old.")

    refuse_the_old_name()
    assert names == ["Support", "Desk"]


def test_a_preview_has_the_definition_of_the_edit_and_writes_nothing(who):
    before, pipeline = now(who["pipeline"]), who["pipeline"]
    change = preview_edit(lambda: agents.add_agent(**who, name="Clerk"))
    assert change.definition is not None
    assert "Clerk" in [agent.name for agent in change.definition.agents]
    assert now(pipeline) == before
    assert (pipeline.history.count(), pipeline.edits.count()) == (0, 0)
    with pytest.raises(TypeError, match="writes nothing"):
        preview_edit(lambda: writing(current_row(pipeline)).__enter__())


def test_a_preview_during_edits_by_others_is_repeated_and_then_refused(who):
    names = []

    def rename(count):
        names.append(current_row(who["pipeline"]).name)
        if len(names) <= count:
            rename_by_others(who, f"Desk {len(names)}")
        return agents.add_agent(**who, name=names[-1])

    change = preview_edit(lambda: rename(1))
    assert change.definition is not None
    assert change.definition.name == "Desk 1"
    with pytest.raises(StaleEditError):
        preview_edit(lambda: rename(100))


def test_a_deleted_pipeline_is_reported(who):
    pk = who["pipeline"].pk
    who["pipeline"].delete()
    who["pipeline"].pk = pk
    with pytest.raises(GoneError, match="has been deleted"):
        agents.add_agent(**who)


def rename_intake(who):
    intake = Agent(id="agent-desk", name="Desk")
    return agents.update_agent(**who, agent_id="agent-intake", agent=intake)


def rule_for_intake(who):
    rule = Rule(id="sms", agent_id="agent-intake", conditions=Conditions(channel_types=("sms",)))
    return rules.add_rule(**who, rule=rule)


def undo_and_redo(who):
    agents.add_agent(**who)
    undo_edit(**who)
    redo_edit(**who)


def use_saved_template(who):
    use_template(
        user=who["user"], template=save_template(**who, name="Template", description="Kept")
    )


def open_trace_file(who):
    trace = TraceFile("Trace", chain("intake"), "session", events=(run_started(), received(2)))
    open_trace(user=who["user"], trace=trace)


def record_run(who):
    conversation = start_conversation(**who)
    conversation.session = run_started().session_id
    conversation.save(update_fields=["session"])
    message = InboundMessage(id="message-1", text="Hello")
    command = put_command(conversation_id=conversation.pk, command=message)
    lease = begin_run(conversation_id=conversation.pk, event=run_started(), command=command)
    record_event(lease=lease, event=received(2))
    return conversation


def fork_rehearsal(who):
    conversation = record_run(who)
    fork_conversation(
        conversation, user=who["user"], after=2, definition=now(who["pipeline"]), name="Fork"
    )
    resend_message(conversation=conversation, seq=2, text="Hello again", user=who["user"])


def publish_and_restore(who):
    version = publish(**who, name="First", expected=None)
    agents.add_agent(**who)
    restore_version(**who, version=version)


ACTIONS = {
    "add an agent": lambda who: agents.add_agent(**who),
    "rename an agent": rename_intake,
    "add a rule": rule_for_intake,
    "move a stage": lambda who: topology.move_stages(**who, to={"intake": Position(x=1, y=2)}),
    "delete a stage": lambda who: topology.delete_parts(**who, phases=["intake"]),
    "change the settings": lambda who: update_settings(**who, settings=Settings(name="Desk")),
    "undo and redo": undo_and_redo,
    "duplicate": lambda who: duplicate_pipeline(**who),
    "import": lambda who: import_definition(user=who["user"], definition=chain("intake")),
    "create the samples": lambda who: create_samples(user=who["user"]),
    "save and use a template": use_saved_template,
    "open a trace": open_trace_file,
    "record a run": record_run,
    "fork": fork_rehearsal,
    "publish and restore a version": publish_and_restore,
    "mark a break point": lambda who: mark_point(
        conversation_id=start_conversation(**who).pk, point="intake", on=True
    ),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ACTIONS.values(), ids=ACTIONS.keys())
def test_reading_and_checking_come_before_the_write_transaction(who, act):
    calls = set()

    def note_call(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and connection.in_atomic_block and module.startswith(SLOW_MODULES):
            calls.add((module, frame.f_code.co_qualname))

    sys.setprofile(note_call)
    try:
        act(who)
    finally:
        sys.setprofile(None)
    assert not calls
