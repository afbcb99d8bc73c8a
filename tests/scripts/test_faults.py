"""One short round of the fault campaign, which `scripts/soak faults` plays fifty times."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.faults.campaign import ENVIRONMENT, Campaign, Result, count_defects, percentile
from tests.faults.services import running_services
from tests.faults.users import ChatUser


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


def recorded(seq: int, kind: str, **fields: str) -> dict[str, object]:
    empty = dict.fromkeys(("session", "run", "turn", "call", "message"))
    return {"seq": seq, "type": kind, **empty, **fields}


def test_the_campaign_counts_missing_and_repeated_messages_answers_and_events() -> None:
    user = ChatUser([], "", 1, random.Random(1), sent=2)  # noqa: S311
    user.events = [(1, "message.received"), (2, "turn.started"), (2, "turn.started"), (5, "x")]
    events = [
        recorded(1, "message.received", message="message-1"),
        recorded(2, "turn.started", turn="1"),
        recorded(3, "message.completed", turn="1"),
        recorded(4, "message.completed", turn="1"),
        recorded(5, "message.received", message="message-1"),
        recorded(6, "turn.started", turn="2"),
        recorded(7, "turn.started", turn="3"),
    ]
    result = Result(1)
    count_defects(result, user, events)
    assert result.doubled == 3, "message-1, the answer to turn 1, and event 2 in the page"
    assert result.missing == 5, "message-2, the answers to turns 2 and 3, and events 3 and 4"


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile(range(1, 21), percent) for percent in (50, 95, 100)] == [10, 19, 20]
    assert percentile([7.0], 95) == 7.0
