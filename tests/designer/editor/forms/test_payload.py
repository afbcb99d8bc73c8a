"""What the target of a handoff needs to be told: in rows, or as JSON where rows cannot say it."""

import json

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designer.editor.forms.payload import PayloadField, fields_of, schema_of
from designer.pipelines.actions import import_definition
from orchestration.definition import Stage
from tests.designer.editor_page import as_shown, inspected, payload_fields, told
from tests.designer.editor_requests import chain, draw, now, send, swapped

pytestmark = pytest.mark.django_db

WAY = "intake>review"
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


def drawn(user, schema=None, **said):
    """Stages in a row; what the second is told by the first."""
    definition = chain("intake", "review", "resolution")
    ways = [
        way.model_copy(update={"input_schema": schema, **said}) if way.source == "intake" else way
        for way in definition.transitions
    ]
    return import_definition(
        user=user, definition=definition.model_copy(update={"transitions": tuple(ways)})
    )


@pytest.fixture
def pipeline(user):
    return drawn(user)


def way(pipeline):
    return now(pipeline).transitions_from["intake"][0]


def save(client, pipeline, *rows, **changes):
    return send(client, pipeline, "update_payload", **payload_fields(WAY, *rows, **changes))


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
def test_what_rows_say_is_read_back_as_the_same_rows(said):
    assert fields_of(schema_of(said)) == tuple(said)


@given(schemas | st.lists(rows, max_size=3).map(schema_of).filter(bool))
def test_rows_are_shown_for_no_schema_that_they_would_change(schema):
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
def test_what_rows_cannot_say_stays_json(odd):
    assert fields_of({"type": "object", **odd}) is None


def test_the_order_of_required_names_makes_no_difference():
    turned = REFUND | {"required": ["amount", "decision"]}
    assert fields_of(turned) == fields_of(REFUND)


# The form


def test_rows_become_a_schema_and_the_preview_shows_its_tool(client, pipeline):
    choice = {"name": "decision", "type": "choice", "choices": "approve\r\nrefuse"}
    choice |= {"description": "Which", "required": "on"}
    amount = {"name": "amount", "type": "number", "required": "on"}
    missing = {"name": "missing", "type": "texts"}
    response = save(client, pipeline, choice, amount, missing)
    assert way(pipeline).input_schema == REFUND
    assert list(way(pipeline).input_schema["properties"]) == ["decision", "amount", "missing"]
    assert {"model-sees", "edge-intake--review"} <= swapped(response)
    assert "transfer_to_agent_review(" in response.text
    send(client, pipeline, "undo")
    assert way(pipeline).input_schema is None


def test_a_form_that_is_saved_as_it_is_shown_changes_nothing_and_is_left_alone(client, user):
    for schema in (None, REFUND, NESTED):
        pipeline = drawn(user, schema, tool_name="pass_on" if schema else None)
        before = now(pipeline)
        html = inspected(client, pipeline, select=f"transition:{WAY}")
        response = send(client, pipeline, "update_payload", **as_shown(html, "payload-form"))
        assert response.status_code == 200
        assert now(pipeline) == before
        assert "payload-form" not in swapped(response)
        assert not any(name.startswith("field-") for name in swapped(response))


def test_a_row_is_added_with_the_focus_and_says_nothing_until_it_has_a_name(client, pipeline):
    response = save(client, pipeline, add_row="1")
    assert "payload-form" in swapped(response)
    assert response.text.count(" autofocus") == 1
    assert way(pipeline).input_schema is None
    response = save(client, pipeline, {})
    assert "payload-form" not in swapped(response)
    save(client, pipeline, {"name": "why"})
    assert way(pipeline).input_schema == {
        "type": "object",
        "properties": {"why": {"type": "string"}},
    }


def test_a_row_is_taken_off_even_a_faulty_one_and_the_last_takes_the_tool_along(client, user):
    pipeline = drawn(user, REFUND, tool_name="decide")
    save(client, pipeline, {"name": "why"}, {"name": "not a name"}, take_off="1")
    assert list(way(pipeline).input_schema["properties"]) == ["why"]
    response = save(client, pipeline, {"name": "why"}, take_off="0", tool_name="decide")
    assert (way(pipeline).input_schema, way(pipeline).tool_name) == (None, None)
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
def test_a_row_that_cannot_be_is_told_beside_it_and_nothing_is_drawn_anew(
    client, pipeline, row, field
):
    response = save(client, pipeline, {"name": "why"}, row)
    assert response.status_code == 422
    assert told(response, f"field-1-{field}")
    assert told(response, "field-0-name") == ""
    assert "payload-form" not in swapped(response)
    assert way(pipeline).input_schema is None


def test_more_fields_than_fifty_are_refused(client, pipeline):
    response = save(client, pipeline, *({"name": f"n{n}"} for n in range(51)))
    assert response.status_code == 422
    assert "50" in told(response, "payload-form")


def test_what_a_row_has_no_use_for_is_no_matter(client, pipeline):
    save(client, pipeline, {"name": "a", "type": "number", "choices": "x" * 40_000})
    assert way(pipeline).input_schema["properties"] == {"a": {"type": "number"}}


