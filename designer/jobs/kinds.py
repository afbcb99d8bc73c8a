"""Kinds of jobs, and their lookup by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from designer.models import Job


class JobFailedError(Exception):
    """The job cannot continue; the text is a sentence for the person who started it."""


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """A kind of job: the work on one item, and the name of its result file.

    `process` gets the job and an item, and yields parts of the result file. The lease is renewed,
    and a stop is noticed, after each part and each item; a long step without output yields `b""`.
    After a crash an item may be processed again, so its effect must be idempotent. The output is
    stored once. `JobFailedError` ends the job with its sentence.
    """

    name: str
    unit: str
    """Noun for one item, such as `conversation`."""
    process: Callable[[Job, Any], Iterable[bytes]]
    file_name: Callable[[Job], str] | None = None
    """Returns the name of the result file; None if the job has no result file."""
    shard_size: int = 20
    """Number of items in a shard."""


def find_kind(job: Job) -> JobKind:
    """Return the kind of a job; raise `JobFailedError` if this version of Baton does not have it.

    The kinds are imported late, because they belong to packages that use this one.
    """
    path = settings.JOB_KINDS.get(job.kind)
    if path is None:
        raise JobFailedError(
            f"This version of Baton has no job “{job.kind}”. Update the workers, then start it "
            "again."
        )
    kind: JobKind = import_string(path)
    return kind
