"""Sharing of a pipeline with editors and viewers."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from designer.audit import record_audit
from designer.core import GoneError, RefusedError, atomic_action, lock, notify_shared
from designer.models import AuditAction, Membership, Pipeline, Tool

MAX_PEOPLE = 50
"""Maximum number of people with whom a pipeline is shared."""


def share_pipeline(*, pipeline: Pipeline, username: str, role: str) -> Membership:
    """Give a user a role in a pipeline; an existing role is replaced.

    The case of the name counts only if it distinguishes several users.
    """
    users = list(User.objects.filter(username__iexact=username, is_active=True))
    exact = [user for user in users if user.username == username]
    if len(exact or users) != 1:
        message = (
            f"There is no active user “{username}”. An administrator can invite new users on the "
            "page “People”."
        )
        raise RefusedError(message, field="username")
    (user,) = exact or users
    if user.pk == pipeline.owner_id:
        message = f"“{username}” owns this pipeline: choose another user."
        raise RefusedError(message, field="username")
    return _set_role(pipeline, user, role)


def unshared_subtasks(pipeline: Pipeline) -> list[tuple[str, list[str]]]:
    """Return the people who do not see conversations that run certain pipelines, with their names.

    The tools of the pipeline run them, directly or through each other, and they are not shared
    with these people.
    """
    members = list(pipeline.memberships.select_related("user"))
    if not members:
        return []
    names = _subtask_names(pipeline)
    users: dict[str, set[int]] = {}
    rows = Pipeline.objects.filter(owner=pipeline.owner_id, name__in=names)
    for name, user in rows.exclude(pk=pipeline.pk).values_list("name", "memberships__user"):
        users.setdefault(name, set()).add(user)
    return [
        (member.user.get_username(), missing)
        for member in members
        if (missing := sorted(name for name in users if member.user_id not in users[name]))
    ]


def _subtask_names(pipeline: Pipeline) -> set[str]:
    """Return the names of the owner's pipelines that the pipeline runs, at any depth."""
    tools = Tool.objects.filter(pipeline__owner=pipeline.owner_id, kind="subtask").order_by()
    by_runner = defaultdict[str, set[str]](set)
    for runner, name in tools.values_list("pipeline__name", "pipeline_name"):
        by_runner[runner].add(name)
    found: set[str] = set()
    waiting = by_runner[pipeline.name]
    while waiting:
        found |= waiting
        waiting = set().union(*(by_runner[name] for name in waiting)) - found
    return found


@atomic_action
def _set_role(pipeline: Pipeline, user: User, role: str) -> Membership:
    pipeline = lock(pipeline)
    member = pipeline.memberships.filter(user=user).first()
    if member is None and pipeline.memberships.count() >= MAX_PEOPLE:
        message = f"A pipeline is shared with at most {MAX_PEOPLE} people: remove one first."
        raise RefusedError(message)
    member = member or Membership(pipeline=pipeline, user=user, role="")
    old_role, member.role = member.role, role
    member.full_clean()
    member.save()
    record_audit(
        AuditAction.PIPELINE_SHARED,
        actor=pipeline.owner,
        target=_target(pipeline),
        detail=f"{user}: {role}" + (f", was {old_role}" if old_role else ""),
    )
    transaction.on_commit(partial(notify_shared, pipeline.pk))
    return member


@atomic_action
def unshare_pipeline(*, pipeline: Pipeline, user_id: int, by: User) -> None:
    """Remove a user's role; the sockets of the user's pages close at once.

    `by` is the owner, or the user who leaves.
    """
    member = pipeline.memberships.filter(user=user_id).select_related("user").first()
    if member is None or not member.delete()[0]:
        raise GoneError("The pipeline is no longer shared with this user.")
    record_audit(
        AuditAction.PIPELINE_UNSHARED,
        actor=by,
        target=_target(pipeline),
        detail=f"{member.user}, was {member.role}",
    )
    transaction.on_commit(partial(notify_shared, pipeline.pk))


def _target(pipeline: Pipeline) -> str:
    return f"pipeline {pipeline.pk} “{pipeline.name}”"
