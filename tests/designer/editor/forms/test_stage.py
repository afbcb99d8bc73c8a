"""The form of a stage."""

import re

import pytest

from designer.editor.actions import topology
from tests.designer.editor_page import field_error, hidden, inspected, stage_fields
from tests.designer.editor_requests import draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_saving_a_stage_does_not_render_its_fields_again(client, pipeline):
    fields = stage_fields("review", description="Checks the refund.\r\nTwice.")
    response = send(client, pipeline, "update_stage", **fields)
    assert now(pipeline).stages_by_phase["review"].description == "Checks the refund.\nTwice."
    assert "Saved" in response.content.decode()
    assert {"stage-review", "inspector-state", "model-sees"} <= swapped(response)
    assert "inspector" not in swapped(response)
    assert not any(name.startswith("field-") for name in swapped(response))


def test_a_phase_is_converted_to_a_key_and_the_field_shows_it(client, pipeline):
    response = send(client, pipeline, "update_stage", **stage_fields("review", phase="My Stage"))
    assert "my-stage" in now(pipeline).stages_by_phase
    assert "field-i12345678-phase" in swapped(response)
    assert 'value="my-stage"' in response.content.decode()
    assert hidden(response.content.decode(), "subject") == "my-stage"
    assert response["HX-Replace-Url"].endswith("?select=stage:my-stage")
    made = "Saved as “my-stage”: only letters, digits, “-” and “_” are allowed."
    assert f'id="i12345678-phase_helptext" hx-swap-oob="true">{made}<' in response.content.decode()

    taken = {"select": "stage:my-stage", "subject": "my-stage", "phase": "intake"}
    response = send(client, pipeline, "update_stage", **stage_fields("review", **taken))
    assert field_error(response, "phase")
    assert made not in response.content.decode()
    assert "i12345678-phase_helptext" in swapped(response), "the refused name is not saved"

    renamed = {"select": "stage:my-stage", "subject": "my-stage", "phase": "hall"}
    response = send(client, pipeline, "update_stage", **stage_fields("review", **renamed))
    assert "hall" in now(pipeline).stages_by_phase
    assert "Saved as" not in response.content.decode(), "it is what was typed"
    assert "i12345678-phase_helptext" in swapped(response), "what was said before goes"


@pytest.mark.parametrize("phase", ["", "???", "x" * 65, "intake", "a\x00b"])
def test_an_invalid_phase_has_its_error_beside_the_field(client, pipeline, phase):
    response = send(client, pipeline, "update_stage", **stage_fields("review", phase=phase))
    assert response.status_code == 422
    assert field_error(response, "phase")
    assert field_error(response, "description") == ""
    assert not any(name.startswith("field-") for name in swapped(response))
    assert "review" in now(pipeline).stages_by_phase


def test_a_named_new_agent_is_selected_and_the_name_is_cleared(client, pipeline):
    fields = stage_fields("review", agent_id="", new_agent="Billing")
    response = send(client, pipeline, "update_stage", **fields)
    assert now(pipeline).stages_by_phase["review"].agent_id == "agent-billing"
    assert {"field-i12345678-agent_id", "field-i12345678-new_agent"} <= swapped(response)
    assert 'value="agent-billing" selected' in response.content.decode()


def test_a_new_agent_without_a_name_keeps_the_agent_and_stays_open(client, pipeline):
    fields = stage_fields("review", agent_id=":new", description="Checks.")
    response = send(client, pipeline, "update_stage", **fields)
    stage = now(pipeline).stages_by_phase["review"]
    assert (stage.agent_id, stage.description) == ("agent-review", "Checks.")
    assert not any(name.startswith("field-") for name in swapped(response))
    fields = stage_fields("review", agent_id=":new", new_agent="Billing", description="Checks.")
    response = send(client, pipeline, "update_stage", **fields)
    assert now(pipeline).stages_by_phase["review"].agent_id == "agent-billing"
    assert {"field-i12345678-agent_id", "field-i12345678-new_agent"} <= swapped(response)


def test_the_avatar_of_the_agent_follows_the_choice(client, pipeline):
    def face(html):
        return re.findall(
            r'<i id="i\w{8}-face"[^>]* class="avatar([^"]*)"[^>]*>\s*(\w|\?|<svg)', html
        )

    assert face(inspected(client, pipeline, select="stage:review")) == [("", "R")]
    for agent, shown in (
        ("agent-intake", ("", "I")), ("", (" avatar--none", "?")),
        ("human", (" avatar--human", "<svg")), (":group", (" avatar--none", "<svg")),
    ):  # fmt: skip
        fields = stage_fields("review", agent_id=agent)
        response = send(client, pipeline, "update_stage", **fields)
        assert face(response.text) == [shown]


