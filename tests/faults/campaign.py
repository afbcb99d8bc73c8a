"""Rounds of faults under load, and their result as a table.

Each round takes Redis away, restarts PostgreSQL and kills a server, one after the other, while
users talk. In the end the journal contains each message and each answer exactly once.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import psycopg
from psycopg.rows import dict_row

from tests.faults.services import Services, running_services
from tests.faults.users import ChatUser
from tests.prepared import Prepared
from tests.soak_clients import Desk

ENVIRONMENT = {"BATON_TOKENS_PER_SECOND": "25"}

KINDS = ("Redis away", "PostgreSQL restarted", "kill -9 of a server")

MAX_RECOVERY = 12.0
"""Maximum seconds of a recovery at the 95th percentile."""

EVENTS = """
SELECT conversation_id AS conversation, seq, type, body->>'session_id' AS session,
       body->>'run_id' AS run, body->>'turn' AS turn, body->>'call_id' AS call,
       body->'message'->>'id' AS message
FROM designer_recordedevent ORDER BY conversation_id, seq
"""


@dataclass(frozen=True)
class Fault:
    """A fault, and the users who waited for an answer at that time."""

    kind: str
    at: float
    """Monotonic time from which a recovery is measured."""
    affected: tuple[ChatUser, ...]


@dataclass
class Result:
    """Figures of a campaign."""

    rounds: int
    turns: int = 0
    missing: int = 0
    """Messages without an answer, and events that a user has not received."""
    doubled: int = 0
    """Repeated messages, answers, tool results and received events."""
    stuck: int = 0
    """Runs that did not end."""
    failed: int = 0
    """Runs that ended as failed."""
    recoveries: dict[str, list[float]] = field(default_factory=dict)
    """Seconds until the next event of each affected user, by kind of fault."""

    @property
    def is_good(self) -> bool:
        """True if nothing is missing, doubled or stuck, and recoveries are fast enough."""
        seconds = [second for values in self.recoveries.values() for second in values]
        is_whole = not (self.missing or self.doubled or self.stuck or self.failed)
        return is_whole and percentile(seconds, 95) <= MAX_RECOVERY

    def table(self) -> str:
        """Return the figures as a Markdown table."""
        seconds = [second for values in self.recoveries.values() for second in values]
        counts = (self.rounds, self.turns, self.missing, self.doubled, self.stuck, self.failed)
        lines = [
            "| kills | turns | missing | doubled | stuck | failed | recovery p50 | p95 | longest |",
            "|---|---|---|---|---|---|---|---|---|",
            f"| {' | '.join(map(str, counts))} | {_times(seconds)} |",
            "",
            "| fault | affected | recovery p50 | p95 | longest |",
            "|---|---|---|---|---|",
        ]
        for kind, values in self.recoveries.items():
            lines.append(f"| {kind} | {len(values)} | {_times(values)} |")
        return "\n".join(lines)


@dataclass
class Campaign:
    """Faults and users of some services."""

    services: Services
    users: Sequence[ChatUser]
    outage: float = 10.0
    """Seconds without Redis."""
    pause: float = 5.0
    """Seconds between two faults."""
    settling: float = 90.0
    """Maximum seconds for the last answers after the last fault."""
    faults: list[Fault] = field(default_factory=list)

    @classmethod
    def of(cls, services: Services, conversations: int, **options: Any) -> Campaign:
        """Return a campaign with new conversations of a new user."""
        desk = Desk.of(services.servers[0], conversations)
        users = [
            ChatUser(services.servers, desk.session, row, random.Random(row))  # noqa: S311
            for row in desk.conversations
        ]
        return cls(services, users, **options)

    async def run(self, rounds: int, report: Callable[[str], None]) -> Result:
        """Play the rounds while the users talk; return the figures."""
        is_over = asyncio.Event()
        talks = [asyncio.create_task(user.talk(is_over)) for user in self.users]
        try:
            await asyncio.sleep(self.pause)
            for number in range(rounds):
                await self._play(number)
                ends = sum(user.ends for user in self.users)
                report(f"round {number + 1} of {rounds}: {ends} answers")
            is_over.set()
            await asyncio.wait(talks, timeout=self.settling)
        finally:
            for task in talks:
                task.cancel()
            await asyncio.wait(talks, timeout=5)
        for task in talks:
            if not task.cancelled():
                task.result()
        return await asyncio.to_thread(self._result, rounds)

    async def _play(self, number: int) -> None:
        services, server = self.services, self.services.servers[number % 2]
        redis_outage = services.freeze_redis if number % 2 else services.stop_redis
        await asyncio.to_thread(redis_outage, self.outage)
        self._note(KINDS[0], self.users)
        await asyncio.sleep(self.pause)
        self._note(KINDS[1], self.users)
        await asyncio.to_thread(services.restart_postgresql)
        await asyncio.sleep(self.pause)
        self._note(KINDS[2], [user for user in self.users if user.depends_on(server)])
        server.kill()
        await asyncio.sleep(self.pause)
        await asyncio.to_thread(server.start)

    def _note(self, kind: str, users: Sequence[ChatUser]) -> None:
        affected = tuple(user for user in users if user.is_waiting)
        self.faults.append(Fault(kind, monotonic(), affected))

    def _result(self, rounds: int) -> Result:
        with psycopg.connect(self.services.database_url, row_factory=dict_row) as database:
            events = database.execute(EVENTS).fetchall()
            unfinished = database.execute(
                "SELECT id FROM designer_conversation WHERE run_id <> ''"
            ).fetchall()
        stuck = {row["id"] for row in unfinished}
        stuck |= {user.conversation for user in self.users if user.is_waiting}
        result = Result(rounds, stuck=len(stuck), recoveries=self._recoveries())
        result.turns = sum(event["type"] == "message.completed" for event in events)
        result.failed = sum(event["type"] == "run.failed" for event in events)
        for user in self.users:
            own = [event for event in events if event["conversation"] == user.conversation]
            count_defects(result, user, own)
        return result

    def _recoveries(self) -> dict[str, list[float]]:
        recoveries: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for fault in self.faults:
            for user in fault.affected:
                later = (at for at in user.arrivals if at > fault.at)
                recoveries[fault.kind].append(next(later, float("inf")) - fault.at)
        return recoveries


def count_defects(result: Result, user: ChatUser, events: list[dict[str, Any]]) -> None:
    """Compare a journal with the sent messages and with the received events."""
    received = [event["message"] for event in events if event["type"] == "message.received"]
    expected = {f"message-{number + 1}" for number in range(user.sent)}
    result.missing += len(expected - set(received))
    result.doubled += _repeated(message for message in received if message)
    for kind, name in (("message.completed", "turn"), ("tool.returned", "call")):
        keys = [
            (event["session"], event["run"], event["turn"], event[name])
            for event in events
            if event["type"] == kind
        ]
        result.doubled += _repeated(keys)
    answered = {_turn(event) for event in events if event["type"] == "message.completed"}
    started = {_turn(event) for event in events if event["type"] == "turn.started"}
    result.missing += len(started - answered)
    seen = [number for number, _ in user.events]
    result.doubled += _repeated(seen)
    result.missing += len({event["seq"] for event in events if event["seq"] <= max(seen)} - {*seen})


def _turn(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["session"], event["run"], event["turn"]


def _repeated(values: Any) -> int:
    return sum(count - 1 for count in Counter(values).values())


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _times(values: Sequence[float]) -> str:
    return " | ".join(f"{percentile(values, percent):.1f} s" for percent in (50, 95, 100))


def main() -> int:
    """Play a campaign and print its table; return 1 if a figure is bad."""
    parser = argparse.ArgumentParser(prog="scripts/soak faults", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="number of rounds (50)")
    parser.add_argument("--conversations", type=int, default=12, help="conversations (12)")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="baton-faults-") as name:
        folder = Path(name)
        static_root = Prepared(folder, folder / "own").static_root
        with running_services(folder, static_root, ENVIRONMENT) as services:
            campaign = Campaign.of(services, options.conversations)
            result = asyncio.run(campaign.run(options.rounds, _report))
    print(result.table())  # noqa: T201
    return 0 if result.is_good else 1


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
