"""Conversations that pass between agents: the engine of Baton, without the web app."""

from orchestration.cast import AgentSpec
from orchestration.definition import Agent, PipelineDefinition
from orchestration.edges import Handoff
from orchestration.events import Event, StopReason
from orchestration.exceptions import (
    BatonError,
    CastError,
    ConditionError,
    DefinitionError,
    HandlerError,
    ProviderError,
    ProviderTimeout,
    ResourceExhausted,
    RoutingError,
    SessionError,
    TaskError,
    ToolError,
    UnknownNameError,
)
from orchestration.handlers import AgentHandler, GroupHandler, Handler, SwarmMode, ToolHandler
from orchestration.handoff import HandoffHandler, HandoffRequest, HandoffResult
from orchestration.hooks import HookContext, Hooks, HookTrigger
from orchestration.journal import Journal, MemoryJournal
from orchestration.loading import load
from orchestration.memory import (
    HandoffMemoryProvider,
    MemoryProvider,
    SlidingWindowMemory,
    WholeMemory,
)
from orchestration.messages import (
    InboundMessage,
    Message,
    SubtaskRequest,
    ToolCall,
    ToolResult,
    Usage,
)
from orchestration.pipeline import ConversationPipeline, PipelineStage
from orchestration.preview import Offer, offer
from orchestration.providers import providers_from_environment
from orchestration.providers.base import Provider
from orchestration.providers.scripted import ScriptedProvider
from orchestration.resources import ResourceMetrics
from orchestration.results import HandoffRecord, RunResult
from orchestration.routing import (
    ConversationRouter,
    RoutingConditions,
    RoutingContext,
    RoutingDecision,
    RoutingRule,
)
from orchestration.session import Session
from orchestration.state import ConversationPhase, ConversationState, PhaseTransition
from orchestration.swarm import Swarm, SwarmRun
from orchestration.tasks import Passthrough, TaskHandler, TaskResult, TaskStatus, TaskSystem
from orchestration.tools.function import FunctionTool
from orchestration.tools.handoff import HANDOFF_TOOL, setup_handoff
from orchestration.tools.spec import ToolSpec

__all__ = [
    "HANDOFF_TOOL",
    "Agent",
    "AgentHandler",
    "AgentSpec",
    "BatonError",
    "CastError",
    "ConditionError",
    "ConversationPhase",
    "ConversationPipeline",
    "ConversationRouter",
    "ConversationState",
    "DefinitionError",
    "Event",
    "FunctionTool",
    "GroupHandler",
    "Handler",
    "HandlerError",
    "Handoff",
    "HandoffHandler",
    "HandoffMemoryProvider",
    "HandoffRecord",
    "HandoffRequest",
    "HandoffResult",
    "HookContext",
    "HookTrigger",
    "Hooks",
    "InboundMessage",
    "Journal",
    "MemoryJournal",
    "MemoryProvider",
    "Message",
    "Offer",
    "Passthrough",
    "PhaseTransition",
    "PipelineDefinition",
    "PipelineStage",
    "Provider",
    "ProviderError",
    "ProviderTimeout",
    "ResourceExhausted",
    "ResourceMetrics",
    "RoutingConditions",
    "RoutingContext",
    "RoutingDecision",
    "RoutingError",
    "RoutingRule",
    "RunResult",
    "ScriptedProvider",
    "Session",
    "SessionError",
    "SlidingWindowMemory",
    "StopReason",
    "SubtaskRequest",
    "Swarm",
    "SwarmMode",
    "SwarmRun",
    "TaskError",
    "TaskHandler",
    "TaskResult",
    "TaskStatus",
    "TaskSystem",
    "ToolCall",
    "ToolError",
    "ToolHandler",
    "ToolResult",
    "ToolSpec",
    "UnknownNameError",
    "Usage",
    "WholeMemory",
    "load",
    "offer",
    "providers_from_environment",
    "setup_handoff",
]
