"""The payload of a handoff, as rows or as JSON."""

import json

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designer.editor.forms.payload import PayloadField, fields_of, schema_of
from designer.pipelines.actions import import_definition
from orchestration.definition import Stage
from tests.designer.editor_page import as_shown, field_error, inspected, payload_fields
from tests.designer.editor_requests import chain, draw, now, send, swapped

pytestmark = pytest.mark.django_db

TRANSITION = "intake>review"
NESTED = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object"}}},
    "additionalProperties": False,
}
REFUND = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["approve", "refuse"], "description": "Which"},
        "amount": {"type": "number"},
        "missing": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["decision", "amount"],
}


def with_payload(user, schema=None, **fields):
    """Create a pipeline of a chain of stages with a payload between the first two."""
    definition = chain("intake", "review", "resolution")
    first, *others = definition.transitions
    first = first.model_copy(update={"input_schema": schema, **fields})
    return import_definition(
        user=user, definition=definition.model_copy(update={"transitions": (first, *others)})
    )


@pytest.fixture
def pipeline(user):
    return with_payload(user)


def transition(pipeline):
    return now(pipeline).transitions_from["intake"][0]


def save(client, pipeline, *rows, **changes):
    return send(client, pipeline, "update_payload", **payload_fields(TRANSITION, *rows, **changes))


# Rows and schemas

lines = st.text(max_size=20).map(lambda text: " ".join(text.split())).filter(str.isprintable)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,20}", fullmatch=True)
rows = st.builds(
    PayloadField,
    name=names,
    type=st.sampled_from(["text", "number", "integer", "yes_no", "texts"]),
    description=lines,
    required=st.booleans(),
) | st.builds(
    PayloadField,
    name=names,
    type=st.just("choice"),
    choices=st.lists(lines.filter(bool), min_size=1, max_size=3).map(tuple),
    description=lines,
    required=st.booleans(),
)
scraps = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["string", "object", "a", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "required", "enum", "items", "description", "a", "b"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
schemas = st.dictionaries(
    st.sampled_from(["type", "properties", "required", "description", "$defs"]), scraps
)


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # names that differ are few
@given(st.lists(rows, max_size=4, unique_by=lambda row: row.name))
def test_fields_are_read_back_from_their_schema(said):
    assert fields_of(schema_of(said)) == tuple(said)


@given(schemas | st.lists(rows, max_size=3).map(schema_of).filter(bool))
def test_a_schema_has_rows_only_if_they_preserve_it(schema):
    shown = fields_of(schema)
    if shown is not None:
        again = schema_of(shown) or {}
        assert {**again, "required": sorted(again.get("required", []))} == {
            **schema,
            "required": sorted(schema.get("required", [])),
        }


@pytest.mark.parametrize(
    "odd",
    [
        {"properties": {"a b": {"type": "string"}}},
        {"properties": {"a": {"type": "string", "format": "date"}}},
        {"properties": {"a": {"type": "string", "description": "two\nlines"}}},
        {"properties": {"a": {"type": "string", "enum": []}}},
        {"properties": {"a": {"enum": ["x"]}}},
        {"properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
        {"properties": {"a": True}},
        {"properties": {}},
        {"title": "Refund", "properties": {"a": {"type": "string"}}},
        {"properties": {"a\n": {"type": "string"}}},
        {"properties": {f"n{n}": {"type": "string"} for n in range(51)}},
        {"properties": {"a": {"type": "string", "enum": [f"{'x' * 490}{n}" for n in range(70)]}}},
    ],
)
def test_a_schema_that_rows_cannot_express_stays_json(odd):
    assert fields_of({"type": "object", **odd}) is None


def test_the_order_of_required_names_makes_no_difference():
    turned = REFUND | {"required": ["amount", "decision"]}
    assert fields_of(turned) == fields_of(REFUND)


def test_rows_become_a_schema_and_the_preview_shows_its_tool(client, pipeline):
    choice = {"name": "decision", "type": "choice", "choices": "approve\r\nrefuse"}
    choice |= {"description": "Which", "required": "on"}
    amount = {"name": "amount", "type": "number", "required": "on"}
    missing = {"name": "missing", "type": "texts"}
    response = save(client, pipeline, choice, amount, missing)
    assert transition(pipeline).input_schema == REFUND
    assert list(transition(pipeline).input_schema["properties"]) == [
        "decision",
        "amount",
        "missing",
    ]
    assert {"model-sees", "edge-intake--review"} <= swapped(response)
    assert "transfer_to_agent_review(" in response.text
    send(client, pipeline, "undo")
    assert transition(pipeline).input_schema is None


def test_saving_an_unchanged_form_changes_and_renders_nothing(client, user):
    for schema in (None, REFUND, NESTED):
        pipeline = with_payload(user, schema, tool_name="pass_on" if schema else None)
        before = now(pipeline)
        html = inspected(client, pipeline, select=f"transition:{TRANSITION}")
        response = send(client, pipeline, "update_payload", **as_shown(html, "payload-form"))
        assert response.status_code == 200
        assert now(pipeline) == before
        assert "payload-form" not in swapped(response)
        assert not any(name.startswith("field-") for name in swapped(response))


def test_an_added_row_has_the_focus_and_is_ignored_without_a_name(client, pipeline):
    response = save(client, pipeline, add_row="1")
    assert "payload-form" in swapped(response)
    assert response.text.count(" autofocus") == 1
    assert transition(pipeline).input_schema is None
    response = save(client, pipeline, {})
    assert "payload-form" not in swapped(response)
    save(client, pipeline, {"name": "why"})
    assert transition(pipeline).input_schema == {
        "type": "object",
        "properties": {"why": {"type": "string"}},
    }


def test_an_invalid_row_can_be_removed_and_the_last_removes_the_tool(client, user):
    pipeline = with_payload(user, REFUND, tool_name="decide")
    save(client, pipeline, {"name": "why"}, {"name": "not a name"}, take_off="1")
    assert list(transition(pipeline).input_schema["properties"]) == ["why"]
    response = save(client, pipeline, {"name": "why"}, take_off="0", tool_name="decide")
    assert (transition(pipeline).input_schema, transition(pipeline).tool_name) == (None, None)
    assert "payload-form" in swapped(response)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"name": "1st"}, "name"),
        ({"description": "What for"}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": "why"}, "name"),
        ({"name": "a", "type": "choice"}, "choices"),
        ({"name": "a", "type": "object"}, "type"),
        ({"name": "a", "description": "x" * 501}, "description"),
        ({"name": "a", "description": "x\x00"}, "description"),
    ],
)
def test_an_invalid_row_has_its_error_beside_it_and_is_not_rendered_again(
    client, pipeline, row, field
):
    response = save(client, pipeline, {"name": "why"}, row)
    assert response.status_code == 422
    assert field_error(response, f"field-1-{field}")
    assert field_error(response, "field-0-name") == ""
    assert "payload-form" not in swapped(response)
    assert transition(pipeline).input_schema is None


