"""Kinds of jobs by name."""

from __future__ import annotations

import pytest

from designer.jobs.kinds import JobFailedError, find_kind
from designer.models import Job


def test_each_kind_of_the_settings_is_found_by_its_own_name(settings):
    assert settings.JOB_KINDS
    for name in settings.JOB_KINDS:
        assert find_kind(Job(kind=name)).name == name


def test_an_unknown_kind_is_named_with_the_next_step():
    with pytest.raises(JobFailedError, match=r"has no job “tidy-up”\. Update the workers"):
        find_kind(Job(kind="tidy-up"))
