"""The forms of an agent's cues."""

import re

import pytest
from django.urls import reverse

from designer.editor.actions.agents import update_cues
from designer.editor.forms.agent import CueForm
from orchestration.definition import MAX_CUES, Cue, CueCall, CueHandoff
from orchestration.validation import validate
from tests.designer.editor_page import cue_fields, field_error, inspected
from tests.designer.editor_requests import draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.mark.parametrize("subject", ["gone", "Not a key", "", "a\x00b"])
def test_the_cues_of_a_missing_agent_are_refused(client, pipeline, subject):
    fields = cue_fields({"say": "Good day"}, subject=subject)
    assert send(client, pipeline, "update_cues", **fields).status_code == 409


def test_cues_are_changed_added_and_removed(client, pipeline):
    says = {"when": "hello\r\n hi ", "say": "Good day"}
    calls = {"call_tool": "lookup", "call_arguments": '{"id": 1}', "hand_over_to": "human"}
    calls["hand_over_arguments"] = '{"amount": 29.9}'
    response = send(client, pipeline, "update_cues", **cue_fields(says, calls, {}, add_row="1"))
    cues = now(pipeline).agents_by_id["agent-review"].cues
    assert cues[0] == Cue(when=("hello", "hi"), say="Good day")
    assert cues[1].call == CueCall(tool="lookup", arguments={"id": 1})
    assert cues[1].hand_over == CueHandoff(target="human", arguments={"amount": 29.9})
    assert len(cues) == 2
    assert "cues-form" in swapped(response)
    assert "Cue 3" in response.content.decode()
    send(client, pipeline, "update_cues", **cue_fields(says, calls, take_off="0"))
    assert now(pipeline).agents_by_id["agent-review"].cues == cues[1:]


def test_a_cue_may_hand_over_to_the_name_of_an_agent(client, pipeline):
    """Contract D-8: the name is shown again and is no problem."""
    response = send(client, pipeline, "update_cues", **cue_fields({"hand_over_to": "Resolution"}))
    assert response.status_code == 200
    (cue,) = now(pipeline).agents_by_id["agent-review"].cues
    assert cue.hand_over
    assert cue.hand_over.target == "Resolution"
    html = inspected(client, pipeline, kind="agent", key="agent-review")
    assert re.search(r'name="cue-0-hand_over_to" value="Resolution"', html)
    codes = [issue.code for issue in validate(now(pipeline))]
    assert "cue-target-unknown" not in codes


def test_the_maximum_number_of_cues_is_saved_at_once(client, pipeline):
    empty = dict.fromkeys(CueForm.base_fields, "")
    cues = [empty | {"say": f"Word {place}"} for place in range(MAX_CUES)]
    response = send(client, pipeline, "update_cues", **cue_fields(*cues))
    assert response.status_code == 200
    assert len(now(pipeline).agents_by_id["agent-review"].cues) == MAX_CUES


def test_saved_cues_that_equal_the_submission_are_not_rendered_again(client, pipeline):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Good day"}, {}))
    assert "cues-form" not in swapped(response)
    assert "error-i12345678-cue-0-say" in swapped(response)


@pytest.mark.parametrize(
    ("cue", "field"),
    [
        ({"call_arguments": "{}x", "call_tool": "a"}, "call_arguments"),
        ({"call_arguments": '{"a": 1}'}, "call_tool"),
        ({"call_tool": "1 tool"}, "call_tool"),
        ({"call_tool": "tool\n"}, "call_tool"),
        ({"hand_over_reason": "Because"}, "hand_over_to"),
        ({"hand_over_to": "x" * 121}, "hand_over_to"),
        ({"say": "x\x00"}, "say"),
        ({"when": "x" * 501}, "when"),
    ],
)
def test_an_invalid_field_of_a_cue_has_its_error_beside_it(client, pipeline, cue, field):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Hi"}, cue))
    assert response.status_code == 422
    assert field_error(response, f"cue-1-{field}")
    assert field_error(response, "cue-0-say") == ""


def test_an_invalid_cue_can_be_removed(client, pipeline):
    fields = cue_fields({"say": "Hi"}, {"call_tool": "1 tool"}, take_off="1")
    assert send(client, pipeline, "update_cues", **fields).status_code == 200


def test_cues_above_the_maximum_are_refused(client, pipeline):
    fields = cue_fields(*({"say": str(n)} for n in range(101)))
    response = send(client, pipeline, "update_cues", **fields)
    assert response.status_code == 422
    assert "100" in (field_error(response, "cues-form") or "")


def test_the_cues_of_an_agent_are_shown(client, user, pipeline):
    cue = Cue(when=("a b", "c"), call=CueCall(tool="t", arguments={"x": "<"}), in_phase="review")
    update_cues(pipeline=pipeline, user=user, agent_id="agent-review", cues=(cue,))
    html = inspected(client, pipeline, kind="agent", key="agent-review")
    assert "a b\nc" in html
    assert "&quot;x&quot;: &quot;&lt;&quot;" in html
    assert '<details class="row__more" open>' in html


def test_a_new_cue_and_a_new_rule_have_the_focus(client, pipeline):
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Hi"}, add_row="1"))
    assert re.search(r'<textarea name="cue-1-when"[^>]* autofocus', response.text)
    assert len(re.findall(" autofocus", response.text)) == 1
    html = client.get(reverse("edit_rule", args=[pipeline.pk])).text
    assert re.search(r'<input [^>]*name="id"[^>]* autofocus', html)