def test_the_returns_and_the_field_for_additions_are_one_group(client, pipeline):
    html = inspected(client, pipeline, select="stage:review")
    group = re.search(r"<legend[^>]*>Branches and returns.*?</fieldset>", html, re.DOTALL)
    assert group
    assert 'name="add_return"' in group[0]
    assert html.count('name="add_return"') == 1


def test_the_human_is_a_choice_among_agents(client, pipeline):
    send(client, pipeline, "update_stage", **stage_fields("review", agent_id="human"))
    stage = now(pipeline).stages_by_phase["review"]
    assert (stage.kind, stage.agent_id) == ("human", None)


def test_returns_are_added_and_removed(client, pipeline):
    fields = stage_fields("review", add_return="intake")
    response = send(client, pipeline, "update_stage", **fields)
    assert {"field-i12345678-returns", "field-i12345678-add_return"} <= swapped(response)
    assert [way.target for way in now(pipeline).transitions_from["review"]] == [
        "resolution",
        "intake",
    ]
    send(client, pipeline, "update_stage", **stage_fields("review"))
    assert [way.target for way in now(pipeline).transitions_from["review"]] == ["resolution"]


def test_a_renamed_stage_is_a_choice_under_its_new_name(client, pipeline):
    fields = stage_fields("review", phase="judging")
    response = send(client, pipeline, "update_stage", **fields)
    assert {"field-i12345678-next_phase", "field-i12345678-add_return"} <= swapped(response)
    assert '<option value="judging">' in response.text
    assert '<option value="review">' not in response.text
    fields = stage_fields("intake", description="Asks", next_phase="judging")
    assert "field-i12345678-next_phase" not in swapped(
        send(client, pipeline, "update_stage", **fields)
    )


def test_a_stage_that_leads_to_itself_is_renamed(client, pipeline):
    send(client, pipeline, "connect", source="review", target="review")
    ways = [(way.target, way.kind) for way in now(pipeline).transitions_from["review"]]
    assert ("review", "return") in ways
    fields = stage_fields("review", phase="judging", returns="review")
    assert send(client, pipeline, "update_stage", **fields).status_code == 200
    ways = [(way.target, way.kind) for way in now(pipeline).transitions_from["judging"]]
    assert ("judging", "return") in ways


def out_of_sight(html):
    """Return the hidden fields of a form."""
    return set(re.findall(r'id="field-i\w{8}-(\w+)" hidden', html)) - {"group"}


def test_a_form_has_only_the_transitions_that_its_topology_takes(client, user):
    for passes_on, phase, useless, said in (
        ("pipeline", "resolution", set(), "None: it may end here"),
        ("workflow", "resolution", {"returns", "add_return"}, "None: its answer is the reply"),
        ("team", "intake", set(), "Add a stage it delegates to"),
        (
            "team",
            "resolution",
            {"next_phase", "returns", "add_return"},
            "it does its task and answers the lead",
        ),
    ):
        pipeline = draw(user, "intake", "review", "resolution", topology=passes_on)
        html = inspected(client, pipeline, select=f"stage:{phase}")
        assert out_of_sight(html) == useless, (passes_on, phase)
        assert said in html
        assert ("it may end here" in html) == (passes_on == "pipeline")
    html = inspected(client, pipeline, select="transition:intake>review")
    assert out_of_sight(html) == {"kind"}


def test_transitions_that_are_never_taken_can_be_removed(client, user):
    pipeline = draw(user, "intake", "review", "resolution", topology="workflow")
    topology.connect(pipeline=pipeline, user=user, source="review", target="intake")
    assert out_of_sight(inspected(client, pipeline, select="stage:review")) == {"add_return"}


def test_a_lead_without_a_team_has_a_notice_and_no_end_is_mentioned(client, user):
    pipeline = draw(user, "intake", topology="team")
    html = inspected(client, pipeline, select="stage:intake")
    assert "no stage yet to delegate to" in html
    assert "stage is terminal" not in html


def test_a_stage_that_leads_to_a_stage_without_an_agent_is_not_the_end(client, user, pipeline):
    topology.add_stage(pipeline=pipeline, user=user, source="resolution")
    html = inspected(client, pipeline, kind="stage", key="resolution")
    assert "the next stages have no agents" in html
    assert "stage is terminal" not in html


def test_a_choice_deleted_in_another_tab_has_its_error_beside_the_field(client, pipeline):
    response = send(client, pipeline, "update_stage", **stage_fields("review", next_phase="gone"))
    assert response.status_code == 422
    assert "no stage “gone” any more" in (field_error(response, "next_phase") or "")


def test_a_stage_deleted_in_another_tab_is_refused(client, pipeline):
    fields = stage_fields("review", subject="gone", select="stage:gone")
    response = send(client, pipeline, "update_stage", **fields)
    assert response.status_code == 409
    assert "inspector" in swapped(response)
