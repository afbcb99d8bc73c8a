"""Counts of the fault campaign."""

from __future__ import annotations

import random

from tests.faults.campaign import (
    CLUSTER_ROUND,
    CLUSTER_ROUNDS,
    POSTGRESQL,
    REDIS,
    SERVER_FROZEN,
    SERVER_KILLED,
    WORKER_FROZEN,
    WORKER_KILLED,
    Campaign,
    Result,
    count_defects,
    percentile,
)
from tests.faults.users import ChatUser


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


def test_a_campaign_of_a_cluster_has_every_fault_and_100_kills() -> None:
    faults = {WORKER_KILLED, SERVER_KILLED, WORKER_FROZEN, SERVER_FROZEN, POSTGRESQL, REDIS}
    assert set(CLUSTER_ROUND) == faults
    kills = CLUSTER_ROUND.count(WORKER_KILLED) + CLUSTER_ROUND.count(SERVER_KILLED)
    assert kills * CLUSTER_ROUNDS >= 100
    assert Campaign.outage == 10.0


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile(range(1, 21), percent) for percent in (50, 95, 100)] == [10, 19, 20]
    assert percentile([7.0], 95) == 7.0
