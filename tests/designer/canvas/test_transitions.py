"""Labels of transition lines, by topology."""

import pytest

from designer.canvas.cards import stage_cards
from designer.canvas.transitions import edge_id, edge_lines, is_handoff
from designer.core.undo import undo_edit
from designer.editor.actions.topology import update_payload
from designer.pipelines.actions import import_definition
from orchestration.definition import Stage, Transition
from tests.designer.editor_page import as_shown, inspected, page
from tests.designer.editor_requests import chain, now, send, swapped

pytestmark = pytest.mark.django_db

SCHEMA = {"type": "object", "properties": {"why": {"type": "string"}}}


def drawn(topology="pipeline", **fields):
    """A chain of stages with a return from the second and a payload for the last."""
    definition = chain("intake", "review", "resolution", topology=topology)
    untyped = {
        Transition(source="intake", target="review"),
        Transition(source="review", target="intake", kind="return"),
    }
    typed = Transition(source="review", target="resolution", input_schema=SCHEMA)
    return definition.model_copy(update={"transitions": (*untyped, typed), **fields})


def lines(definition):
    return {
        line.dom_id.removeprefix("edge-"): (line.look, line.label)
        for line in edge_lines(definition, definition.transitions)
    }


@pytest.mark.parametrize("topology", ["pipeline", "swarm"])
def test_the_label_of_a_handoff_with_a_payload_counts_its_fields(topology):
    assert lines(drawn(topology)) == {
        "intake--review": ("next", "next"),
        "review--intake": ("return", "return"),
        "review--resolution": ("next", "next {1}"),
    }


@pytest.mark.parametrize(
    ("description", "label"),
    [
        ("The customer agrees.", "The customer agrees"),
        ("When the refund is approved by the reviewer", "refund is approved by…"),
        ("When it is about a bill", "about a bill"),
        ("If there is another question", "another question"),
        ("Whenever\nsomething is missing", "Whenever something is…"),
        ("x" * 40, "x" * 23 + "…"),
        ("When", "next"),
        ("", "next"),
    ],
)
def test_the_label_of_a_transition_is_the_beginning_of_its_condition(description, label):
    definition = chain("intake", "review")
    [edge] = definition.transitions
    described = edge.model_copy(update={"description": description})
    [line] = edge_lines(definition, [described])
    assert line.label == label


def test_a_workflow_follows_only_next_transitions():
    assert lines(drawn("workflow")) == {
        "intake--review": ("next", "next"),
        "review--intake": ("idle", "not followed"),
        "review--resolution": ("next", "next"),
    }


def test_in_a_team_only_the_entry_delegates():
    team = drawn("team", entry="review")
    assert lines(team) == {
        "intake--review": ("idle", "not followed"),
        "review--intake": ("next", "delegates"),
        "review--resolution": ("next", "delegates"),
    }
    (lead,) = stage_cards(team, ["review"])
    assert (lead.is_lead, lead.leads_to) == (True, "delegates to intake, resolution")
    assert not any(card.is_terminal for card in stage_cards(team, team.stages_by_phase))


def test_a_workflow_ends_at_a_stage_without_a_next_transition():
    workflow = drawn("workflow")
    without = (way for way in workflow.transitions if way.target != "resolution")
    workflow = workflow.model_copy(update={"transitions": tuple(without)})
    (review,) = stage_cards(workflow, ["review"])
    assert (review.is_terminal, review.leads_to) == (True, "")


def test_a_group_follows_only_its_next_transition_without_a_payload():
    definition = drawn()
    group = Stage(phase="review", kind="group")
    stages = (*(stage for stage in definition.stages if stage.phase != "review"), group)
    assert lines(definition.model_copy(update={"stages": stages})) == {
        "intake--review": ("next", "next"),
        "review--intake": ("idle", "not followed"),
        "review--resolution": ("next", "next"),
    }


