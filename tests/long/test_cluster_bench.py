"""`scripts/bench cluster`: the smallest size runs and prints its table."""

import pytest

from tests.bench.cluster import WIDTH
from tests.bench.scripts import bench


@pytest.mark.server
@pytest.mark.timeout(600)
def test_a_cluster_in_its_smallest_size_is_measured_to_the_last_row():
    """The bench runs and prints its table; a test asserts no time."""
    sizes = ("--most", "1", "--words", "150", "--queued", "5", "--kills", "1")
    done = bench("cluster", *sizes)

    assert done.returncode == 0, done.stderr
    rows = {line[:WIDTH].strip(): line[WIDTH:].strip() for line in done.stdout.splitlines()}
    assert list(rows) == [
        "the machine",
        "start of a run to its first turn",
        "workers: 1 conversations at once",
        "workers: at most, with 99th ≤ 150 ms",
        "queue throughput, runs of one turn",
        "recovery after 1 kills of a worker",
        "alone: 1 conversations at once",
        "alone: at most, with 99th ≤ 150 ms",
    ]
    for name in ("workers", "alone"):
        assert rows[f"{name}: 1 conversations at once"].endswith(" 0 words lost")
    assert rows["recovery after 1 kills of a worker"].endswith(" 1 conversations")
