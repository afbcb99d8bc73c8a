"""The canvas: drawing a definition as cards, transitions and pictures."""

from designer.canvas.cards import (
    HUES,
    FrameBox,
    NoteSlip,
    StageCard,
    agent_id,
    canvas_context,
    frame_boxes,
    frame_id,
    hue_of,
    initial,
    members,
    note_id,
    note_slips,
    stage_cards,
    stage_id,
    supervisor_card,
)
from designer.canvas.geometry import GRID, RIM, aside, drawn, whole
from designer.canvas.layout import lookout, notes_aside, placed, supervisor_aside, tidied
from designer.canvas.picture import picture_of, pictures_of, pictures_of_templates
from designer.canvas.problem_form import FixForm, token_of
from designer.canvas.problems import Problem, Relisted, list_problems, pieces, relisted
from designer.canvas.transitions import EdgeLine, edge_id, edge_lines, is_told

__all__ = [
    "GRID",
    "HUES",
    "RIM",
    "EdgeLine",
    "FixForm",
    "FrameBox",
    "NoteSlip",
    "Problem",
    "Relisted",
    "StageCard",
    "agent_id",
    "aside",
    "canvas_context",
    "drawn",
    "edge_id",
    "edge_lines",
    "frame_boxes",
    "frame_id",
    "hue_of",
    "initial",
    "is_told",
    "list_problems",
    "lookout",
    "members",
    "note_id",
    "note_slips",
    "notes_aside",
    "picture_of",
    "pictures_of",
    "pictures_of_templates",
    "pieces",
    "placed",
    "relisted",
    "stage_cards",
    "stage_id",
    "supervisor_aside",
    "supervisor_card",
    "tidied",
    "token_of",
    "whole",
]
