"""Objects of a request, with the check of its permissions. All views look objects up here.

An object of another user is a 404, like a missing one. A visible object without the permission for
the request is a 403 with a sentence.
"""

from __future__ import annotations

from importlib import import_module
from typing import Literal

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from designer.models import (
    Connection,
    Conversation,
    ConversationQuerySet,
    Job,
    Pipeline,
    Role,
    ShareLink,
    Template,
    token_digest,
)
from orchestration.definition import VERSION


class HtmxHttpRequest(HttpRequest):
    """A signed-in request, with the details that htmx submits."""

    htmx: HtmxDetails
    user: User


Right = Literal["view", "edit", "own"]
"""Permission to open a pipeline; to change and rehearse it; to share and delete it."""

_ROLES: dict[Right, set[Role]] = {
    "view": {"owner", "editor", "viewer"},
    "edit": {"owner", "editor"},
    "own": {"owner"},
}
_REFUSALS: dict[Right, str] = {
    "view": "This pipeline is not shared with you.",
    "edit": "You have view-only access to this pipeline. Its owner can let you edit it.",
    "own": "Only the owner of this pipeline can do this.",
}


_NOT_OWN_CONVERSATION = (
    "Only the owner of the pipeline and the person who started this rehearsal can delete it."
)
_NOT_OWN_LINK = (
    "Only the person who created this link, the person who started the rehearsal and the owner of "
    "the pipeline can revoke it."
)

_NOT_OWN_JOB = "Only the person who started this job can download its file."


def check_administrator(request: HtmxHttpRequest) -> None:
    """Hide a page from everyone but administrators: it is a 404 for others."""
    if not request.user.is_superuser:
        raise Http404


def get_pipeline(request: HtmxHttpRequest, pk: int, *, right: Right | None = None) -> Pipeline:
    """Return the pipeline; 404 if the user may not open it, 403 without the right.

    The default right is to view it for GET, otherwise to edit it.
    """
    rows = Pipeline.objects.seen_by(request.user)
    pipeline = get_object_or_404(rows.select_related("entry", "default_agent", "supervisor"), pk=pk)
    right = right or ("view" if request.method in ("GET", "HEAD") else "edit")
    if not may(pipeline, right):
        raise PermissionDenied(_REFUSALS[right])
    return pipeline


def may(pipeline: Pipeline, right: Right) -> bool:
    """Report whether the current user has a right to the pipeline."""
    return role_in(pipeline) in _ROLES[right]


def role_in(pipeline: Pipeline) -> Role:
    """Return the current user's role in a pipeline."""
    return pipeline.role  # type: ignore[attr-defined, no-any-return]


def get_template(request: HtmxHttpRequest, pk: int) -> Template:
    """Return the template; 404 if it is not the user's own."""
    return get_object_or_404(Template.objects.of(request.user).select_related("owner"), pk=pk)


def get_connection(request: HtmxHttpRequest, pk: int) -> Connection:
    """Return the connection; 404 if it is not the user's own."""
    return get_object_or_404(Connection.objects.of(request.user), pk=pk)


def get_job(
    request: HtmxHttpRequest, pk: int, *, right: Literal["view", "download"] = "view"
) -> Job:
    """Return the job; 404 if the user may not see it, 403 without the right.

    Administrators see and stop all jobs, but a result file is only for the person who asked for it.
    """
    job = get_object_or_404(Job.objects.seen_by(request.user), pk=pk)
    if right == "download" and job.asked_by_id != request.user.pk:
        raise PermissionDenied(_NOT_OWN_JOB)
    return job


def posted_key(request: HtmxHttpRequest, name: str) -> str:
    """Return the submitted key of a part; empty if it is invalid."""
    return key_in(request.POST, name)


def key_in(data: QueryDict, name: str) -> str:
    """Return the key of a part from submitted data; empty if it is invalid.

    No key contains U+0000, and a query for it fails in PostgreSQL.
    """
    key = data.get(name, "")
    return "" if "\x00" in key else key


def conversations_in(request: HtmxHttpRequest, pipeline: Pipeline) -> ConversationQuerySet:
    """Return the conversations of a pipeline that the user may open, newest first."""
    return Conversation.objects.of(request.user).filter(pipeline=pipeline)


