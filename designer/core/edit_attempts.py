"""Attempts of an edit: read and check without a lock, then write if nothing has changed since.

Reading a pipeline and running the rules takes much longer than writing a patch, and SQLite has one
writer at a time. Therefore an attempt only remembers the version that it reads. `writing` locks the
pipeline and checks that this version is still current; otherwise the edit is attempted again. The
last attempt locks the pipeline first, so that an edit succeeds however often others edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, transaction

from designer import definitions
from designer.core.edit_errors import GoneError, StaleEditError
from designer.core.transactions import repeat_while_busy
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition

P = ParamSpec("P")
T = TypeVar("T")

Version = tuple[int, datetime]

MAX_ATTEMPTS = 4
"""Maximum number of attempts of an edit; the last one locks first."""


class _OutdatedError(Exception):
    """Another edit was made after the attempt had read the pipeline."""


@dataclass(slots=True)
class _Attempt:
    """Attempt of an edit."""

    locks: bool
    """True if the pipeline is locked before it is read."""
    previews: bool = False
    """True if nothing is written."""
    rows: dict[int, Pipeline] = field(default_factory=dict)
    """Rows that were read, by id."""
    versions: dict[int, Version] = field(default_factory=dict)
    """Versions that were read."""
    has_written: bool = False

    def is_outdated(self) -> bool:
        """Report whether a pipeline has changed since it was read."""
        rows = Pipeline.objects.filter(pk__in=self.versions)
        current = {pk: (version, at) for pk, version, at in rows.values_list(*_VERSION)}
        return current != self.versions


_VERSION = ("pk", "version", "updated")
_ATTEMPT: ContextVar[_Attempt | None] = ContextVar("edit attempt", default=None)


def edit_action(action: Callable[P, T]) -> Callable[P, T]:
    """Decorate an action that edits a pipeline: it is attempted until no other edit interferes.

    An action that another one calls belongs to the same attempt.
    """

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return attempt_edit(partial(action, *args, **kwargs))

    return run


def attempt_edit(work: Callable[[], T]) -> T:
    """Call a function until no edit by others comes between its reading and its writing.

    The function reads `current_row` and writes inside `writing`, both once or more.
    """
    if _ATTEMPT.get() is not None:
        return work()
    return repeat_while_busy(partial(_repeat_while_outdated, work))


def preview_edit(work: Callable[[], T]) -> T:
    """Call a function with `make_edit` and write nothing: its result is that of the edit.

    Raises `StaleEditError` if others edit meanwhile, again and again.
    """
    for _ in range(MAX_ATTEMPTS):
        with suppress(_OutdatedError):
            return _run(work, _Attempt(locks=False, previews=True))
    raise StaleEditError("This pipeline is being edited by others.")


def is_preview() -> bool:
    """Report whether the current attempt writes nothing."""
    attempt = _ATTEMPT.get()
    return attempt is not None and attempt.previews


def current_row(pipeline: Pipeline) -> Pipeline:
    """Return the current row of the pipeline; the same one during the whole attempt."""
    attempt = _ATTEMPT.get()
    if attempt is None:
        return _find(pipeline, locks=False)
    row = attempt.rows.get(pipeline.pk)
    if row is None:
        row = attempt.rows[pipeline.pk] = _find(pipeline, locks=attempt.locks)
        attempt.versions[row.pk] = (row.version, row.updated)
    return row


@contextmanager
def writing(pipeline: Pipeline) -> Iterator[None]:
    """Lock a row that `current_row` returned, in a transaction, unless it is outdated by now."""
    attempt = _ATTEMPT.get()
    if attempt is None:
        raise TypeError("Writing needs an attempt: decorate the action with `edit_action`.")
    if attempt.previews:
        raise TypeError("A preview writes nothing.")
    with transaction.atomic():
        rows = Pipeline.objects.select_for_update().filter(pk=pipeline.pk)
        current = rows.values_list("version", "updated").first()
        if current != attempt.versions[pipeline.pk]:
            raise _OutdatedError
        yield
        attempt.versions[pipeline.pk] = (pipeline.version, pipeline.updated)
        attempt.has_written = True


@edit_action
def read_definition(pipeline: Pipeline) -> PipelineDefinition:
    """Return the current definition of a pipeline, with all parts from the same version."""
    return definitions.read(current_row(pipeline))


def lock(pipeline: Pipeline) -> Pipeline:
    """Lock the pipeline until the end of the transaction and return its current row."""
    return _find(pipeline, locks=True)


def _repeat_while_outdated(work: Callable[[], T]) -> T:
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return _run(work, _Attempt(locks=False))
        except _OutdatedError:
            continue
    with transaction.atomic():
        return _run(work, _Attempt(locks=True))


def _run(work: Callable[[], T], attempt: _Attempt) -> T:
    """Make one attempt. Raise `_OutdatedError` for a result that is based on a mixture of versions.

    The rows of a pipeline are read one table after the other, so they may belong to two versions.
    """
    token = _ATTEMPT.set(attempt)
    try:
        result = work()
    except (DatabaseError, _OutdatedError):
        raise
    except Exception:
        if not attempt.has_written and attempt.is_outdated():
            raise _OutdatedError from None
        raise
    finally:
        _ATTEMPT.reset(token)
    if not attempt.has_written and attempt.is_outdated():
        raise _OutdatedError
    return result


def _find(pipeline: Pipeline, *, locks: bool) -> Pipeline:
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    if locks:
        rows = rows.select_for_update(of=("self",))
    row = rows.filter(pk=pipeline.pk).first()
    if row is None:
        raise GoneError("This pipeline has been deleted.")
    return row
