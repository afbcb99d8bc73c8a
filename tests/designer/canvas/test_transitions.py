"""What the lines of transitions say, by topology."""

import pytest

from designer.canvas.cards import stage_cards
from designer.canvas.transitions import edge_lines
from designer.core.edits import undo_edit
from designer.editor.actions import topology
from designer.pipelines.actions import import_definition
from orchestration.definition import Stage, Transition
from tests.designer.editor_page import as_shown, inspected, page
from tests.designer.editor_requests import chain, now, send, swapped

pytestmark = pytest.mark.django_db

SCHEMA = {"type": "object", "properties": {"why": {"type": "string"}}}


def drawn(passes_on="pipeline", **fields):
    """Stages in a row; the second may go back, and the last is told something."""
    definition = chain("intake", "review", "resolution", topology=passes_on)
    ways = {
        Transition(source="intake", target="review"),
        Transition(source="review", target="intake", kind="return"),
    }
    typed = Transition(source="review", target="resolution", input_schema=SCHEMA)
    return definition.model_copy(update={"transitions": (*ways, typed), **fields})


def lines(definition):
    return {
        line.dom_id.removeprefix("edge-"): (line.look, line.mark, line.label)
        for line in edge_lines(definition, definition.transitions)
    }


@pytest.mark.parametrize("passes_on", ["pipeline", "swarm"])
def test_a_handoff_that_says_something_bears_a_mark_and_its_tools_name(passes_on):
    assert lines(drawn(passes_on)) == {
        "intake--review": ("next", "", "next"),
        "review--intake": ("return", "return", "return"),
        "review--resolution": ("next", "{ }", "transfer_to_agent_resolution"),
    }


def test_in_a_workflow_only_the_next_stage_is_led_to():
    assert lines(drawn("workflow")) == {
        "intake--review": ("next", "", "next"),
        "review--intake": ("idle", "", "not followed"),
        "review--resolution": ("next", "", "next"),
    }


def test_in_a_team_the_entry_delegates_and_nobody_else():
    team = drawn("team", entry="review")
    assert lines(team) == {
        "intake--review": ("idle", "", "not followed"),
        "review--intake": ("next", "delegates", "delegates"),
        "review--resolution": ("next", "delegates", "delegates"),
    }
    (lead,) = stage_cards(team, ["review"])
    assert (lead.is_lead, lead.leads_to) == (True, "delegates to intake, resolution")
    assert not any(card.is_terminal for card in stage_cards(team, team.stages_by_phase))


def test_the_end_of_a_workflow_is_where_no_next_stage_is():
    workflow = drawn("workflow")
    without = (way for way in workflow.transitions if way.target != "resolution")
    workflow = workflow.model_copy(update={"transitions": tuple(without)})
    (review,) = stage_cards(workflow, ["review"])
    assert (review.is_terminal, review.leads_to) == (True, "")


def test_a_group_chooses_no_way_and_tells_nothing():
    definition = drawn()
    group = Stage(phase="review", kind="group")
    stages = (*(stage for stage in definition.stages if stage.phase != "review"), group)
    assert lines(definition.model_copy(update={"stages": stages})) == {
        "intake--review": ("next", "", "next"),
        "review--intake": ("idle", "", "not followed"),
        "review--resolution": ("next", "", "next"),
    }


def test_a_line_is_told_to_those_who_do_not_see_it(client, user):
    html = page(client, import_definition(user=user, definition=drawn()))
    assert 'aria-label="Next from review to resolution, by transfer_to_agent_resolution"' in html
    assert 'aria-label="Return from review to intake"' in html
    html = page(client, import_definition(user=user, definition=drawn("team")))
    assert 'aria-label="Delegates from intake to review"' in html
    assert "agent Intake, entry, lead, delegates to review" in html


@pytest.mark.parametrize(
    ("passes_on", "onward", "chip"),
    [
        ("pipeline", "review may hand over to", "return"),
        ("workflow", "review is followed by", "not followed"),
        ("team", "review delegates to", "not followed"),
    ],
)
def test_the_panel_of_handoffs_says_what_becomes_of_them(client, user, passes_on, onward, chip):
    pipeline = import_definition(user=user, definition=drawn(passes_on))
    html = inspected(client, pipeline, select="stage:review", tab="handoffs")
    assert onward in html
    assert f'<span class="chip">{chip}</span> intake' in html


def test_a_transition_says_what_its_description_is_for(client, user):
    for passes_on, label in (
        ("swarm", "When to take it"),
        ("team", "What to delegate"),
        ("workflow", "Description"),
    ):
        pipeline = import_definition(user=user, definition=drawn(passes_on))
        assert f">{label}</label>" in inspected(client, pipeline, select="transition:intake>review")


def test_a_new_lead_draws_the_lines_of_the_old_one_and_its_own(client, user):
    pipeline = import_definition(user=user, definition=drawn("team"))
    fields = as_shown(inspected(client, pipeline), "settings-form", entry="review")
    response = send(client, pipeline, "update_pipeline", **fields)
    assert {"edge-intake--review", "edge-review--intake", "edge-review--resolution"} <= swapped(
        response
    )


def test_whoever_serves_the_target_gives_the_tool_its_name(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    html = inspected(client, pipeline, select="stage:resolution")
    fields = as_shown(html, "stage-form", agent_id="agent-intake")
    response = send(client, pipeline, "update_stage", **fields)
    assert 'data-label="transfer_to_agent_intake"' in response.text
    assert "edge-intake--review" not in swapped(response)
    html = inspected(client, pipeline, select="stage:intake", tab="handoffs")
    assert "transfer_to" not in html
    html = inspected(client, pipeline, select="stage:review", tab="handoffs")
    assert "transfer_to_agent_intake</code>" in html


def test_another_handoff_of_the_same_stage_may_change_a_tools_name(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    who = {"pipeline": pipeline, "user": user}
    topology.update_payload(**who, key="review>intake", schema=SCHEMA, tool_name=None)
    assert lines(now(pipeline))["review--intake"] == ("return", "{ }", "transfer_to_agent_intake")
    undo_edit(**who)
    assert lines(now(pipeline))["review--intake"] == ("return", "return", "return")


def test_a_line_that_reads_otherwise_now_is_drawn_anew_with_the_one_that_made_it_so(client, user):
    definition = chain("intake", "review", "resolution")
    branch = Transition(source="resolution", target="intake", kind="return")
    definition = definition.model_copy(
        update={
            "transitions": (
                Transition(source="intake", target="review"),
                branch,
            )
        }
    )
    pipeline = import_definition(user=user, definition=definition)
    assert 'aria-label="Branch from resolution to intake"' in page(client, pipeline)
    response = send(client, pipeline, "connect", source="review", target="resolution")
    assert 'aria-label="Return from resolution to intake"' in response.text
    response = send(client, pipeline, "undo")
    assert 'aria-label="Branch from resolution to intake"' in response.text
    html = inspected(client, pipeline, select="stage:resolution", tab="handoffs")
    assert '<span class="chip">branch</span> intake' in html


def test_moving_a_stage_turns_no_line(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    moves = '[{"phase": "intake", "x": 4000, "y": 5}]'
    response = send(client, pipeline, "move_stages", moves=moves)
    assert "edge-" not in response.text
