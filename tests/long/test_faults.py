"""Short rounds of the fault campaigns, which `scripts/soak faults` plays many times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.campaign import CLUSTER_ROUND, ENVIRONMENT, ROUND, Campaign
from tests.faults.services import running_services

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
