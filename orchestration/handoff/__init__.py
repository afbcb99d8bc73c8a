"""Handoffs: their check, their tools, the tool names, and handoffs declared in code."""

from orchestration.handoff.agent_setup import (
    ToolCallingAgent,
    allowed_handoff_tool,
    setup_handoff,
)
from orchestration.handoff.check import (
    MAX_SUMMARY,
    HandoffHandler,
    HandoffRequest,
    HandoffResult,
    find_loop,
    human_phase,
)
from orchestration.handoff.declared import (
    Filter,
    Filters,
    Handoff,
    HandoffTool,
    InputFilterFunction,
    add_handoff_transitions,
    handoff_transition,
    key_of,
)
from orchestration.handoff.target_names import matching_targets, plain_name, same_name
from orchestration.handoff.tool_names import (
    HANDOFF_TOOL_NAME,
    SWARM_TOOL_NAME,
    delegate_tool_names,
    distinct_names,
    handoff_tool_names,
    passing_tool_names,
    shared_handoff_tool_name,
    snake_case,
    transfer_tool_names,
)
from orchestration.handoff.tools import HANDOFF_TOOL, delegate_tool, handoff_tools

__all__ = [
    "HANDOFF_TOOL",
    "HANDOFF_TOOL_NAME",
    "MAX_SUMMARY",
    "SWARM_TOOL_NAME",
    "Filter",
    "Filters",
    "Handoff",
    "HandoffHandler",
    "HandoffRequest",
    "HandoffResult",
    "HandoffTool",
    "InputFilterFunction",
    "ToolCallingAgent",
    "add_handoff_transitions",
    "allowed_handoff_tool",
    "delegate_tool",
    "delegate_tool_names",
    "distinct_names",
    "find_loop",
    "handoff_tool_names",
    "handoff_tools",
    "handoff_transition",
    "human_phase",
    "key_of",
    "matching_targets",
    "passing_tool_names",
    "plain_name",
    "same_name",
    "setup_handoff",
    "shared_handoff_tool_name",
    "snake_case",
    "transfer_tool_names",
]