def test_the_tool_has_a_name_of_its_own_or_the_usual_one(client, user):
    pipeline = drawn(user, REFUND)
    assert 'placeholder="transfer_to_agent_review"' in inspected(
        client, pipeline, select=f"transition:{WAY}"
    )
    save(client, pipeline, {"name": "why"}, tool_name="decide")
    assert way(pipeline).tool_name == "decide"
    assert "decide(" in inspected(client, pipeline, select=f"transition:{WAY}")
    response = save(client, pipeline, {"name": "why"}, tool_name="no name")
    assert response.status_code == 422
    assert told(response, "tool_name")


# JSON


def test_a_nested_schema_is_edited_as_json_and_survives_every_other_form(client, user):
    pipeline = drawn(user, NESTED)
    html = inspected(client, pipeline, select=f"transition:{WAY}")
    assert "As a JSON Schema" in html
    fields = as_shown(html, "transition-form", description="If asked")
    send(client, pipeline, "update_transition", **fields)
    stage = as_shown(inspected(client, pipeline, select="stage:intake"), "stage-form")
    send(client, pipeline, "update_stage", **stage | {"phase": "triage"})
    found = now(pipeline).transitions_from["triage"][0]
    assert (found.input_schema, found.description) == (NESTED, "If asked")


def test_json_is_kept_as_it_was_meant_and_shown_as_json_still(client, pipeline):
    schema = json.dumps(REFUND)
    response = save(client, pipeline, written_as="json", schema=schema)
    assert way(pipeline).input_schema == REFUND
    assert "field-i12345678-schema" in swapped(response)
    assert "payload-form" not in swapped(response)
    save(client, pipeline, written_as="json", schema="")
    assert way(pipeline).input_schema is None


def test_one_way_of_writing_turns_into_the_other_and_back(client, user):
    pipeline = drawn(user, REFUND)
    shown = inspected(client, pipeline, select=f"transition:{WAY}")
    fields = as_shown(shown, "payload-form", write_as="json", token="i12345678")
    response = send(client, pipeline, "update_payload", **fields)
    assert "payload-form" in swapped(response)
    assert "As a JSON Schema" in response.text
    response = save(
        client, pipeline, written_as="json", schema=json.dumps(REFUND), write_as="fields"
    )
    assert 'value="decision"' in response.text
    assert way(pipeline).input_schema == REFUND


def test_json_that_fields_cannot_say_stays_json(client, pipeline):
    schema = json.dumps(NESTED)
    response = save(client, pipeline, written_as="json", schema=schema, write_as="fields")
    assert response.status_code == 422
    assert "it stays JSON" in told(response, "schema")


@pytest.mark.parametrize("schema", ["[]", "{", '{"a": 1, "a": 2}', '"text"', '{"a": NaN}'])
def test_json_that_cannot_be_is_told_beside_it(client, pipeline, schema):
    response = save(client, pipeline, written_as="json", schema=schema)
    assert response.status_code == 422
    assert told(response, "schema")
    assert way(pipeline).input_schema is None


def test_a_schema_that_the_rules_refuse_is_kept_and_told_in_the_form(client, pipeline):
    schema = '{"type": "object", "properties": {"a": {"type": "txt"}}}'
    response = save(client, pipeline, written_as="json", schema=schema)
    assert response.status_code == 200
    assert "no type is called" in told(response, "payload-form")
    assert "no type is called" in inspected(client, pipeline, select=f"transition:{WAY}")


# Where nothing is told


def test_a_transition_that_is_gone_is_a_sentence(client, pipeline):
    for subject in ("intake>gone", "gone", "", "a\x00b>c"):
        assert save(client, pipeline, {"name": "a"}, subject=subject).status_code == 409


def test_a_form_on_stale_ground_is_refused(client, pipeline):
    html = inspected(client, pipeline, select=f"transition:{WAY}")
    opened = as_shown(html, "payload-form")
    save(client, pipeline, {"name": "mine"})
    response = send(client, pipeline, "update_payload", **opened)
    assert response.status_code == 412
    assert list(way(pipeline).input_schema["properties"]) == ["mine"]


def test_without_htmx_it_is_saved_too(client, pipeline):
    url = reverse("update_payload", args=[pipeline.pk])
    response = client.post(url, payload_fields(WAY, {"name": "why"}))
    assert response.status_code == 302
    assert way(pipeline).input_schema is not None


def test_who_takes_over_without_a_tool_is_told_nothing(client, user):
    pipeline = draw(user, "intake", "review")
    send(client, pipeline, "add_stage", kind="human", source="review")
    html = inspected(client, pipeline, select="transition:review>stage-1")
    assert "payload-form" not in html
    assert "The human sees the whole conversation." in html


def test_what_nobody_uses_can_still_be_taken_away(client, user):
    definition = chain("intake", "review", topology="workflow")
    told_all_the_same = definition.transitions[0].model_copy(update={"input_schema": REFUND})
    pipeline = import_definition(
        user=user, definition=definition.model_copy(update={"transitions": (told_all_the_same,)})
    )
    html = inspected(client, pipeline, select=f"transition:{WAY}")
    assert "The answer of intake is the input of review." in html
    assert "payload-form" in html
    save(client, pipeline)
    assert "payload-form" not in inspected(client, pipeline, select=f"transition:{WAY}")


def test_a_group_moves_on_by_itself(client, user):
    definition = chain("intake", "review")
    group = Stage(phase="intake", kind="group")
    stages = (group, *(stage for stage in definition.stages if stage.phase != "intake"))
    pipeline = import_definition(
        user=user, definition=definition.model_copy(update={"stages": stages})
    )
    html = inspected(client, pipeline, select=f"transition:{WAY}")
    assert "review continues." in html
