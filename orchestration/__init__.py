"""Conversations that pass between agents: the engine of Baton, without the web app."""

from orchestration.definition import PipelineDefinition
from orchestration.events import Event, StopReason
from orchestration.exceptions import (
    BatonError,
    ConditionError,
    DefinitionError,
    HandlerError,
    ProviderError,
    ProviderTimeout,
    RoutingError,
    SessionError,
    UnknownNameError,
)
from orchestration.handlers import Handler, ToolHandler
from orchestration.handoff import HandoffHandler, HandoffRequest, HandoffResult
from orchestration.hooks import HookContext, Hooks, HookTrigger
from orchestration.loading import load
from orchestration.memory import (
    HandoffMemoryProvider,
    MemoryProvider,
    SlidingWindowMemory,
    WholeMemory,
)
from orchestration.messages import InboundMessage, Message, ToolCall, ToolResult, Usage
from orchestration.pipeline import ConversationPipeline, PipelineStage
from orchestration.preview import Offer, offer
from orchestration.providers import providers_from_environment
from orchestration.providers.base import Provider
from orchestration.providers.scripted import ScriptedProvider
from orchestration.routing import (
    ConversationRouter,
    RoutingConditions,
    RoutingContext,
    RoutingDecision,
    RoutingRule,
)
from orchestration.session import Session
from orchestration.state import ConversationPhase, ConversationState, PhaseTransition
from orchestration.tools.handoff import HANDOFF_TOOL, setup_handoff
from orchestration.tools.spec import ToolSpec

__all__ = [
    "HANDOFF_TOOL",
    "BatonError",
    "ConditionError",
    "ConversationPhase",
    "ConversationPipeline",
    "ConversationRouter",
    "ConversationState",
    "DefinitionError",
    "Event",
    "Handler",
    "HandlerError",
    "HandoffHandler",
    "HandoffMemoryProvider",
    "HandoffRequest",
    "HandoffResult",
    "HookContext",
    "HookTrigger",
    "Hooks",
    "InboundMessage",
    "MemoryProvider",
    "Message",
    "Offer",
    "PhaseTransition",
    "PipelineDefinition",
    "PipelineStage",
    "Provider",
    "ProviderError",
    "ProviderTimeout",
    "RoutingConditions",
    "RoutingContext",
    "RoutingDecision",
    "RoutingError",
    "RoutingRule",
    "ScriptedProvider",
    "Session",
    "SessionError",
    "SlidingWindowMemory",
    "StopReason",
    "ToolCall",
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
