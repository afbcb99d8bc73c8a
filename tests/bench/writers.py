"""Writers on one SQLite database: real actions of many threads and of several processes.

Every writer edits the same pipeline, imports pipelines, starts conversations and records their
events, without a pause. The table shows the actions that failed because the database was locked,
the attempts that had to be repeated, and the time of an action.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from uuid import uuid4

from tests.serving import ROOT, clean_environment, manage

CAMPAIGNS = ((1, 8), (2, 4))
"""Numbers of processes, and of threads in each."""

SET_UP = """
from django.contrib.auth.models import User
from designer.pipelines import create_samples
create_samples(user=User.objects.create_user("ada"))
"""
PIPELINE, STAGE, AGENT = "Customer support", "triage", "agent-triage"


@dataclass
class Writes:
    """Results of writers."""

    seconds: list[float] = field(default_factory=list)
    """Duration of each action."""
    locked: int = 0
    """Actions that failed because the database was locked."""
    repeated: int = 0
    """Attempts after the first one."""
    others: Counter[str] = field(default_factory=Counter)
    """Other errors, by type."""

    def add(self, other: Writes) -> None:
        """Add the results of other writers."""
        self.seconds += other.seconds
        self.locked += other.locked
        self.repeated += other.repeated
        self.others.update(other.others)

    def percentile(self, share: float) -> str:
        """Return a percentile of the durations, in milliseconds."""
        ordered = sorted(self.seconds)
        return f"{1000 * ordered[int(share * (len(ordered) - 1))]:.0f} ms"


def main() -> int:
    """Run the campaigns, or the threads of one process, and print their results."""
    options = _options()
    if options.threads:
        print(json.dumps(vars(write(options.threads, options.seconds))))  # noqa: T201
        return 0
    failed = 0
    for processes, threads in CAMPAIGNS:
        writes = campaign(processes, threads, options.seconds)
        errors = ", ".join(f"{count} {name}" for name, count in writes.others.items())
        failed += writes.locked + writes.others.total()
        figures = [
            f"{processes} x {threads} writers: {len(writes.seconds)} actions",
            f"{writes.locked} locked",
            f"{writes.repeated} repeated",
            f"p50 {writes.percentile(0.5)}",
            f"p99 {writes.percentile(0.99)}",
            f"longest {writes.percentile(1)}",
            f"other errors: {errors or 'none'}",
        ]
        print(", ".join(figures), flush=True)  # noqa: T201
    return int(failed > 0)


def campaign(processes: int, threads: int, seconds: float) -> Writes:
    """Run writers on a new database until the time is up."""
    with TemporaryDirectory(prefix="baton-writers-") as folder:
        environment = clean_environment() | {"BATON_DATA_DIR": folder}
        manage(environment, "migrate", "--verbosity", "0")
        manage(environment, "shell", "--no-imports", "-c", SET_UP)
        command = [sys.executable, "-m", "tests.bench.writers", "--threads", str(threads)]
        started = [
            subprocess.Popen(
                [*command, "--seconds", str(seconds)],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(processes)
        ]
        writes = Writes()
        for process in started:
            output, _ = process.communicate(timeout=seconds + 120)
            result = json.loads(output)
            writes.add(Writes(**result | {"others": Counter(result["others"])}))
        return writes


def write(threads: int, seconds: float) -> Writes:
    """Write with this many threads of this process."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
    django.setup()
    from stamina.instrumentation import RetryDetails, set_on_retry_hooks

    total, guard = Writes(), threading.Lock()

    def count(details: RetryDetails) -> None:
        with guard:
            total.repeated += 1

    set_on_retry_hooks([count])
    results = [Writes() for _ in range(threads)]
    actions = _actions()  # their imports take a while
    end = monotonic() + seconds
    running = [threading.Thread(target=_write, args=(result, end, actions)) for result in results]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for result in results:
        total.add(result)
    return total


def _write(result: Writes, end: float, actions: Sequence[Callable[[], object]]) -> None:
    """Perform actions in random order until the time is up, at least one."""
    from django.db import connection

    from designer.core import EditError
    from designer.core.database_failures import is_busy

    start = monotonic()
    while start < end or not result.seconds:
        try:
            random.choice(actions)()  # noqa: S311
        except EditError:
            pass  # refused, because of the edit of another writer
        except Exception as error:  # noqa: BLE001 - counted
            if is_busy(error):
                result.locked += 1
            else:
                result.others[type(error).__name__] += 1
        now = monotonic()
        result.seconds.append(now - start)
        start = now
    connection.close()


def _actions() -> list[Callable[[], object]]:
    """Return the actions of the writers."""
    from django.contrib.auth.models import User

    from designer.core import undo_edit
    from designer.editor.actions.agents import update_agent
    from designer.editor.actions.topology import move_stages
    from designer.models import Pipeline
    from designer.pipelines import import_definition, samples
    from designer.rehearsal.actions.conversations import start_conversation
    from orchestration.definition import Position

    user = User.objects.get(username="ada")
    pipeline = Pipeline.objects.filter(owner=user, name=PIPELINE).earliest("pk")
    support = samples()["support"]
    agent = support.agents_by_id[AGENT]
    actor: dict[str, Any] = {"pipeline": pipeline, "user": user}

    def move() -> None:
        place = Position(x=random.randint(0, 900), y=random.randint(0, 900))  # noqa: S311
        move_stages(**actor, to={STAGE: place})

    def instruct() -> None:
        changed = agent.model_copy(update={"instructions": f"Answer {uuid4().hex}."})
        update_agent(**actor, agent_id=AGENT, agent=changed)

    def rehearse() -> None:
        _rehearse(start_conversation(**actor), user)

    return [
        move,
        instruct,
        rehearse,
        lambda: undo_edit(**actor),
        lambda: import_definition(user=user, definition=support),
    ]


def _rehearse(conversation: Any, user: Any) -> None:
    """Record a message and the events of its run, as the server does."""
    from designer.rehearsal.actions.commands import put_command
    from designer.rehearsal.actions.conversations import record_event, take_steps
    from designer.rehearsal.actions.leases import seize_lease
    from orchestration.events import Event, MessageDelta, RunStarted
    from orchestration.messages import InboundMessage
    from orchestration.providers import ScriptedProvider
    from orchestration.runtime import Session

    message = InboundMessage(id=uuid4().hex, text="I was charged twice for order A-1043.")
    command = put_command(conversation_id=conversation.pk, command=message, user_id=user.pk)

    async def play() -> list[Event]:
        session = Session(
            conversation.snapshot(),
            session_id=conversation.session_id,
            providers={"default": ScriptedProvider(0)},
        )
        return [event async for event in session.receive(message)]

    first, *events = (event for event in asyncio.run(play()) if not isinstance(event, MessageDelta))
    if not isinstance(first, RunStarted):
        raise TypeError(f"A run began with {first.type!r}.")
    take_steps(conversation_id=conversation.pk, events=[first], command=command)
    lease = seize_lease(conversation_id=conversation.pk)
    if lease is None:
        raise TypeError("The run has no lease.")
    for event in events:
        record_event(lease=lease, event=event)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="duration of each campaign (30)")
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
