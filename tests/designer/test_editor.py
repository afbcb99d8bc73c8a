"""The editor's views: working, invalid, gone, stale."""

import json
import re

import pytest
from django.urls import reverse

from designer.actions import topology
from designer.actions.agents import update_cues
from designer.models import Edit
from orchestration.definition import Cue, CueCall, Position
from tests.designer.drawing import HTMX, draw, moves, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def page(client, pipeline, **query):
    response = client.get(reverse("editor", args=[pipeline.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def inspected(client, pipeline, **query):
    response = client.get(reverse("inspect", args=[pipeline.pk]), query, headers=HTMX)
    assert response.status_code == 200
    return response.content.decode()


def hidden(html, name):
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found, name
    return found[1]


def stage_fields(of, /, **changes):
    """The stage form as the page holds it, of a stage in the row."""
    following = {"intake": "review", "review": "resolution", "resolution": ""}[of]
    as_is = {
        "select": f"stage:{of}",
        "subject": of,
        "token": "i12345678",
        "phase": of,
        "agent_id": f"agent-{of}",
        "new_agent": "",
        "next_phase": following,
        "add_return": "",
        "description": "",
    }
    return as_is | changes


def agent_fields(agent, **changes):
    as_is = {
        "select": f"agent:{agent}",
        "subject": agent,
        "token": "i12345678",
        "id": agent,
        "name": agent.removeprefix("agent-").title(),
        "instructions": "",
        "provider": "default",
    }
    return as_is | changes


def told(response, field):
    """What an answer says beside a field."""
    html = response.content.decode()
    found = re.search(rf'id="error-i12345678-{field}"[^>]*>([^<]*)<', html)
    return found[1] if found else None


# The page


def test_the_page_shows_stages_transitions_agents_and_problems(client, user, pipeline):
    html = page(client, pipeline)
    for phase in ("intake", "review", "resolution"):
        assert f'id="stage-{phase}"' in html
    assert 'id="edge-intake--review"' in html
    assert 'data-key="agent-review"' in html
    assert "No problems" in html
    broken = page(client, draw(user))
    assert 'data-code="stages-missing"' in broken


def test_the_address_says_what_is_selected(client, pipeline):
    html = page(client, pipeline, select="stage:review", tab="handoffs", panel="definition")
    assert "review may hand over to" in html
    assert "&quot;baton.pipeline&quot;" in html


@pytest.mark.parametrize("select", ["stage:gone", "agent:x", "nonsense", "tool:", "transition:a"])
def test_a_selection_that_is_not_there_shows_the_pipeline(client, pipeline, select):
    assert 'id="settings-form"' in page(client, pipeline, select=select)


def test_every_gesture_has_its_form(client, pipeline):
    html = page(client, pipeline)
    gestures = re.findall(r'<form id="gesture-([a-z-]+)"', html)
    assert set(gestures) == {
        "move", "move-supervisor", "add-stage", "connect", "delete", "select", "undo", "redo",
        "add-agent",
    }  # fmt: skip


def test_no_page_carries_inline_style_or_script(client, pipeline):
    for select in ("", "stage:review", "agent:agent-review", "transition:intake>review"):
        html = page(client, pipeline, select=select, panel="rules")
        assert not re.search(r"<[^>]+ (style|on[a-z]+)=", html)
        assert not re.search(r"<script(?![^>]* src=)", html)


def test_what_a_person_wrote_is_text(client, user):
    pipeline = draw(user, "intake", name="<script>alert(1)</script>")
    assert "<script>alert" not in page(client, pipeline, panel="definition")


# The inspector


def test_what_the_model_sees_stands_in_the_stage(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    assert "handoff_conversation(" in html
    assert "target: &quot;agent-resolution&quot;" in html
    assert "You are Review" in html


def test_the_end_of_the_way_has_no_handoff_tool(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="resolution")
    assert "handoff_conversation(" not in html


def test_a_stage_with_nobody_says_what_to_do(client, user, pipeline):
    topology.add_stage(pipeline=pipeline, user=user)
    topology.add_stage(pipeline=pipeline, user=user, kind="human")
    for tab in ("stage", "agent", "handoffs"):
        assert "Nobody serves this stage yet" in inspected(
            client, pipeline, select="stage:stage-1", tab=tab
        )
        assert "A person answers here" in inspected(
            client, pipeline, select="stage:stage-2", tab=tab
        )


def test_the_tab_stays_while_stages_are_walked(client, pipeline):
    html = inspected(
        client, pipeline, kind="stage", key="intake", select="stage:review", tab="agent"
    )
    assert 'id="agent-form"' in html
    assert hidden(html, "subject") == "agent-intake"


# Gestures on the canvas


def test_stages_are_moved(client, pipeline):
    assert send(client, pipeline, "move_stages", moves=moves(intake=(1, 2))).status_code == 200
    assert now(pipeline).layout.stages["intake"] == Position(x=1, y=2)


@pytest.mark.parametrize(
    "sent",
    [
        "", "[]", "{}", "nonsense", '[{"phase": "intake"}]', "[" * 9999,
        '[{"phase": "intake", "x": NaN, "y": 1}]',
        '[{"phase": "intake", "x": 1e9, "y": 1}]', '[{"phase": "A b", "x": 1, "y": 1}]',
    ],
)  # fmt: skip
def test_a_move_that_is_none_is_a_sentence(client, pipeline, sent):
    response = send(client, pipeline, "move_stages", moves=sent)
    assert response.status_code == 422
    assert swapped(response) == {"notice"}
    assert not Edit.objects.exists()


def test_the_supervisor_needs_a_place(client, pipeline):
    assert send(client, pipeline, "move_supervisor", x="1", y="").status_code == 422
    assert send(client, pipeline, "move_supervisor", x="1", y="2").status_code == 200


def test_stages_are_added_from_the_canvas(client, pipeline):
    fields = {"x": "10", "y": "20.5", "source": "resolution", "agent": "agent-review"}
    response = send(client, pipeline, "add_stage", kind="agent", **fields)
    assert response.status_code == 200
    definition = now(pipeline)
    assert definition.stages_by_phase["stage-1"].agent_id == "agent-review"
    assert definition.layout.stages["stage-1"] == Position(x=10, y=20.5)
    for wrong in ({"kind": "robot"}, {"kind": "agent", "x": "1"}, {"kind": "agent", "x": "a"}):
        assert send(client, pipeline, "add_stage", **wrong).status_code == 422


def test_a_stage_from_one_deleted_in_another_tab_is_a_sentence_and_the_page_catches_up(
    client, pipeline
):
    response = send(client, pipeline, "add_stage", kind="agent", source="gone")
    assert response.status_code == 409
    assert "stages" in swapped(response)
    # The last notice is the one that stays.
    notice = response.content.decode().rpartition('id="notice"')[2]
    assert "no stage “gone” any more" in notice


def test_stages_are_connected(client, pipeline):
    response = send(client, pipeline, "connect", source="review", target="intake")
    assert response.status_code == 200
    again = send(client, pipeline, "connect", source="review", target="intake")
    assert again.status_code == 422
    assert "already leads to" in again.content.decode()
    assert send(client, pipeline, "connect", source="review", target="").status_code == 422
    assert send(client, pipeline, "connect", source="review", target="gone").status_code == 409


def test_parts_are_deleted(client, pipeline):
    fields = {"stages": '["intake"]', "transitions": '["review>resolution"]'}
    assert send(client, pipeline, "delete_parts", **fields).status_code == 200
    assert now(pipeline).transitions == ()
    assert send(client, pipeline, "delete_parts", **fields).status_code == 409
    assert send(client, pipeline, "delete_parts").status_code == 422
    assert send(client, pipeline, "delete_parts", stages='"a"').status_code == 422


def test_an_agent_is_added_and_selected(client, pipeline):
    response = send(client, pipeline, "add_agent")
    assert "agent-1" in now(pipeline).agents_by_id
    assert json.loads(response["HX-Trigger-After-Settle"])["baton:selected"]["key"] == "agent-1"
    assert send(client, pipeline, "add_agent", name="a\x00").status_code == 422


def test_there_may_be_nothing_to_undo(client, pipeline):
    assert send(client, pipeline, "undo").status_code == 409
    assert "nothing to redo" in send(client, pipeline, "redo").content.decode()


def test_gestures_work_without_htmx_too(client, pipeline):
    url = reverse("connect", args=[pipeline.pk])
    response = client.post(url, {"source": "review", "target": "intake"})
    assert response.url == reverse("editor", args=[pipeline.pk])
    response = client.post(url, {"source": "review", "target": "intake"})
    assert response.status_code == 422
    assert "already leads to" in response.content.decode()
    url = reverse("update_stage", args=[pipeline.pk])
    assert client.post(url, stage_fields("review", phase="")).status_code == 422
    assert client.post(url, stage_fields("review")).status_code == 302


# The stage form


def test_a_stage_saves_itself_and_leaves_the_fields_alone(client, pipeline):
    fields = stage_fields("review", description="Checks the refund.\r\nTwice.")
    response = send(client, pipeline, "update_stage", **fields)
    assert now(pipeline).stages_by_phase["review"].description == "Checks the refund.\nTwice."
    assert "Saved" in response.content.decode()
    assert {"stage-review", "inspector-state", "model-sees"} <= swapped(response)
    assert "inspector" not in swapped(response)
    assert not any(name.startswith("field-") for name in swapped(response))


def test_a_phase_is_made_a_key_and_the_field_shows_what_became_of_it(client, pipeline):
    response = send(client, pipeline, "update_stage", **stage_fields("review", phase="My Stage"))
    assert "my-stage" in now(pipeline).stages_by_phase
    assert "field-i12345678-phase" in swapped(response)
    assert 'value="my-stage"' in response.content.decode()
    assert hidden(response.content.decode(), "subject") == "my-stage"
    assert response["HX-Replace-Url"].endswith("?select=stage:my-stage")


@pytest.mark.parametrize("phase", ["", "???", "x" * 65, "intake", "a\x00b"])
def test_a_phase_that_cannot_be_is_told_beside_its_field(client, pipeline, phase):
    response = send(client, pipeline, "update_stage", **stage_fields("review", phase=phase))
    assert response.status_code == 422
    assert told(response, "phase")
    assert told(response, "description") == ""
    assert not any(name.startswith("field-") for name in swapped(response))
    assert "review" in now(pipeline).stages_by_phase


def test_naming_an_agent_shows_it_chosen_and_empties_the_name(client, pipeline):
    fields = stage_fields("review", agent_id="", new_agent="Billing")
    response = send(client, pipeline, "update_stage", **fields)
    assert now(pipeline).stages_by_phase["review"].agent_id == "agent-billing"
    assert {"field-i12345678-agent_id", "field-i12345678-new_agent"} <= swapped(response)
    assert 'value="agent-billing" selected' in response.content.decode()


def test_the_human_is_chosen_where_agents_are(client, pipeline):
    send(client, pipeline, "update_stage", **stage_fields("review", agent_id="human"))
    stage = now(pipeline).stages_by_phase["review"]
    assert (stage.kind, stage.agent_id) == ("human", None)


def test_ways_back_are_added_and_taken_off(client, pipeline):
    fields = stage_fields("review", add_return="intake")
    response = send(client, pipeline, "update_stage", **fields)
    assert {"field-i12345678-returns", "field-i12345678-add_return"} <= swapped(response)
    assert [way.target for way in now(pipeline).transitions_from["review"]] == [
        "resolution",
        "intake",
    ]
    send(client, pipeline, "update_stage", **stage_fields("review"))
    assert [way.target for way in now(pipeline).transitions_from["review"]] == ["resolution"]


def test_a_renamed_stage_is_offered_by_its_new_name(client, pipeline):
    fields = stage_fields("review", phase="judging")
    response = send(client, pipeline, "update_stage", **fields)
    assert {"field-i12345678-next_phase", "field-i12345678-add_return"} <= swapped(response)
    assert '<option value="judging">' in response.text
    assert '<option value="review">' not in response.text
    fields = stage_fields("intake", description="Asks", next_phase="judging")
    assert "field-i12345678-next_phase" not in swapped(
        send(client, pipeline, "update_stage", **fields)
    )


def test_a_stage_that_leads_to_nobody_yet_is_not_the_end_of_the_way(client, user, pipeline):
    topology.add_stage(pipeline=pipeline, user=user, source="resolution")
    html = inspected(client, pipeline, kind="stage", key="resolution")
    assert "nobody serves a stage that it leads to" in html
    assert "end of the way" not in html


def test_a_new_cue_and_a_new_rule_have_the_focus(client, pipeline):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Hi"}, add_cue="1"))
    assert re.search(r'<textarea name="cue-1-when"[^>]* autofocus', response.text)
    assert len(re.findall(" autofocus", response.text)) == 1
    html = client.get(reverse("edit_rule", args=[pipeline.pk])).text
    assert re.search(r'<input [^>]*name="id"[^>]* autofocus', html)


def test_a_choice_that_went_in_another_tab_is_told_beside_its_field(client, pipeline):
    response = send(client, pipeline, "update_stage", **stage_fields("review", next_phase="gone"))
    assert response.status_code == 422
    assert "no stage “gone” any more" in (told(response, "next_phase") or "")


def test_a_stage_deleted_in_another_tab_is_a_sentence(client, pipeline):
    fields = stage_fields("review", subject="gone", select="stage:gone")
    response = send(client, pipeline, "update_stage", **fields)
    assert response.status_code == 409
    assert "inspector" in swapped(response)


def test_a_form_on_stale_ground_is_refused(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    first = stage_fields("review", description="Mine") | opened
    assert send(client, pipeline, "update_stage", **first).status_code == 200
    second = stage_fields("review", description="Theirs") | opened
    response = send(client, pipeline, "update_stage", **second)
    assert response.status_code == 412
    assert swapped(response) == {"notice", "save-state"}
    assert f"/pipelines/{pipeline.pk}/?select=stage:review" in response.text
    assert now(pipeline).stages_by_phase["review"].description == "Mine"


@pytest.mark.parametrize("subject", ["gone", "Not a key", "", "a\x00b"])
def test_the_cues_of_nobody_are_a_sentence(client, pipeline, subject):
    fields = cue_fields({"say": "Good day"}, subject=subject)
    assert send(client, pipeline, "update_cues", **fields).status_code == 409


def test_cues_on_stale_ground_are_refused(client, pipeline):
    html = inspected(client, pipeline, kind="agent", key="agent-review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    assert (
        send(client, pipeline, "update_cues", **cue_fields({"say": "Mine"}, **opened)).status_code
        == 200
    )
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Theirs"}, **opened))
    assert response.status_code == 412
    assert swapped(response) == {"notice", "save-state"}
    assert now(pipeline).agents_by_id["agent-review"].cues == (Cue(say="Mine"),)


def test_a_form_on_stale_ground_is_refused_on_a_page_that_has_caught_up_around_it(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    send(client, pipeline, "update_stage", **stage_fields("review", description="Mine"))
    late = stage_fields("review", description="Theirs") | {"base": hidden(html, "base")}
    assert send(client, pipeline, "update_stage", **late).status_code == 412


@pytest.mark.parametrize("name", ["version", "take_off"])
def test_a_number_of_thousands_of_digits_is_none(client, pipeline, name):
    digits = "9" * 5_000
    page(client, pipeline, **{name: digits})
    inspected(client, pipeline, **{name: digits})
    fields = cue_fields({"say": "Good day"}) | {name: digits}
    assert send(client, pipeline, "update_cues", **fields).status_code == 200


def test_an_edit_elsewhere_is_no_reason_to_refuse_a_form(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    send(client, pipeline, "update_stage", **stage_fields("intake", description="Asks"))
    fields = stage_fields("review", description="Checks") | opened
    response = send(client, pipeline, "update_stage", **fields)
    assert response.status_code == 200
    assert {"stages", "edges"} <= swapped(response)
    assert "inspector" not in swapped(response)


# Transition, agent, tool, pipeline


def test_a_transition_is_changed(client, pipeline):
    key = "intake>review"
    fields = {"select": f"transition:{key}", "subject": key, "token": "i12345678"}
    response = send(
        client, pipeline, "update_transition", kind="return", description="If asked", **fields
    )
    assert response.status_code == 200
    way = now(pipeline).transitions_from["intake"][0]
    assert (way.kind, way.description) == ("return", "If asked")
    wrong = {"kind": "sideways", "description": "x" * 501}
    response = send(client, pipeline, "update_transition", **fields, **wrong)
    assert response.status_code == 422
    assert told(response, "kind")
    assert told(response, "description")


def test_an_agent_is_changed(client, pipeline):
    fields = agent_fields(
        "agent-review",
        id="judge",
        instructions=" Judge. ",
        temperature="0.5",
        max_output_tokens="9",
    )
    response = send(client, pipeline, "update_agent", **fields)
    agent = now(pipeline).agents_by_id["judge"]
    assert (agent.instructions, agent.temperature, agent.max_output_tokens) == (" Judge. ", 0.5, 9)
    assert response["HX-Replace-Url"].endswith("?select=agent:judge")


def test_an_agent_renamed_in_a_stages_tab_leaves_the_stage_selected(client, pipeline):
    fields = agent_fields("agent-review", id="judge", select="stage:review", tab="agent")
    response = send(client, pipeline, "update_agent", **fields)
    assert "HX-Replace-Url" not in response
    assert hidden(response.content.decode(), "subject") == "judge"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("id", "human"), ("id", "agent-intake"), ("temperature", "3"),
        ("temperature", "nan"), ("max_output_tokens", "0"), ("provider", "?"), ("model", "x" * 201),
        ("instructions", "x" * 32_001), ("tools", "no tool"),
    ],
)  # fmt: skip
def test_a_field_of_an_agent_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    fields = agent_fields("agent-review", **{field: value})
    response = send(client, pipeline, "update_agent", **fields)
    assert response.status_code == 422
    assert told(response, field)


def cue_fields(*cues, **extra):
    fields = {"cue-TOTAL_FORMS": len(cues), "cue-INITIAL_FORMS": len(cues)}
    for place, cue in enumerate(cues):
        fields |= {f"cue-{place}-{name}": value for name, value in cue.items()}
    return agent_fields("agent-review") | fields | extra


def test_cues_are_written_added_and_taken_off(client, pipeline):
    says = {"when": "hello\r\n hi ", "say": "Good day"}
    calls = {"call_tool": "lookup", "call_arguments": '{"id": 1}', "hand_over_to": "human"}
    response = send(client, pipeline, "update_cues", **cue_fields(says, calls, {}, add_cue="1"))
    cues = now(pipeline).agents_by_id["agent-review"].cues
    assert cues[0] == Cue(when=("hello", "hi"), say="Good day")
    assert cues[1].call == CueCall(tool="lookup", arguments={"id": 1})
    assert cues[1].hand_over
    assert len(cues) == 2
    assert "cues-form" in swapped(response)
    assert "Cue 3" in response.content.decode()
    send(client, pipeline, "update_cues", **cue_fields(says, calls, take_off="0"))
    assert now(pipeline).agents_by_id["agent-review"].cues == cues[1:]


def test_cues_that_are_saved_as_they_were_sent_are_left_alone(client, pipeline):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Good day"}, {}))
    assert "cues-form" not in swapped(response)
    assert "error-i12345678-cue-0-say" in swapped(response)


@pytest.mark.parametrize(
    ("cue", "field"),
    [
        ({"call_arguments": "{}x", "call_tool": "a"}, "call_arguments"),
        ({"call_arguments": '{"a": 1}'}, "call_tool"),
        ({"call_tool": "no tool"}, "call_tool"),
        ({"call_tool": "tool\n"}, "call_tool"),
        ({"hand_over_reason": "Because"}, "hand_over_to"),
        ({"say": "x\x00"}, "say"),
        ({"when": "x" * 501}, "when"),
    ],
)
def test_a_field_of_a_cue_that_cannot_be_is_told_beside_it(client, pipeline, cue, field):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Hi"}, cue))
    assert response.status_code == 422
    assert told(response, f"cue-1-{field}")
    assert told(response, "cue-0-say") == ""


def test_a_faulty_cue_can_be_taken_off(client, pipeline):
    fields = cue_fields({"say": "Hi"}, {"call_tool": "no tool"}, take_off="1")
    assert send(client, pipeline, "update_cues", **fields).status_code == 200


def test_more_cues_than_an_agent_has_are_refused(client, pipeline):
    fields = cue_fields(*({"say": str(n)} for n in range(101)))
    response = send(client, pipeline, "update_cues", **fields)
    assert response.status_code == 422
    assert "100" in (told(response, "cues-form") or "")


def test_an_agents_cues_are_shown_as_they_are(client, user, pipeline):
    cue = Cue(when=("a b", "c"), call=CueCall(tool="t", arguments={"x": "<"}), in_phase="review")
    update_cues(pipeline=pipeline, user=user, agent_id="agent-review", cues=(cue,))
    html = inspected(client, pipeline, kind="agent", key="agent-review")
    assert "a b\nc" in html
    assert "&quot;x&quot;: &quot;&lt;&quot;" in html
    assert '<details class="cue__more" open>' in html


def test_agents_and_tools_are_deleted(client, pipeline):
    send(client, pipeline, "delete_agent", agent="agent-review", select="agent:agent-review")
    assert "agent-review" not in now(pipeline).agents_by_id
    assert send(client, pipeline, "delete_agent", agent="agent-review").status_code == 409
    send(client, pipeline, "add_tool")
    send(client, pipeline, "delete_tool", tool="tool-1")
    assert now(pipeline).tools == ()
    assert send(client, pipeline, "delete_tool", tool="tool-1").status_code == 409


def test_a_tool_is_changed(client, pipeline):
    send(client, pipeline, "add_tool")
    fields = {
        "select": "tool:tool-1",
        "subject": "tool-1",
        "token": "i12345678",
        "name": "lookup",
        "parameters": '{"type": "object", "properties": {"z": {}, "a": {}}}',
        "examples": '[{"result": "Found"}]',
    }
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert list(tool.parameters["properties"]) == ["z", "a"]
    assert tool.examples[0].result == "Found"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "1st tool"), ("name", ""), ("description", "x" * 501), ("parameters", "[]"),
        ("parameters", '{"a": 1, "a": 2}'), ("examples", "{}"), ("examples", '[{"reslt": ""}]'),
    ],
)  # fmt: skip
def test_a_field_of_a_tool_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    fields = {"subject": "tool-1", "token": "i12345678", "name": "tool-1"} | {field: value}
    response = send(client, pipeline, "update_tool", **fields)
    assert response.status_code == 422
    assert told(response, field)


SETTINGS = {
    "token": "i12345678",
    "name": "Support",
    "entry": "intake",
    "on_handoff": "continue",
    "max_turns": "24",
    "max_handoffs": "8",
    "max_context_tokens": "128000",
}


def test_the_pipeline_is_changed(client, pipeline):
    fields = SETTINGS | {"name": "Refunds", "max_turns": "3", "aliases": "boss = agent-review\n"}
    response = send(client, pipeline, "update_pipeline", **fields)
    definition = now(pipeline)
    assert (definition.name, definition.limits.max_turns) == ("Refunds", 3)
    assert definition.aliases == {"boss": "agent-review"}
    assert definition.allow_human is False
    assert ">Refunds</b>" in response.content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("entry", "gone"), ("supervisor_id", "gone"), ("default_agent_id", "gone"),
        ("on_handoff", "maybe"), ("max_turns", "0"), ("max_handoffs", "-1"), ("aliases", "boss"),
        ("max_context_tokens", "ten"), ("aliases", "a = b\na = c"), ("aliases", "A b = c"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_told_beside_its_field(client, pipeline, field, value):
    response = send(client, pipeline, "update_pipeline", **(SETTINGS | {field: value}))
    assert response.status_code == 422
    assert told(response, field)


# Routing rules


RULE = {
    "form_token": "i12345678",
    "rule": "",
    "id": "By SMS",
    "agent_id": "agent-review",
    "priority": "2",
    "channel_types": "sms\nvoice",
}


def test_a_rule_is_added_changed_and_deleted(client, pipeline):
    response = send(client, pipeline, "add_rule", panel="rules", **RULE)
    assert {"rules-table", "rule-form"} <= swapped(response)
    rule = now(pipeline).rules[0]
    assert (rule.id, rule.conditions.channel_types) == ("by-sms", ("sms", "voice"))
    changed = RULE | {"rule": "by-sms", "id": "by-sms", "channel_types": "", "intents": "refund"}
    send(client, pipeline, "update_rule", panel="rules", **changed)
    rule = now(pipeline).rules[0]
    assert (rule.conditions.channel_types, rule.conditions.intents) == (None, ("refund",))
    send(client, pipeline, "delete_rule", panel="rules", rule="by-sms")
    assert now(pipeline).rules == ()
    assert send(client, pipeline, "delete_rule", rule="by-sms").status_code == 409
    assert send(client, pipeline, "update_rule", **changed).status_code == 409


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""), ("id", "taken"), ("agent_id", ""), ("agent_id", "gone"), ("priority", "high"),
        ("phases", "Not A Key"), ("intents", "x" * 121), ("custom", "x" * 1001),
    ],
)  # fmt: skip
def test_a_field_of_a_rule_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_rule", **(RULE | {"id": "taken"}))
    response = send(client, pipeline, "add_rule", **(RULE | {field: value}))
    assert response.status_code == 422
    assert told(response, field)


def test_the_form_of_a_rule_shows_it_and_one_that_is_gone_is_not_there(client, pipeline):
    send(client, pipeline, "add_rule", **RULE)
    url = reverse("edit_rule", args=[pipeline.pk])
    assert "sms\nvoice" in client.get(url, {"rule": "by-sms"}).content.decode()
    assert "Add rule" in client.get(url).content.decode()
    assert client.get(url, {"rule": "gone"}).status_code == 404


def test_the_bottom_panel_turns_to_its_tabs(client, pipeline):
    url = reverse("show_panel", args=[pipeline.pk])
    assert 'id="rules-table"' in client.get(url, {"panel": "rules"}).content.decode()
    response = client.get(url, {"panel": "definition", "select": "stage:review"})
    assert 'id="problems"' in response.content.decode()
    assert response["HX-Replace-Url"].endswith("?select=stage:review&panel=definition")