def test_a_line_has_an_accessible_name(client, user):
    html = page(client, import_definition(user=user, definition=drawn()))
    assert 'aria-label="Next from review to resolution, by transfer_to_agent_resolution"' in html
    assert 'aria-label="Return from review to intake"' in html
    html = page(client, import_definition(user=user, definition=drawn("team")))
    assert 'aria-label="Delegates from intake to review"' in html
    assert "agent Intake, entry, lead, delegates to review" in html


@pytest.mark.parametrize(
    ("topology", "onward", "chip"),
    [
        ("pipeline", "review may hand over to", "return"),
        ("workflow", "review is followed by", "not followed"),
        ("team", "review delegates to", "not followed"),
    ],
)
def test_the_handoffs_tab_shows_the_effect_of_each_transition(client, user, topology, onward, chip):
    pipeline = import_definition(user=user, definition=drawn(topology))
    html = inspected(client, pipeline, select="stage:review", tab="handoffs")
    assert onward in html
    assert f'<span class="chip">{chip}</span> intake' in html


def test_the_label_of_the_description_depends_on_the_topology(client, user):
    for topology, label in (
        ("swarm", "When to take it"),
        ("team", "Task to delegate"),
        ("workflow", "Description"),
    ):
        pipeline = import_definition(user=user, definition=drawn(topology))
        assert f">{label}</label>" in inspected(client, pipeline, select="transition:intake>review")


@pytest.mark.parametrize("kind", ["human", "group"])
def test_the_description_of_a_transition_without_a_model_is_for_people(client, user, kind):
    definition = chain("intake", "review")
    stages = (Stage(phase="intake", kind=kind), definition.stages_by_phase["review"])
    definition = definition.model_copy(update={"stages": stages})
    pipeline = import_definition(user=user, definition=definition)
    html = inspected(client, pipeline, select="transition:intake>review")
    assert ">Description</label>" in html
    assert "For people; models do not read it." in html


def test_a_new_lead_redraws_the_lines_of_the_old_and_the_new_lead(client, user):
    pipeline = import_definition(user=user, definition=drawn("team"))
    fields = as_shown(inspected(client, pipeline), "settings-form", entry="review")
    response = send(client, pipeline, "update_pipeline", **fields)
    assert {"edge-intake--review", "edge-review--intake", "edge-review--resolution"} <= swapped(
        response
    )


def test_the_agent_of_the_target_names_the_handoff_tool(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    html = inspected(client, pipeline, select="stage:resolution")
    fields = as_shown(html, "stage-form", agent_id="agent-intake")
    response = send(client, pipeline, "update_stage", **fields)
    assert "by transfer_to_agent_intake" in response.text
    assert "edge-intake--review" not in swapped(response)
    html = inspected(client, pipeline, select="stage:intake", tab="handoffs")
    assert "transfer_to" not in html
    html = inspected(client, pipeline, select="stage:review", tab="handoffs")
    assert "transfer_to_agent_intake</code>" in html


def test_a_new_payload_changes_the_label_and_undo_restores_it(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    who = {"pipeline": pipeline, "user": user}
    update_payload(**who, key="review>intake", schema=SCHEMA, tool_name=None)
    assert lines(now(pipeline))["review--intake"] == ("return", "return {1}")
    undo_edit(**who)
    assert lines(now(pipeline))["review--intake"] == ("return", "return")


def test_a_new_transition_redraws_lines_whose_direction_changes(client, user):
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


def test_moving_a_stage_redraws_no_lines(client, user):
    pipeline = import_definition(user=user, definition=drawn())
    moves = '[{"phase": "intake", "x": 4000, "y": 5}]'
    response = send(client, pipeline, "move_stages", moves=moves)
    assert "edge-" not in response.text


def test_an_edges_id_is_its_own_even_where_phases_hold_dashes():
    assert edge_id("a", "b") == "edge-a--b"
    assert edge_id("a--b", "c") != edge_id("a", "b--c")


@pytest.mark.parametrize("topology", ["workflow", "team"])
def test_only_pipelines_and_swarms_take_transitions_by_handoffs(topology):
    definition = chain("intake", "review")
    [transition] = definition.transitions
    assert is_handoff(definition, transition)
    other = definition.model_copy(update={"topology": topology})
    assert not is_handoff(other, transition)
