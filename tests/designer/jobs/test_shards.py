"""Leases on shards."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.jobs import shards
from designer.jobs.shards import ShardLostError, claim_shard, finish_shard
from designer.jobs.stop import stop_job
from designer.models import JobShard

pytestmark = pytest.mark.django_db


@pytest.fixture
def eager(monkeypatch):
    """Renew leases at each call."""
    monkeypatch.setattr(shards, "RENEW_SECONDS", 0)


def expire() -> None:
    JobShard.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


def test_each_worker_claims_another_shard(gated):
    job = gated(5)
    leases = [claim_shard(job_id=job.pk) for _ in range(4)]
    assert [lease and lease.items for lease in leases] == [[1, 2], [3, 4], [5], None]


def test_a_worker_that_lost_its_lease_cannot_finish_the_shard(gated):
    job = gated(2)
    first = claim_shard(job_id=job.pk)
    expire()
    second = claim_shard(job_id=job.pk)
    assert first
    assert second
    assert (first.is_taken_over, second.is_taken_over) == (False, True)
    with pytest.raises(ShardLostError):
        finish_shard(lease=first, output=b"first")
    assert not finish_shard(lease=second, output=b"second")
    with pytest.raises(ShardLostError):
        finish_shard(lease=second, output=b"again")
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", 2)
    assert bytes(job.shards.get().output) == b"second"


def test_a_worker_keeps_its_lease_until_another_one_has_it(gated, eager):
    job = gated(2)
    first = claim_shard(job_id=job.pk)
    assert first
    expire()
    first.keep()
    assert claim_shard(job_id=job.pk) is None
    expire()
    assert claim_shard(job_id=job.pk)
    with pytest.raises(ShardLostError):
        first.keep()


def test_a_stop_is_noticed_at_the_next_renewal_and_at_the_end(gated, eager):
    job = gated(2)
    lease = claim_shard(job_id=job.pk)
    assert lease
    lease.keep()
    stop_job(job=job)
    with pytest.raises(ShardLostError):
        lease.keep()
    with pytest.raises(ShardLostError):
        finish_shard(lease=lease, output=b"late")
    assert claim_shard(job_id=job.pk) is None
    job.refresh_from_db()
    assert (job.state, job.done) == ("stopped", 0)
