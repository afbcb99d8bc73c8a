"""Sharing of a pipeline with editors and viewers."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from designer.core import GoneError, RefusedError, atomic_action, lock, notify_shared
from designer.models import Membership, Pipeline

MAX_PEOPLE = 50
"""Maximum number of people with whom a pipeline is shared."""


def share_pipeline(*, pipeline: Pipeline, username: str, role: str) -> Membership:
    """Give a user a role in a pipeline; an existing role is replaced."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise RefusedError(f"There is no active user “{username}”.", field="username")
    if user.pk == pipeline.owner_id:
        message = f"“{username}” owns this pipeline: choose another user."
        raise RefusedError(message, field="username")
    return _set_role(pipeline, user, role)


@atomic_action
def _set_role(pipeline: Pipeline, user: User, role: str) -> Membership:
    pipeline = lock(pipeline)
    member = pipeline.memberships.filter(user=user).first()
    if member is None and pipeline.memberships.count() >= MAX_PEOPLE:
        message = f"A pipeline is shared with at most {MAX_PEOPLE} people: remove one first."
        raise RefusedError(message)
    member = member or Membership(pipeline=pipeline, user=user)
    member.role = role
    member.full_clean()
    member.save()
    transaction.on_commit(partial(notify_shared, pipeline.pk))
    return member


@atomic_action
def unshare_pipeline(*, pipeline: Pipeline, user_id: int) -> None:
    """Remove a user's role; the sockets of the user's pages close at once."""
    removed, _ = pipeline.memberships.filter(user=user_id).delete()
    if not removed:
        raise GoneError("The pipeline is no longer shared with this user.")
    transaction.on_commit(partial(notify_shared, pipeline.pk))
