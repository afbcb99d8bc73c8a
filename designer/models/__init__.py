"""Models of the app, one module per noun."""

from designer.models.audit_entry import MAX_ACTOR_NAME, MAX_AUDIT_TEXT, AuditAction, AuditEntry
from designer.models.checklist import Checklist
from designer.models.command import Command
from designer.models.connection import MODEL_KINDS, STDIO, Connection, ConnectionQuerySet, host_of
from designer.models.conversation import (
    Conversation,
    ConversationQuerySet,
    RecordedEvent,
    SpanExport,
    read_events,
)
from designer.models.conversation_summary import (
    MAX_FIRST_WORDS,
    SORTED_COLUMNS,
    ConversationSummary,
    ConversationSummaryQuerySet,
    ConversationTag,
)
from designer.models.document_job import DocumentJob
from designer.models.exchange import Exchange
from designer.models.invitation import AccountRole, Invitation, InvitationQuerySet
from designer.models.job import OPEN_JOB_STATES, Job, JobShard, JobState
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
from designer.models.secrets import UnreadableSecretError, reencrypt
from designer.models.share_link import ShareLink
from designer.models.sign_in import LINK_LIFETIME, SignInCounter, SignInLink, token_digest
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
    "LINK_LIFETIME",
    "LIVE",
    "MAX_ACTOR_NAME",
    "MAX_AUDIT_TEXT",
    "MAX_FIRST_WORDS",
    "MODEL_KINDS",
    "OPEN_JOB_STATES",
    "SORTED_COLUMNS",
    "STDIO",
    "AccountRole",
    "Agent",
    "AuditAction",
    "AuditEntry",
    "Checklist",
    "Command",
    "ComparedFile",
    "Connection",
    "ConnectionQuerySet",
    "Conversation",
    "ConversationQuerySet",
    "ConversationSummary",
    "ConversationSummaryQuerySet",
    "ConversationTag",
    "DocumentJob",
    "Edit",
    "Exchange",
    "Frame",
    "HistoryEntry",
    "ImmutableVersionError",
    "Invitation",
    "InvitationQuerySet",
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
    "UnreadableSecretError",
    "Version",
    "WorkerHeartbeat",
    "host_of",
    "read_events",
    "reencrypt",
    "token_digest",
]