def test_fields_above_the_maximum_are_refused(client, pipeline):
    response = save(client, pipeline, *({"name": f"n{n}"} for n in range(51)))
    assert response.status_code == 422
    assert "50" in field_error(response, "payload-form")


def test_unused_fields_of_a_row_are_ignored(client, pipeline):
    save(client, pipeline, {"name": "a", "type": "number", "choices": "x" * 40_000})
    assert transition(pipeline).input_schema["properties"] == {"a": {"type": "number"}}


def test_the_tool_has_a_custom_or_the_default_name(client, user):
    pipeline = with_payload(user, REFUND)
    assert 'placeholder="transfer_to_agent_review"' in inspected(
        client, pipeline, select=f"transition:{TRANSITION}"
    )
    save(client, pipeline, {"name": "why"}, tool_name="decide")
    assert transition(pipeline).tool_name == "decide"
    assert "decide(" in inspected(client, pipeline, select=f"transition:{TRANSITION}")
    response = save(client, pipeline, {"name": "why"}, tool_name="1 name")
    assert response.status_code == 422
    assert field_error(response, "tool_name")


def test_a_nested_schema_is_edited_as_json_and_survives_every_other_form(client, user):
    pipeline = with_payload(user, NESTED)
    html = inspected(client, pipeline, select=f"transition:{TRANSITION}")
    assert "As a JSON Schema" in html
    fields = as_shown(html, "transition-form", description="If asked")
    send(client, pipeline, "update_transition", **fields)
    stage = as_shown(inspected(client, pipeline, select="stage:intake"), "stage-form")
    send(client, pipeline, "update_stage", **stage | {"phase": "triage"})
    found = now(pipeline).transitions_from["triage"][0]
    assert (found.input_schema, found.description) == (NESTED, "If asked")