def get_conversation(
    request: HtmxHttpRequest, pk: int, *, right: Literal["view", "own"] = "view"
) -> Conversation:
    """Return the conversation; 404 if the user may not open its pipeline, 403 without the right."""
    rows = Conversation.objects.of(request.user).select_related("pipeline")
    conversation = get_object_or_404(rows, pk=pk)
    if right == "own" and not owns_conversation(request, conversation):
        raise PermissionDenied(_NOT_OWN_CONVERSATION)
    return conversation


def owns_conversation(request: HtmxHttpRequest, conversation: Conversation) -> bool:
    """Report whether the user started the conversation or owns its pipeline."""
    pipeline = conversation.pipeline
    owner_id = pipeline.owner_id if pipeline is not None else None
    return request.user.pk in (conversation.started_by_id, owner_id)


def check_link_owner(request: HtmxHttpRequest, link: ShareLink) -> None:
    """Refuse a share link of another user in a conversation that the user does not own."""
    if link.created_by_id != request.user.pk and not owns_conversation(request, link.conversation):
        raise PermissionDenied(_NOT_OWN_LINK)


def may_edit_pipeline_of(request: HtmxHttpRequest, conversation: Conversation) -> bool:
    """Report whether the user may edit the pipeline of an accessible conversation."""
    rows = Pipeline.objects.seen_by(request.user).filter(conversations=conversation)
    pipeline = rows.first()
    return pipeline is not None and may(pipeline, "edit")


def conversation_of_session(session_key: str | None, pk: int) -> Conversation | None:
    """Return the conversation; None if the user of a session may no longer open it."""
    access = conversation_and_user_of_session(session_key, pk)
    return access[0] if access is not None else None


def conversation_and_user_of_session(
    session_key: str | None, pk: int
) -> tuple[Conversation, User] | None:
    """Return the conversation and the user of a session; None if the user may not open it."""
    user = user_of_session(session_key)
    if user is None:
        return None
    conversation = Conversation.objects.without_definition().find_for(user, pk)
    return (conversation, user) if conversation is not None else None


def shared_conversation(token: str) -> Conversation | None:
    """Return the conversation that a share link opens, for viewing only.

    A link works until it is revoked or expires, and while its author may open the conversation.
    """
    links = ShareLink.objects.valid().filter(token_hash=token_digest(token))
    link = links.filter(created_by__is_active=True).select_related("created_by").first()
    if link is None:
        return None
    rows = Conversation.objects.without_definition().select_related("pipeline")
    conversation = rows.find_for(link.created_by, link.conversation_id)
    if conversation is not None:
        conversation.is_watched = True
    return conversation


def schema_address(request: HtmxHttpRequest) -> str:
    """Return the address of the JSON Schema of a definition, for exported files."""
    return request.build_absolute_uri(reverse("definition_schema", args=[VERSION]))


def share_link_of(token: str) -> ShareLink | None:
    """Return the share link of a token, whether it still works or not."""
    return ShareLink.objects.filter(token_hash=token_digest(token)).first()


def get_shared_conversation(token: str) -> Conversation:
    """Return the conversation that a share link opens; otherwise 404."""
    conversation = shared_conversation(token)
    if conversation is None:
        raise Http404
    return conversation


def pipeline_of_session(session_key: str | None, pk: int) -> tuple[Pipeline, User] | None:
    """Return the pipeline and the user of a session; None if the user may not open it."""
    user = user_of_session(session_key)
    if user is None:
        return None
    rows = Pipeline.objects.seen_by(user).select_related("entry", "default_agent", "supervisor")
    pipeline = rows.filter(pk=pk).first()
    return (pipeline, user) if pipeline is not None else None


def user_of_session(session_key: str | None) -> User | None:
    """Return the user of a session, or None if it has ended.

    A socket outlives the request that opened it, so the session is read again every time.
    """
    user = get_user(_SessionRequest(session_key))
    return user if isinstance(user, User) else None


class _SessionRequest(HttpRequest):
    """A request that has only a session."""

    def __init__(self, session_key: str | None) -> None:
        super().__init__()
        self.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
