"""One short round of the fault campaign, which `scripts/soak faults` plays fifty times."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.campaign import ENVIRONMENT, Campaign
from tests.faults.services import running_services


@pytest.mark.server
async def test_no_answer_is_lost_or_repeated_in_a_round_of_faults(
    static_root: Path,
) -> None:
    environment = {**ENVIRONMENT, "BATON_LEASE_SECONDS": "1"}
    # PostgreSQL runs as another user, who cannot enter the folders of pytest.
    with (
        TemporaryDirectory(prefix="baton-faults-") as folder,
        running_services(Path(folder), static_root, environment) as services,
    ):
        campaign = Campaign.of(services, 3, outage=3.0, pause=1.0)
        result = await campaign.run(1, print)
    assert (result.missing, result.doubled, result.stuck, result.failed) == (0, 0, 0, 0)
    assert result.turns >= 3
    assert all(
        seconds < float("inf") for values in result.recoveries.values() for seconds in values
    )
