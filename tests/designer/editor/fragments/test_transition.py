"""The forms of a transition and its effect."""

import pytest

from designer.editor.fragments.transition import transition, transition_effect
from orchestration.definition import InputFilter, Stage
from tests.designer.editor_requests import chain

SCHEMA = {"type": "object", "properties": {"why": {"type": "string"}}}


@pytest.mark.parametrize(
    ("topology", "place", "text"),
    [
        ("pipeline", 0, ""),
        ("swarm", 0, ""),
        ("workflow", 0, "The answer of intake is the input of review."),
        ("team", 0, "The lead in intake delegates to review and receives the answer."),
        ("team", 1, "In a team only the entry delegates: this transition is ignored."),
    ],
)
def test_the_effect_depends_on_the_topology(topology, place, text):
    definition = chain("intake", "review", "end", topology=topology)
    assert transition_effect(definition, definition.transitions[place])["use"] == text


def test_a_transition_to_a_human_shows_the_whole_conversation():
    definition = chain("intake", "review")
    stages = (definition.stages[0], Stage(phase="review", kind="human"))
    effect = transition_effect(
        definition.model_copy(update={"stages": stages}), definition.transitions[0]
    )
    assert effect["use"] == "The human sees the whole conversation."
    assert not effect["has_payload"]


def test_unused_settings_are_shown_while_they_have_values():
    definition = chain("intake", "review", topology="workflow")
    [edge] = definition.transitions
    effect = transition_effect(definition, edge)
    assert (effect["has_payload"], effect["is_filtered"]) == (False, False)
    typed = edge.model_copy(update={"input_schema": SCHEMA})
    assert transition_effect(definition, typed)["has_payload"]
    filtered = edge.model_copy(update={"input_filter": InputFilter(keep="summary")})
    assert transition_effect(definition, filtered)["is_filtered"]


@pytest.mark.parametrize(
    ("schema", "rows"), [(SCHEMA, True), ({"type": "object", "minProperties": 1}, False)]
)
def test_a_payload_has_rows_unless_its_schema_needs_json(schema, rows):
    definition = chain("intake", "review")
    edge = definition.transitions[0].model_copy(update={"input_schema": schema})
    definition = definition.model_copy(update={"transitions": (edge,)})
    context = transition(definition, edge, "i12345678", ())
    assert (context["rows"] is not None) == rows
    assert context["stage"].phase == "intake"
