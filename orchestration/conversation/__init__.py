"""The pure core of a conversation: planner, event factory and reducer."""

from orchestration.conversation.budget import BUDGET_RESOURCES, Budget, CallCost, RunLimits
from orchestration.conversation.compiled import Check, CompiledPipeline, router_of
from orchestration.conversation.conversation_tree import (
    ConversationNode,
    ConversationTree,
    FindPipeline,
    subtask_completed,
    subtask_started,
)
from orchestration.conversation.event_factory import SWARM_MARK, EventFactory
from orchestration.conversation.filters import MAX_CHARACTERS, MessageFilter
from orchestration.conversation.interventions import refusal
from orchestration.conversation.memory import (
    HandoffMemoryProvider,
    MemoryProvider,
    Recollection,
    SlidingWindowMemory,
    View,
    WholeMemory,
)
from orchestration.conversation.merge_streams import Events, merge
from orchestration.conversation.planner import next_step, planner_of, unsupervised_step
from orchestration.conversation.preview import Offer, offer, supervising_offer
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.steps import (
    AskUser,
    AwaitApproval,
    CallModel,
    CallTools,
    DecideHandoff,
    Enter,
    Fail,
    Finish,
    IssueCommand,
    Receive,
    RequestHandoff,
    Route,
    Spawn,
    Step,
    Work,
)
from orchestration.conversation.stop_conditions import (
    handoff_stops,
    handoff_tool_set,
    stops,
    team_stops,
    workflow_stops,
)
from orchestration.conversation.subtasks import MAX_DEPTH, TASK_MARK, TEAM_MARK, Task, find_template
from orchestration.conversation.supervision.log import SUPERVISOR_MARK
from orchestration.handoff import Filter

__all__ = [
    "BUDGET_RESOURCES",
    "MAX_CHARACTERS",
    "MAX_DEPTH",
    "SUPERVISOR_MARK",
    "SWARM_MARK",
    "TASK_MARK",
    "TEAM_MARK",
    "AskUser",
    "AwaitApproval",
    "Budget",
    "CallCost",
    "CallModel",
    "CallTools",
    "Check",
    "CompiledPipeline",
    "ConversationNode",
    "ConversationTree",
    "DecideHandoff",
    "Enter",
    "EventFactory",
    "Events",
    "Fail",
    "Filter",
    "FindPipeline",
    "Finish",
    "HandoffMemoryProvider",
    "IssueCommand",
    "MemoryProvider",
    "MessageFilter",
    "Offer",
    "Receive",
    "Recollection",
    "ReducedState",
    "RequestHandoff",
    "Route",
    "RunLimits",
    "RunProgress",
    "SlidingWindowMemory",
    "Spawn",
    "Step",
    "Task",
    "View",
    "WholeMemory",
    "Work",
    "find_template",
    "handoff_stops",
    "handoff_tool_set",
    "merge",
    "next_step",
    "offer",
    "planner_of",
    "refusal",
    "router_of",
    "stops",
    "subtask_completed",
    "subtask_started",
    "supervising_offer",
    "team_stops",
    "unsupervised_step",
    "workflow_stops",
]
