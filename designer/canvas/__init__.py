"""The canvas: drawing a definition as cards, transitions and pictures."""

from designer.canvas.cards import (
    HUES,
    SUPERVISOR_CARD,
    FrameBox,
    NoteCard,
    StageCard,
    agent_id,
    canvas_context,
    frame_boxes,
    frame_id,
    hue_of,
    initial,
    members,
    note_cards,
    note_id,
    stage_cards,
    stage_id,
    supervisor_card,
)
from designer.canvas.geometry import (
    GRID,
    LIMIT,
    SUPERVISOR_HEIGHT,
    Box,
    bounding_box,
    boxes_of_frame,
    clearing_move,
    drawn_boxes,
    note_box,
)
from designer.canvas.geometry import HEIGHT as CARD_HEIGHT
from designer.canvas.geometry import WIDTH as CARD_WIDTH
from designer.canvas.geometry import cards as card_boxes
from designer.canvas.layout import (
    notes_off_cards,
    supervisor_off_cards,
    supervisor_position,
    tidy_positions,
    with_positions,
)
from designer.canvas.picture import picture_of, pictures_of, pictures_of_templates
from designer.canvas.problem_form import FixAllForm, FixForm, issue_token
from designer.canvas.problems import (
    Problem,
    ProblemChanges,
    list_problems,
    message_parts,
    problem_changes,
)
from designer.canvas.routes import EdgePath, find_routes
from designer.canvas.supervision import ACTION_WORDS, POINT_WORDS
from designer.canvas.transitions import EdgeLine, edge_id, edge_lines, has_both_ends, is_handoff
from designer.canvas.wrapping import USUAL_AREA, FreeArea

__all__ = [
    "ACTION_WORDS",
    "CARD_HEIGHT",
    "CARD_WIDTH",
    "GRID",
    "HUES",
    "LIMIT",
    "POINT_WORDS",
    "SUPERVISOR_CARD",
    "SUPERVISOR_HEIGHT",
    "USUAL_AREA",
    "Box",
    "EdgeLine",
    "EdgePath",
    "FixAllForm",
    "FixForm",
    "FrameBox",
    "FreeArea",
    "NoteCard",
    "Problem",
    "ProblemChanges",
    "StageCard",
    "agent_id",
    "bounding_box",
    "boxes_of_frame",
    "canvas_context",
    "card_boxes",
    "clearing_move",
    "drawn_boxes",
    "edge_id",
    "edge_lines",
    "find_routes",
    "frame_boxes",
    "frame_id",
    "has_both_ends",
    "hue_of",
    "initial",
    "is_handoff",
    "issue_token",
    "list_problems",
    "members",
    "message_parts",
    "note_box",
    "note_cards",
    "note_id",
    "notes_off_cards",
    "picture_of",
    "pictures_of",
    "pictures_of_templates",
    "problem_changes",
    "stage_cards",
    "stage_id",
    "supervisor_card",
    "supervisor_off_cards",
    "supervisor_position",
    "tidy_positions",
    "with_positions",
]
