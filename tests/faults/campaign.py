"""Faults under load, and their result as a table.

One fault after the other happens while users talk. In the end the journal contains each message
and each answer exactly once. Without workers a round consists of an outage of Redis, a restart of
PostgreSQL and a kill of a server; the longer round of a cluster also kills and freezes workers.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import signal
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
from tests.serving import BatonProcess, BatonServer, BatonWorker
from tests.soak_clients import Desk

ENVIRONMENT = {"BATON_TOKENS_PER_SECOND": "25"}

REDIS, POSTGRESQL, SERVER_KILLED = "Redis away", "PostgreSQL restarted", "kill -9 of a server"
WORKER_KILLED, WORKER_FROZEN = "kill -9 of a worker", "worker frozen"
SERVER_FROZEN = "server frozen"

ROUND = (REDIS, POSTGRESQL, SERVER_KILLED)
"""Faults of a round without workers."""

CLUSTER_ROUND = (
    WORKER_KILLED, SERVER_KILLED, WORKER_KILLED, WORKER_FROZEN, WORKER_KILLED, POSTGRESQL,
    SERVER_KILLED, WORKER_KILLED, SERVER_FROZEN, WORKER_KILLED, SERVER_KILLED, WORKER_KILLED, REDIS,
)  # fmt: skip
"""Faults of a round of a cluster; nine are kills."""

ROUNDS, CLUSTER_ROUNDS = 50, 12
"""Numbers of rounds without and with workers."""

STARTS = 3
"""Failed starts of a killed process that are repeated."""

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

    kills: int
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
        counts = (self.kills, self.turns, self.missing, self.doubled, self.stuck, self.failed)
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
    freeze: float = 6.0
    """Seconds of a frozen process, longer than its lease."""
    pause: float = 5.0
    """Seconds between two faults."""
    settling: float = 90.0
    """Maximum seconds for the last answers after the last fault."""
    faults: list[Fault] = field(default_factory=list)
    is_ended: bool = False
    """True to cause no more faults, and to count."""
    _starting: dict[BatonProcess, asyncio.Task[None]] = field(default_factory=dict)
    """Killed processes that start again."""

    @classmethod
    def of(cls, services: Services, conversations: int, **options: Any) -> Campaign:
        """Return a campaign with new conversations of a new user."""
        desk = Desk.of(services.servers[0], conversations)
        users = [
            ChatUser(services.servers, desk.session, row, random.Random(row))  # noqa: S311
            for row in desk.conversations
        ]
        return cls(services, users, **options)

    async def run(self, kinds: Sequence[str], report: Callable[[str], None]) -> Result:
        """Cause these faults while the users talk; return the figures."""
        is_over = asyncio.Event()
        talks = [asyncio.create_task(user.talk(is_over)) for user in self.users]
        try:
            await asyncio.sleep(self.pause)
            counts: Counter[str] = Counter()
            for number, kind in enumerate(kinds, 1):
                if self.is_ended:
                    break
                await self._play(kind, counts[kind])
                counts[kind] += 1
                ends = sum(user.ends for user in self.users)
                report(f"fault {number} of {len(kinds)}, {kind}: {ends} answers")
            await asyncio.gather(*self._starting.values())
            is_over.set()
            await asyncio.wait(talks, timeout=self.settling)
        finally:
            for task in talks:
                task.cancel()
            await asyncio.wait(talks, timeout=5)
        for task in talks:
            if not task.cancelled():
                task.result()
        kills = counts[SERVER_KILLED] + counts[WORKER_KILLED]
        return await asyncio.to_thread(self._result, kills)

    async def _play(self, kind: str, number: int) -> None:
        """Cause a fault, the one with this number of its kind, and wait."""
        services = self.services
        server = services.servers[number % len(services.servers)]
        worker = services.workers[number % len(services.workers)] if services.workers else None
        for process, start in list(self._starting.items()):
            # No process starts without its database and channel layer.
            if process in (server, worker) or kind in (REDIS, POSTGRESQL):
                await start
                del self._starting[process]
        match kind:
            case "Redis away":
                outage = services.freeze_redis if number % 2 else services.stop_redis
                await asyncio.to_thread(outage, self.outage)
                self._note(kind, self.users)
            case "PostgreSQL restarted":
                self._note(kind, self.users)
                await asyncio.to_thread(services.restart_postgresql)
            case "kill -9 of a server":
                self._note(kind, [user for user in self.users if user.depends_on(server)])
                await self._kill(server)
            case "server frozen":
                self._note(kind, [user for user in self.users if user.depends_on(server)])
                await self._freeze(server)
            case "kill -9 of a worker" if worker is not None:
                self._note(kind, self.users)
                await self._kill(worker)
            case "worker frozen" if worker is not None:
                self._note(kind, self.users)
                await self._freeze(worker)
            case _:
                raise ValueError(kind)
        await asyncio.sleep(self.pause)

    async def _kill(self, process: BatonServer | BatonWorker) -> None:
        """Kill a process, which starts again later: the next fault does not wait for it."""
        process.kill()
        self._starting[process] = asyncio.create_task(self._start(process))

    async def _start(self, process: BatonServer | BatonWorker) -> None:
        await asyncio.sleep(self.pause)
        for _ in range(STARTS):  # as a service manager does
            with contextlib.suppress(AssertionError):
                await asyncio.to_thread(process.start)
                return
        await asyncio.to_thread(process.start)

    async def _freeze(self, process: BatonProcess) -> None:
        process.freeze()
        try:
            await asyncio.sleep(self.freeze)
        finally:
            process.thaw()

    def _note(self, kind: str, users: Sequence[ChatUser]) -> None:
        affected = tuple(user for user in users if user.is_waiting)
        self.faults.append(Fault(kind, monotonic(), affected))

    def _result(self, kills: int) -> Result:
        with psycopg.connect(self.services.database_url, row_factory=dict_row) as database:
            events = database.execute(EVENTS).fetchall()
            unfinished = database.execute(
                "SELECT id FROM designer_conversation WHERE run_id <> ''"
            ).fetchall()
        stuck = {row["id"] for row in unfinished}
        stuck |= {user.conversation for user in self.users if user.is_waiting}
        result = Result(kills, stuck=len(stuck), recoveries=self._recoveries())
        result.turns = sum(event["type"] == "message.completed" for event in events)
        result.failed = sum(event["type"] == "run.failed" for event in events)
        for user in self.users:
            own = [event for event in events if event["conversation"] == user.conversation]
            count_defects(result, user, own)
        return result

    def _recoveries(self) -> dict[str, list[float]]:
        recoveries: dict[str, list[float]] = {}
        for fault in self.faults:
            recoveries.setdefault(fault.kind, [])
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
    parser.add_argument("--cluster", action="store_true", help="drive the runs in three workers")
    parser.add_argument("--rounds", type=int, help="number of rounds (50; of a cluster 12)")
    parser.add_argument("--conversations", type=int, default=12, help="conversations (12)")
    parser.add_argument("--pause", type=float, default=5.0, help="seconds between faults (5)")
    options = parser.parse_args()
    kinds = CLUSTER_ROUND if options.cluster else ROUND
    rounds = options.rounds or (CLUSTER_ROUNDS if options.cluster else ROUNDS)
    with TemporaryDirectory(prefix="baton-faults-") as name:
        folder = Path(name)
        static_root = Prepared(folder, folder / "own").static_root
        workers = 3 if options.cluster else 0
        with running_services(folder, static_root, ENVIRONMENT, workers=workers) as services:
            campaign = Campaign.of(services, options.conversations, pause=options.pause)
            result = asyncio.run(_run(campaign, kinds * rounds))
    print(result.table())  # noqa: T201
    return 0 if result.is_good else 1


async def _run(campaign: Campaign, kinds: Sequence[str]) -> Result:
    """Play a campaign; after Ctrl-C or SIGTERM it counts what it has."""

    def end() -> None:
        campaign.is_ended = True

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, end)
    return await campaign.run(kinds, _report)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
