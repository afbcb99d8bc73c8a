"""Short rounds of the fault campaigns, which `scripts/soak faults` plays many times."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.campaign import CLUSTER_ROUND, ENVIRONMENT, ROUND, Campaign
from tests.faults.services import running_services
from tests.serving import ROOT, clean_environment

CLUSTER_FAULTS = list(dict.fromkeys(CLUSTER_ROUND))
"""Each fault of a cluster once."""


@pytest.mark.server
@pytest.mark.parametrize(("workers", "kinds"), [(0, ROUND), (3, CLUSTER_FAULTS)])
async def test_no_answer_is_lost_or_repeated_in_a_round_of_faults(
    static_root: Path, workers: int, kinds: Sequence[str]
) -> None:
    environment = {**ENVIRONMENT, "BATON_LEASE_SECONDS": "1"}
    # PostgreSQL runs as another user, who cannot enter the folders of pytest.
    with (
        TemporaryDirectory(prefix="baton-faults-") as folder,
        running_services(Path(folder), static_root, environment, workers=workers) as services,
    ):
        campaign = Campaign.of(services, 3, outage=3.0, freeze=2.0, pause=1.0)
        result = await campaign.run(kinds, print)
    assert (result.missing, result.doubled, result.stuck, result.failed) == (0, 0, 0, 0)
    assert result.turns >= 3
    assert all(
        seconds < float("inf") for values in result.recoveries.values() for seconds in values
    )


@pytest.mark.server
def test_the_cluster_names_its_processes_and_ends_with_ctrl_c() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.cluster"],
        cwd=ROOT,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Press Ctrl-C"):
                break
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    counts = Counter(line.split()[0].strip(":") for line in lines)
    assert counts == {"Database": 1, "Valkey": 1, "Server": 2, "Worker": 3, "Press": 1}
