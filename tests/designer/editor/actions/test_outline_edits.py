"""Creation of stages in the outline."""

import pytest

from designer.canvas import CARD_HEIGHT, CARD_WIDTH, clearing_move, drawn_boxes
from designer.core.edit_errors import GoneError, RefusedError
from designer.editor.actions.agents import add_agent
from designer.editor.actions.notes_and_frames import add_frame, add_note
from designer.editor.actions.outline_edits import StageDescription, add_described_stage
from designer.editor.actions.topology import STEP_DOWN, STEP_RIGHT, add_stage
from orchestration.definition import Group, Position, Stage
from tests.designer.edit_actions import label
from tests.designer.editor_requests import draw, kinds, now

pytestmark = pytest.mark.django_db


def add(actor, phase, **fields):
    return add_described_stage(**actor, description=StageDescription(phase=phase, **fields))


def test_a_described_stage_is_connected_and_placed_right_of_its_source(actor, pipeline):
    add(actor, "billing", served_by="Review", source="resolution")
    definition = now(pipeline)
    assert definition.stages_by_phase["billing"] == Stage(phase="billing", agent_id="agent-review")
    assert kinds(pipeline)["resolution>billing"] == "next"
    positions = definition.layout.stages
    assert positions["billing"].x == positions["resolution"].x + STEP_RIGHT
    assert label(actor) == "Add stage billing"


def test_a_stage_below_another_does_not_cover_it(actor, pipeline):
    for phase in ("first", "second"):
        add(actor, phase, source="resolution")
    positions = now(pipeline).layout.stages
    assert positions["second"].x == positions["first"].x
    assert positions["second"].y == positions["first"].y + STEP_DOWN
    assert kinds(pipeline)["resolution>second"] == "return"


def test_a_stage_covers_no_note_and_no_frame(actor, pipeline):
    x = now(pipeline).layout.stages["resolution"].x + STEP_RIGHT
    add_note(**actor, at=Position(x=x + 50, y=260))
    add_stage(**actor, at=Position(x=x, y=500))
    add_frame(**actor, phases=["stage-1"])
    others = drawn_boxes(now(pipeline))
    add(actor, "billing", source="resolution")
    at = now(pipeline).layout.stages["billing"]
    assert at.x == x
    assert clearing_move((at.x, at.y, at.x + CARD_WIDTH, at.y + CARD_HEIGHT), others) == (0, 0)


def test_an_unknown_agent_is_created(actor, pipeline):
    add(actor, "billing", served_by="Billing desk", kind="group")
    definition = now(pipeline)
    assert definition.stages_by_phase["billing"].group == Group(agents=("agent-billing-desk",))
    assert definition.agents_by_id["agent-billing-desk"].name == "Billing desk"


def test_the_first_stage_becomes_the_entry(user):
    pipeline = draw(user)
    add({"pipeline": pipeline, "user": user}, "intake", kind="human")
    assert now(pipeline).entry == "intake"


def test_an_ambiguous_name_an_existing_phase_and_a_missing_source_are_refused(actor):
    add_agent(**actor, name="Review")
    with pytest.raises(RefusedError, match="agent-review or agent-review-1") as ambiguous:
        add(actor, "billing", served_by="Review")
    assert ambiguous.value.field == "served_by"
    with pytest.raises(RefusedError, match="There is a stage “review” already") as existing:
        add(actor, "review")
    assert existing.value.field == "phase"
    with pytest.raises(GoneError, match="no stage “gone”"):
        add(actor, "billing", source="gone")
