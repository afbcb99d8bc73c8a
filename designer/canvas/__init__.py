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
from designer.canvas.geometry import GRID, LIMIT, bounding_box, clearing_move, drawn_boxes
from designer.canvas.layout import (
    notes_off_cards,
    supervisor_off_cards,
    supervisor_position,
    tidy_positions,
    with_positions,
)
from designer.canvas.picture import picture_of, pictures_of, pictures_of_templates
from designer.canvas.problem_form import FixForm, issue_token
from designer.canvas.problems import (
    Problem,
    ProblemChanges,
    list_problems,
    message_parts,
    problem_changes,
)
from designer.canvas.supervision import ACTION_WORDS, POINT_WORDS
from designer.canvas.transitions import EdgeLine, edge_id, edge_lines, is_handoff
from designer.canvas.wrapping import USUAL_AREA, FreeArea

__all__ = [
    "ACTION_WORDS",
    "GRID",
    "HUES",
    "LIMIT",
    "POINT_WORDS",
    "SUPERVISOR_CARD",
    "USUAL_AREA",
    "EdgeLine",
    "FixForm",
    "FrameBox",
    "FreeArea",
    "NoteCard",
    "Problem",
    "ProblemChanges",
    "StageCard",
    "agent_id",
    "bounding_box",
    "canvas_context",
    "clearing_move",
    "drawn_boxes",
    "edge_id",
    "edge_lines",
    "frame_boxes",
    "frame_id",
    "hue_of",
    "initial",
    "is_handoff",
    "issue_token",
    "list_problems",
    "members",
    "message_parts",
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
