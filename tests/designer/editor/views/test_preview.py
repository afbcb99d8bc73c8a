"""Preview of the model's view with unsaved form values."""

import json
import re
from html import unescape

import pytest
from django.urls import reverse

from designer.models import Edit
from tests.designer.editor_page import (
    agent_fields,
    inspected,
    payload_fields,
    stage_fields,
    transition_fields,
)
from tests.designer.editor_requests import HTMX, draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def preview(client, pipeline, kind, fields):
    url = reverse(f"preview_{kind}", args=[pipeline.pk])
    response = client.post(url, fields, headers=HTMX)
    assert response.status_code == 200
    return response


def added(response):
    return "\n".join(map(unescape, re.findall(r"<ins>(.*?)</ins>", response.text, re.DOTALL)))


def removed(response):
    return "\n".join(map(unescape, re.findall(r"<del>(.*?)</del>", response.text, re.DOTALL)))


def test_unsaved_values_of_a_stage_change_its_prompt_and_tools(client, pipeline):
    fields = stage_fields("review", phase="check", description="Be strict.", returns=["intake"])
    response = preview(client, pipeline, "stage", fields)
    assert swapped(response) == {"model-sees"}
    assert "unsaved" in response.text
    assert "The conversation is in stage check." in added(response)
    assert "The conversation is in stage review." in removed(response)
    assert "This stage: Be strict." in added(response)
    assert '"agent-resolution" | "agent-intake" | "human"' in added(response)


def test_a_preview_writes_nothing(client, pipeline):
    before = now(pipeline)
    preview(client, pipeline, "stage", stage_fields("review", phase="check", new_agent="Ada"))
    preview(client, pipeline, "agent", agent_fields("agent-review", instructions="Other."))
    preview(client, pipeline, "transition", transition_fields("intake>review", kind="return"))
    preview(client, pipeline, "payload", payload_fields("intake>review", {"name": "order"}))
    assert now(pipeline) == before
    assert not Edit.objects.exists()


def test_unchanged_values_are_not_marked(client, pipeline):
    response = preview(client, pipeline, "stage", stage_fields("review"))
    assert "unsaved" not in response.text
    assert added(response) == removed(response) == ""


def test_the_preview_equals_the_view_after_saving(client, pipeline):
    fields = stage_fields("review", description="Be strict.", returns=["intake"])
    previewed = preview(client, pipeline, "stage", fields)
    send(client, pipeline, "update_stage", **fields)
    shown = inspected(client, pipeline, select="stage:review")
    for line in added(previewed).splitlines():
        assert line in unescape(shown)
    assert "unsaved" not in shown


def test_a_new_agent_or_kind_of_stage_is_previewed(client, pipeline):
    response = preview(client, pipeline, "stage", stage_fields("review", new_agent="Ada"))
    assert "You are Ada (agent-ada)." in added(response)
    response = preview(client, pipeline, "stage", stage_fields("review", agent_id="human"))
    assert "A human answers at this stage" in response.text
    assert "unsaved" in response.text


def test_an_agent_is_previewed_in_each_of_its_stages(client, pipeline):
    send(client, pipeline, "update_stage", **stage_fields("intake", agent_id="agent-review"))
    fields = agent_fields("agent-review", instructions="Say yes.\nThen no.")
    response = preview(client, pipeline, "agent", fields)
    assert response.text.count("<ins>Say yes.\nThen no.</ins>") == 2
    assert re.findall(r'<details id="sees-\d" open><summary>(\w+)', response.text) == [
        "intake",
        "review",
    ]
    send(client, pipeline, "update_agent", **fields)
    fields["instructions"] = "Say yes.\nOr no."
    response = preview(client, pipeline, "agent", fields)
    assert (added(response), removed(response)) == (
        "Or no.\nOr no.",
        "Then no.\nThen no.",
    )


def test_a_member_of_a_group_is_previewed_without_the_others(client, pipeline):
    group = {"agent_id": ":group", "add_member": "agent-intake"}
    send(client, pipeline, "update_stage", **stage_fields("review", **group))
    response = preview(client, pipeline, "agent", agent_fields("agent-review", name="Critic"))
    assert "You are Critic (agent-review)." in added(response)
    assert "the group continues" in response.text


def test_an_agent_of_many_stages_is_previewed_in_the_first_of_them(client, user):
    pipeline = draw(user, *(f"s{place}" for place in range(20)))
    for place in range(20):
        fields = stage_fields("review", subject=f"s{place}", select=f"stage:s{place}")
        fields |= {"phase": f"s{place}", "agent_id": "agent-s1", "next_phase": ""}
        send(client, pipeline, "update_stage", **fields)
    response = preview(client, pipeline, "agent", agent_fields("agent-s1"))
    assert "And in 8 more." in response.text


def test_a_transition_previews_its_handoff_tool(client, pipeline):
    fields = transition_fields("intake>review", description="When it is urgent")
    response = preview(client, pipeline, "transition", fields)
    assert "When it is urgent" in added(response)
    rows = [{"name": "order_id", "type": "integer", "required": "on"}]
    response = preview(client, pipeline, "payload", payload_fields("intake>review", *rows))
    assert "order_id: integer" in added(response)
    assert "transfer_to_agent_review(" in added(response)
    assert json.dumps("transfer_to_agent_review") in added(response)


@pytest.mark.parametrize(
    ("what", "fields", "why"),
    [
        ("stage", stage_fields("review", phase=""), "Stage name must not be empty."),
        ("stage", stage_fields("review", phase="intake"), "There is a stage “intake” already."),
        ("stage", stage_fields("review", next_phase="gone"), "There is no stage “gone” any more."),
        ("stage", stage_fields("review", subject="gone"), "There is no stage “gone” any more."),
        ("stage", stage_fields("review", subject="\x00"), "There is no stage “” any more."),
        ("stage", {}, "Stage name must not be empty."),
        ("agent", agent_fields("agent-review", name=""), "Name must not be empty."),
        ("agent", agent_fields("agent-review", id="human"), "the person who can take over"),
        ("agent", agent_fields("agent-gone"), "There is no agent “agent-gone” any more."),
        (
            "transition",
            transition_fields("intake>review", kind="other"),
            "Kind has no choice “other”.",
        ),
        ("transition", transition_fields("intake>gone"), "does not lead to “gone” any more"),
        (
            "payload",
            payload_fields("intake>review", {"description": "x"}),
            "Enter the name of the field.",
        ),
        ("payload", payload_fields("intake>gone"), "does not lead to “gone” any more"),
    ],
)
def test_invalid_values_keep_the_last_preview_and_show_the_reason(
    client, pipeline, what, fields, why
):
    response = preview(client, pipeline, what, fields)
    assert swapped(response) == {"preview-remark"}
    assert why in unescape(response.text)


def test_unsaved_text_is_escaped(client, pipeline):
    fields = stage_fields("review", description="<script>alert(1)</script>")
    response = preview(client, pipeline, "stage", fields)
    assert "<script>" not in response.text
    assert "<script>alert(1)</script>" in added(response)