def test_a_json_schema_is_saved_unchanged_and_shown_as_json(client, pipeline):
    schema = json.dumps(REFUND)
    response = save(client, pipeline, written_as="json", schema=schema)
    assert transition(pipeline).input_schema == REFUND
    assert "field-i12345678-schema" in swapped(response)
    assert "payload-form" not in swapped(response)
    save(client, pipeline, written_as="json", schema="")
    assert transition(pipeline).input_schema is None


def test_rows_are_converted_to_json_and_back(client, user):
    pipeline = with_payload(user, REFUND)
    shown = inspected(client, pipeline, select=f"transition:{TRANSITION}")
    fields = as_shown(shown, "payload-form", write_as="json", token="i12345678")
    response = send(client, pipeline, "update_payload", **fields)
    assert "payload-form" in swapped(response)
    assert "As a JSON Schema" in response.text
    response = save(
        client, pipeline, written_as="json", schema=json.dumps(REFUND), write_as="fields"
    )
    assert 'value="decision"' in response.text
    assert transition(pipeline).input_schema == REFUND


def test_json_that_fields_cannot_express_stays_json(client, pipeline):
    schema = json.dumps(NESTED)
    response = save(client, pipeline, written_as="json", schema=schema, write_as="fields")
    assert response.status_code == 422
    assert "it stays JSON" in field_error(response, "schema")


@pytest.mark.parametrize("schema", ["[]", "{", '{"a": 1, "a": 2}', '"text"', '{"a": NaN}'])
def test_invalid_json_has_its_error_beside_it(client, pipeline, schema):
    response = save(client, pipeline, written_as="json", schema=schema)
    assert response.status_code == 422
    assert field_error(response, "schema")
    assert transition(pipeline).input_schema is None


def test_a_schema_with_an_issue_is_saved_and_shows_it(client, pipeline):
    schema = '{"type": "object", "properties": {"a": {"type": "txt"}}}'
    response = save(client, pipeline, written_as="json", schema=schema)
    assert response.status_code == 200
    assert "no type is called" in field_error(response, "payload-form")
    assert "no type is called" in inspected(client, pipeline, select=f"transition:{TRANSITION}")


def test_a_missing_transition_is_refused(client, pipeline):
    for subject in ("intake>gone", "gone", "", "a\x00b>c"):
        assert save(client, pipeline, {"name": "a"}, subject=subject).status_code == 409


def test_an_outdated_form_is_refused(client, pipeline):
    html = inspected(client, pipeline, select=f"transition:{TRANSITION}")
    opened = as_shown(html, "payload-form")
    save(client, pipeline, {"name": "mine"})
    response = send(client, pipeline, "update_payload", **opened)
    assert response.status_code == 412
    assert list(transition(pipeline).input_schema["properties"]) == ["mine"]


def test_without_htmx_it_is_saved_too(client, pipeline):
    url = reverse("update_payload", args=[pipeline.pk])
    response = client.post(url, payload_fields(TRANSITION, {"name": "why"}))
    assert response.status_code == 302
    assert transition(pipeline).input_schema is not None


def test_a_transition_without_a_handoff_tool_has_no_payload(client, user):
    pipeline = draw(user, "intake", "review")
    send(client, pipeline, "add_stage", kind="human", source="review")
    html = inspected(client, pipeline, select="transition:review>stage-1")
    assert "payload-form" not in html
    assert "The human sees the whole conversation." in html


def test_an_unused_payload_can_be_removed(client, user):
    definition = chain("intake", "review", topology="workflow")
    told_all_the_same = definition.transitions[0].model_copy(update={"input_schema": REFUND})
    pipeline = import_definition(
        user=user, definition=definition.model_copy(update={"transitions": (told_all_the_same,)})
    )
    html = inspected(client, pipeline, select=f"transition:{TRANSITION}")
    assert "The answer of intake is the input of review." in html
    assert "payload-form" in html
    save(client, pipeline)
    assert "payload-form" not in inspected(client, pipeline, select=f"transition:{TRANSITION}")


def test_a_group_has_no_handoff_payload(client, user):
    definition = chain("intake", "review")
    group = Stage(phase="intake", kind="group")
    stages = (group, *(stage for stage in definition.stages if stage.phase != "intake"))
    pipeline = import_definition(
        user=user, definition=definition.model_copy(update={"stages": stages})
    )
    html = inspected(client, pipeline, select=f"transition:{TRANSITION}")
    assert "review continues." in html
