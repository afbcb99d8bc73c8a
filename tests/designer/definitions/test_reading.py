"""Reading: definitions and parts are read as they were written, and undo restores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from designer import definitions
from designer.core.edit_errors import EditError
from designer.core.edits import HISTORY_DEPTH, make_edit
from designer.core.undo import last_edit, next_edit, redo_edit, undo_edit
from designer.definitions.patches import Patch, Settings
from designer.editor.actions import agents, stages, topology
from designer.editor.actions import rules as routing
from designer.editor.actions import tools as tool_actions
from designer.models import Edit, Pipeline
from designer.pipelines.actions import import_definition
from designer.pipelines.settings import update_settings
from orchestration.definition import (
    Agent,
    Cue,
    Limits,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    Transition,
)
from tests.orchestration.part_strategies import FEW, keys
from tests.orchestration.strategies import storable_definitions


def stored(definition: PipelineDefinition, user: User) -> Pipeline:
    pipeline = Pipeline.objects.create(owner=user, name=definition.name)
    definitions.write(pipeline, Patch.of(definition))
    return pipeline


def now(pipeline: Pipeline) -> PipelineDefinition:
    return definitions.read(Pipeline.objects.get(pk=pipeline.pk))


class TestLaws(TestCase):
    """Properties; each example runs in its own transaction."""

    def setup_example(self) -> None:
        super().setup_example()
        self.user = User.objects.create(username="ada")

    @given(storable_definitions())
    @settings(max_examples=12)
    def test_a_written_definition_is_read_unchanged(self, definition: PipelineDefinition) -> None:
        assert now(stored(definition, self.user)) == definition

    @given(storable_definitions())
    @settings(max_examples=12)
    def test_parts_read_alone_make_the_whole_definition(
        self, definition: PipelineDefinition
    ) -> None:
        whole_patch = Patch.of(definition)
        pipeline = stored(definition, self.user)
        assert definitions.read_parts(pipeline, whole_patch).definition() == definition

    @given(storable_definitions(), storable_definitions())
    @settings(max_examples=12)
    def test_any_edit_can_be_undone_and_redone(
        self, old: PipelineDefinition, new: PipelineDefinition
    ) -> None:
        pipeline = stored(old, self.user)
        patch = Patch.between(old, new)
        change = make_edit(pipeline=pipeline, user=self.user, label="Change all", patch=patch)
        assert change.made == (old != new)
        assert now(pipeline) == new
        undo_edit(pipeline=pipeline, user=self.user)
        assert now(pipeline) == old
        redo_edit(pipeline=pipeline, user=self.user)
        assert now(pipeline) == new

    @given(storable_definitions(), st.data())
    @settings(max_examples=12)
    def test_any_sequence_of_actions_can_be_undone_and_redone(
        self, definition: PipelineDefinition, data: st.DataObject
    ) -> None:
        pipeline = import_definition(user=self.user, definition=definition)
        first = now(pipeline)
        for act in data.draw(st.lists(actions(), max_size=12)):
            try:
                act(pipeline=pipeline, user=self.user)
            except EditError:
                continue
            now(pipeline)
        last = now(pipeline)

        while undo_edit(pipeline=pipeline, user=self.user):
            pass
        assert now(pipeline) == first
        while redo_edit(pipeline=pipeline, user=self.user):
            pass
        assert now(pipeline) == last


Act = Callable[..., Any]


def actions() -> st.SearchStrategy[Act]:
    """Generate actions with arguments; most of the parts exist."""
    key = keys()
    few = st.sampled_from(FEW)
    position = st.builds(Position, x=st.integers(-999, 999), y=st.integers(-999, 999))
    maybe = st.none() | few
    values = st.builds(
        stages.StageValues,
        phase=key,
        kind=st.sampled_from(["agent", "group", "human"]),
        agent_id=maybe,
        new_agent=st.sampled_from(["", "", "Billing", "Ä"]),
        next_phase=maybe,
        returns=st.lists(few, max_size=2, unique=True).map(tuple),
        description=st.sampled_from(["", "Asks."]),
    )
    agent = st.builds(Agent, id=key, name=st.just("Someone"))
    actions: list[tuple[Act, dict[str, st.SearchStrategy[Any]]]] = [
        (topology.add_stage, {"at": st.none() | position, "source": maybe, "agent_id": maybe}),
        (topology.move_stages, {"to": st.dictionaries(few, position, min_size=1, max_size=3)}),
        (topology.move_supervisor, {"to": position}),
        (topology.connect, {"source": few, "target": few}),
        (
            topology.update_transition,
            {
                "key": st.builds(lambda a, b: f"{a}>{b}", few, few),
                "kind": st.sampled_from(["next", "return"]),
                "description": st.sampled_from(["", "When done"]),
            },
        ),
        (topology.delete_parts, {"phases": st.lists(few, max_size=2)}),
        (stages.update_stage, {"phase": few, "values": values}),
        (agents.add_agent, {"name": st.sampled_from(["", "Triage", "human"])}),
        (agents.update_agent, {"agent_id": few, "agent": agent}),
        (agents.update_cues, {"agent_id": few, "cues": st.just((Cue(say="Hello"),))}),
        (agents.delete_agent, {"agent_id": few}),
        (tool_actions.add_tool, {}),
        (tool_actions.update_tool, {"name": st.just("lookup"), "tool": st.just(Tool(name="find"))}),
        (tool_actions.delete_tool, {"name": st.sampled_from(["lookup", "find", "refund"])}),
        (routing.add_rule, {"rule": st.builds(Rule, id=key, agent_id=few)}),
        (routing.update_rule, {"key": few, "rule": st.builds(Rule, id=key, agent_id=few)}),
        (routing.delete_rule, {"key": few}),
        (
            update_settings,
            {
                "settings": st.builds(
                    Settings,
                    name=st.just("Renamed"),
                    entry=maybe,
                    supervisor_id=maybe,
                    limits=st.just(Limits(max_turns=3)),
                )
            },
        ),
    ]
    return st.one_of([_bound(action, arguments) for action, arguments in actions])


def _bound(action: Act, arguments: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Act]:
    def bind(values: dict[str, Any]) -> Act:
        return lambda **who: action(**who, **values)

    return st.fixed_dictionaries(arguments).map(bind)


def test_a_payloads_schema_keeps_the_order_of_its_author_through_rows_and_undo(user: User) -> None:
    fields = {"zip": {"type": "string"}, "amount": {"type": "integer"}, "again": {}}
    transition = Transition(
        source="a", target="a", input_schema={"type": "object", "properties": fields}
    )
    definition = PipelineDefinition(name="P", stages=(Stage(phase="a"),), transitions=(transition,))
    pipeline = stored(definition, user)
    assert now(pipeline).dump() == definition.dump()
    make_edit(pipeline=pipeline, user=user, label="Cut", patch=Patch(transitions={"a>a": None}))
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline).dump() == definition.dump()


def test_an_edit_without_changes_is_not_recorded(user: User) -> None:
    definition = PipelineDefinition(name="P", stages=(Stage(phase="a"),))
    pipeline = stored(definition, user)
    patch = Patch(stages={"a": Stage(phase="a")})
    change = make_edit(pipeline=pipeline, user=user, label="Nothing", patch=patch)
    assert not change.made
    assert change.pipeline.version == pipeline.version
    assert last_edit(pipeline=pipeline, user=user) is None


def test_a_new_edit_clears_the_redo_steps(user: User) -> None:
    pipeline = stored(PipelineDefinition(name="P"), user)
    topology.add_stage(pipeline=pipeline, user=user)
    undo_edit(pipeline=pipeline, user=user)
    assert next_edit(pipeline=pipeline, user=user)
    agents.add_agent(pipeline=pipeline, user=user)
    assert next_edit(pipeline=pipeline, user=user) is None


def test_a_hundred_edits_are_kept(user: User) -> None:
    pipeline = stored(PipelineDefinition(name="P", stages=(Stage(phase="a"),)), user)
    for x in range(HISTORY_DEPTH + 3):
        to = {"a": Position(x=x, y=0)}
        topology.move_stages(pipeline=pipeline, user=user, to=to)
    assert Edit.objects.filter(pipeline=pipeline).count() == HISTORY_DEPTH
