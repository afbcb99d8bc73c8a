"""The definition of a pipeline: the type that is edited, checked, run and stored.

A `PipelineDefinition` is immutable, so each change creates a new value. It may have *issues*, such
as a transition to a missing stage; `orchestration.validation` reports them. It is never
*malformed*: unknown fields and values beyond a limit are refused here.

Every collection has a canonical order, so a diff in Git shows only changes. Free JSON (a tool's
parameters, a call's arguments) keeps the author's order, because a model writes arguments in the
order of the schema.
"""

from orchestration.definition.agents import Agent, Cue, CueCall, CueHandoff
from orchestration.definition.layout import Frame, Layout, Note, Position
from orchestration.definition.pipeline import FORMAT, VERSION, Limits, PipelineDefinition, Topology
from orchestration.definition.routing import (
    NUMERIC_FIELDS,
    ComparedField,
    Comparison,
    Conditions,
    Operator,
    Rule,
)
from orchestration.definition.stages import Group, InputFilter, Stage, Transition
from orchestration.definition.supervision import (
    NEW_SUPERVISION,
    SUPERVISION_POINTS,
    SUPERVISOR_ACTIONS,
    Supervision,
    SupervisionPoint,
    SupervisorAction,
)
from orchestration.definition.tools import HttpCall, McpCall, Tool, ToolExample
from orchestration.definition.values import (
    HUMAN,
    KEY_PATTERN,
    MAX_AGENTS,
    MAX_COMPARISONS,
    MAX_CUES,
    MAX_FRAMES,
    MAX_GROUP,
    MAX_NOTES,
    MAX_RULES,
    MAX_STAGES,
    MAX_TEXT,
    MAX_TOOLS,
    MAX_TRANSITIONS,
    TOOL_NAME_PATTERN,
    Coordinate,
    Frozen,
    Hue,
    Key,
    Keys,
    Line,
    Name,
    NoteWidth,
    Text,
    ToolName,
    Words,
    in_order,
)

__all__ = [
    "FORMAT",
    "HUMAN",
    "KEY_PATTERN",
    "MAX_AGENTS",
    "MAX_COMPARISONS",
    "MAX_CUES",
    "MAX_FRAMES",
    "MAX_GROUP",
    "MAX_NOTES",
    "MAX_RULES",
    "MAX_STAGES",
    "MAX_TEXT",
    "MAX_TOOLS",
    "MAX_TRANSITIONS",
    "NEW_SUPERVISION",
    "NUMERIC_FIELDS",
    "SUPERVISION_POINTS",
    "SUPERVISOR_ACTIONS",
    "TOOL_NAME_PATTERN",
    "VERSION",
    "Agent",
    "ComparedField",
    "Comparison",
    "Conditions",
    "Coordinate",
    "Cue",
    "CueCall",
    "CueHandoff",
    "Frame",
    "Frozen",
    "Group",
    "HttpCall",
    "Hue",
    "InputFilter",
    "Key",
    "Keys",
    "Layout",
    "Limits",
    "Line",
    "McpCall",
    "Name",
    "Note",
    "NoteWidth",
    "Operator",
    "PipelineDefinition",
    "Position",
    "Rule",
    "Stage",
    "Supervision",
    "SupervisionPoint",
    "SupervisorAction",
    "Text",
    "Tool",
    "ToolExample",
    "ToolName",
    "Topology",
    "Transition",
    "Words",
    "in_order",
]
