"""Sharing a pipeline: who may change it, and who may look at it, beside its owner."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from designer.core import GoneError, RefusedError, lock, notify_shared
from designer.models import Membership, Pipeline

MAX_PEOPLE = 50
"""With how many people a pipeline can be shared."""


@transaction.atomic
def share_pipeline(*, pipeline: Pipeline, username: str, role: str) -> Membership:
    """Let someone look at a pipeline or change it; who may already gets the new role."""
    pipeline = lock(pipeline)
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise RefusedError(f"There is nobody here called “{username}”.", field="username")
    if user.pk == pipeline.owner_id:
        raise RefusedError(f"“{username}” owns this pipeline.", field="username")
    found = pipeline.memberships.filter(user=user).first()
    if found is None and pipeline.memberships.count() >= MAX_PEOPLE:
        raise RefusedError(f"A pipeline is shared with at most {MAX_PEOPLE} people.")
    member = found or Membership(pipeline=pipeline, user=user)
    member.role = role
    member.full_clean()
    member.save()
    transaction.on_commit(partial(notify_shared, pipeline.pk))
    return member


@transaction.atomic
def unshare_pipeline(*, pipeline: Pipeline, user_id: int) -> None:
    """Take someone's role away; their page closes its socket at once."""
    removed, _ = pipeline.memberships.filter(user=user_id).delete()
    if not removed:
        raise GoneError("The pipeline is not shared with them any more.")
    transaction.on_commit(partial(notify_shared, pipeline.pk))
