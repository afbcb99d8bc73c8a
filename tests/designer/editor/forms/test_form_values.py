"""Properties of the inspector's forms: saving an unchanged form changes nothing."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    Agent,
    Group,
    InputFilter,
    PipelineDefinition,
    Stage,
    Transition,
)
from tests.designer.editor_page import as_shown, inspected
from tests.designer.editor_requests import chain, now, send
from tests.orchestration.part_strategies import agents, groups, json_objects, tool_names

PHASES = ("intake", "review", "resolution")
filters = (
    st.builds(InputFilter, keep=st.sampled_from(["full", "summary", "no_tools"]))
    | st.builds(InputFilter, keep=st.just("last"), count=st.integers(1, 1_000))
    | st.builds(InputFilter, keep=st.just("matching"), expression=st.sampled_from(["true", "x ("]))
)


def with_payload(schema: dict[str, Any], name: str, shows: InputFilter) -> PipelineDefinition:
    """Return a chain of stages with a payload between the first two."""
    definition = chain(*PHASES)
    transition = Transition(
        source="intake", target="review", input_schema=schema, tool_name=name, input_filter=shows
    )
    others = (t for t in definition.transitions if t.source != "intake")
    return definition.model_copy(update={"transitions": (transition, *others)})


def grouped(group: Group) -> PipelineDefinition:
    """Return a chain of stages with a group at the first."""
    definition = chain(*PHASES)
    stage = Stage(phase="intake", kind="group", group=group)
    others = (other for other in definition.stages if other.phase != "intake")
    return definition.model_copy(update={"stages": (stage, *others)})


class TestLaws(TestCase):
    """Properties; each example runs in its own transaction."""

    def setup_example(self) -> None:
        super().setup_example()
        self.user = User.objects.create(username="ada")
        self.client = Client()
        self.client.force_login(self.user)

    def save(self, pipeline: Pipeline, select: str, view: str, form: str) -> None:
        """Save a form as the page shows it."""
        html = inspected(self.client, pipeline, select=select)
        response = send(self.client, pipeline, view, **as_shown(html, form))
        assert response.status_code == 200

    @given(json_objects(), tool_names(), filters)
    @settings(max_examples=12)
    def test_saving_an_unchanged_payload_changes_nothing(
        self, schema: dict[str, Any], name: str, shows: InputFilter
    ) -> None:
        definition = with_payload(schema, name, shows)
        pipeline = import_definition(user=self.user, definition=definition)
        way = "transition:intake>review"
        self.save(pipeline, way, "update_payload", "payload-form")
        self.save(pipeline, way, "update_transition", "transition-form")
        self.save(pipeline, "stage:intake", "update_stage", "stage-form")
        assert now(pipeline) == definition

    @given(agents(st.just("agent-intake")))
    @settings(max_examples=12)
    def test_saving_an_unchanged_agent_changes_nothing(self, agent: Agent) -> None:
        typed_names = {
            "name": agent.name.strip() or "Ada",
            "instructions": agent.instructions.replace("\r\n", "\n").replace("\r", "\n"),
            "language": agent.language.strip(),
            "model": agent.model.strip(),
            "fallback_model": agent.fallback_model.strip(),
            "tools": tuple(dict.fromkeys(agent.tools)),
        }
        agent = agent.model_copy(update=typed_names)
        definition = chain(*PHASES)
        others = (other for other in definition.agents if other.id != agent.id)
        definition = definition.model_copy(update={"agents": (agent, *others)})
        pipeline = import_definition(user=self.user, definition=definition)
        before = now(pipeline)
        self.save(pipeline, "agent:agent-intake", "update_agent", "agent-form")
        assert now(pipeline) == before

    @given(groups())
    @settings(max_examples=12)
    def test_saving_an_unchanged_group_changes_nothing(self, group: Group) -> None:
        waited_for = {member: needed for member, needed in group.dependencies.items() if needed}
        group = group.model_copy(update={"dependencies": waited_for})
        pipeline = import_definition(user=self.user, definition=grouped(group))
        self.save(pipeline, "stage:intake", "update_stage", "stage-form")
        assert now(pipeline).stages_by_phase["intake"].group == group
