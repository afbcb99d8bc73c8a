"""Models of the app, one module per noun."""

from designer.models.audit_entry import AuditAction, AuditEntry
from designer.models.checklist import Checklist
from designer.models.command import Command
from designer.models.connection import Connection
from designer.models.conversation import Conversation, RecordedEvent, SpanExport
from designer.models.conversation_summary import ConversationSummary, ConversationTag
from designer.models.document_job import DocumentJob
from designer.models.exchange import Exchange
from designer.models.invitation import AccountRole, Invitation
from designer.models.job import Job, JobShard, JobState
from designer.models.membership import Membership, Role
from designer.models.openid_identity import OpenIdIdentity
from designer.models.pipeline import (
    Agent,
    Edit,
    Frame,
    Note,
    Pipeline,
    Rule,
    Stage,
    Tool,
    Transition,
)
from designer.models.share_link import ShareLink
from designer.models.sign_in import SignInCounter, SignInLink
from designer.models.subtask_pipeline import SubtaskPipeline
from designer.models.template import Template
from designer.models.version import (
    LIVE,
    ComparedFile,
    HistoryEntry,
    ImmutableVersionError,
    Release,
    Version,
)
from designer.models.worker_heartbeat import WorkerHeartbeat

__all__ = [
    "LIVE",
    "AccountRole",
    "Agent",
    "AuditAction",
    "AuditEntry",
    "Checklist",
    "Command",
    "ComparedFile",
    "Connection",
    "Conversation",
    "ConversationSummary",
    "ConversationTag",
    "DocumentJob",
    "Edit",
    "Exchange",
    "Frame",
    "HistoryEntry",
    "ImmutableVersionError",
    "Invitation",
    "Job",
    "JobShard",
    "JobState",
    "Membership",
    "Note",
    "OpenIdIdentity",
    "Pipeline",
    "RecordedEvent",
    "Release",
    "Role",
    "Rule",
    "ShareLink",
    "SignInCounter",
    "SignInLink",
    "SpanExport",
    "Stage",
    "SubtaskPipeline",
    "Template",
    "Tool",
    "Transition",
    "Version",
    "WorkerHeartbeat",
]
