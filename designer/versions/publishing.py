"""Actions that save versions and move the live release."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from designer import definitions
from designer.audit import record_audit
from designer.core import atomic_action, current_row, edit_action, find_issues, lock, writing
from designer.models import LIVE, AuditAction, Pipeline, Release, Version
from designer.versions.digests import behaviour_digest
from designer.versions.errors import (
    DraftChangedError,
    DraftHasErrorsError,
    NothingToRollBackError,
    PromotedMeanwhileError,
    VersionHasErrorsError,
)
from orchestration.definition import PipelineDefinition
from orchestration.validation import errors

KEEP_ALL = timedelta(days=1)
"""Age from which only the last checkpoint of a day is kept."""


@edit_action
def save_version(*, pipeline: Pipeline, user: User, name: str = "", note: str = "") -> Version:
    """Save the draft as a version, a checkpoint if it has no name, and return it.

    Returns the newest version if it equals the draft, layout included, unless a name is given.
    """
    pipeline = current_row(pipeline)
    version = _new_version(pipeline, user, name, note)
    newest = pipeline.versions.first()
    if newest is not None and not name and newest.definition == version.definition:
        return newest
    with writing(pipeline):
        return _store(version, newest)


@edit_action
def publish(
    *,
    pipeline: Pipeline,
    user: User,
    name: str,
    note: str = "",
    expected: int | None = None,
    draft: int | None = None,
) -> Version:
    """Save the draft as a version, promote it, and return it.

    A draft that behaves like the newest version creates no new one: a checkpoint gets the name and
    the note, and a named version keeps its own. `expected` is the number of the live version that
    the user has seen, None for none; `draft` is the edit count of the draft that the user has seen,
    None for any. Raises DraftHasErrorsError, DraftChangedError if the draft was edited since, or
    PromotedMeanwhileError if another version is live by now.
    """
    pipeline = current_row(pipeline)
    if draft not in (None, pipeline.version):
        raise DraftChangedError
    if count := len(errors(find_issues(pipeline, user, definitions.read(pipeline)))):
        raise DraftHasErrorsError(count)
    version = _new_version(pipeline, user, name, note)
    newest = pipeline.versions.without_definition().first()
    with writing(pipeline):
        if newest is None or newest.digest != version.digest:
            newest = _store(version, newest)
        elif pipeline.versions.filter(pk=newest.pk).name_checkpoints(name, note):
            newest.refresh_from_db(fields=["name", "note"])
        _promote(pipeline, newest, user, expected)
    return newest


def version_of_draft(pipeline: Pipeline, draft: PipelineDefinition) -> Version | None:
    """Return the newest version if it has a name and the draft behaves like it."""
    newest = pipeline.versions.without_definition().first()
    is_same = newest is not None and newest.name and newest.digest == behaviour_digest(draft)
    return newest if is_same else None


def promote(
    *, pipeline: Pipeline, version: Version, user: User, expected: int | None = None
) -> None:
    """Make a version the live one.

    Raises VersionHasErrorsError if it cannot run, such as without a connection of its agents, and
    PromotedMeanwhileError as `publish` does.
    """
    if count := len(errors(find_issues(pipeline, user, version.snapshot()))):
        raise VersionHasErrorsError(version, count)
    _move_release(pipeline, version, user, expected)


def roll_back(*, pipeline: Pipeline, user: User, expected: int | None = None) -> Version:
    """Make the previous live version the live one again, and return it.

    Raises NothingToRollBackError, or an error as `promote` does.
    """
    release = pipeline.releases.select_related("previous").filter(name=LIVE).first()
    if release is None or release.previous is None:
        raise NothingToRollBackError
    promote(pipeline=pipeline, version=release.previous, user=user, expected=expected)
    return release.previous


@atomic_action
def _move_release(pipeline: Pipeline, version: Version, user: User, expected: int | None) -> None:
    """Promote a version that was checked, which takes too long for a transaction that writes."""
    _promote(lock(pipeline), version, user, expected)


def _new_version(pipeline: Pipeline, user: User, name: str, note: str) -> Version:
    """Return a version of the draft that is not stored yet."""
    definition = definitions.read(pipeline)
    version = Version(
        pipeline=pipeline,
        definition=definition.model_dump(mode="json"),
        digest=behaviour_digest(definition),
        name=name,
        note=note,
        author=user,
        author_name=user.get_username(),
        edit_count=pipeline.version,
    )
    version.full_clean(exclude=["number", "definition"])
    return version


def _store(version: Version, newest: Version | None) -> Version:
    """Store a version after the newest one. The caller has locked the pipeline."""
    version.based_on = newest
    version.number = newest.number + 1 if newest else 1
    version.save()
    _thin_out(version.pipeline)
    return version


def _thin_out(pipeline: Pipeline) -> None:
    """Delete old unused checkpoints, except the last one of each day."""
    old = pipeline.versions.checkpoints().filter(created__lt=timezone.now() - KEEP_ALL)
    days = set()
    for pk, created in old.order_by("-number").values_list("pk", "created"):
        if created.date() in days:
            pipeline.versions.filter(pk=pk).delete_checkpoints()
        days.add(created.date())


def _promote(pipeline: Pipeline, version: Version, user: User, expected: int | None) -> None:
    """Move the live release. The caller has locked the pipeline."""
    release = pipeline.releases.filter(name=LIVE).select_related(
        "version", "promoted_by"
    ).first() or Release(pipeline=pipeline, name=LIVE)
    live = release.version if release.pk else None
    if live is not None and live.number != expected:
        raise PromotedMeanwhileError(str(release.promoted_by or "Someone"), live)
    if live == version:
        return
    release.version, release.previous, release.promoted_by = version, live, user
    release.save()
    record_audit(
        AuditAction.VERSION_PROMOTED,
        actor=user,
        target=f"pipeline {pipeline.pk} “{pipeline.name}”",
        detail=f"{version}, before {live or 'none'}",
    )
