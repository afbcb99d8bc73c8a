"""The rows: every model of the app, one module for each noun."""

from designer.models.conversation import Conversation, RecordedEvent
from designer.models.membership import Membership, Role
from designer.models.pipeline import (
    Agent,
    Edit,
    Frame,
    Note,
    Pipeline,
    RoutingRule,
    Stage,
    Tool,
    Transition,
)
from designer.models.sign_in import SignInLink
from designer.models.template import Template

__all__ = [
    "Agent",
    "Conversation",
    "Edit",
    "Frame",
    "Membership",
    "Note",
    "Pipeline",
    "RecordedEvent",
    "Role",
    "RoutingRule",
    "SignInLink",
    "Stage",
    "Template",
    "Tool",
    "Transition",
]
