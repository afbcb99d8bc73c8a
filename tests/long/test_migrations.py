"""Migrations of databases with data from an earlier version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.serving import clean_environment, manage

pytestmark = pytest.mark.server

BEFORE_SUMMARIES = "0034_openid_identities"
"""Last migration before the page of conversations."""

MIGRATE_STEPWISE = f"""
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

executor = MigrationExecutor(connection)
executor.loader.replace_migrations = False  # the short way of an empty database is later
executor.loader.build_graph()
executor.migrate([("designer", {BEFORE_SUMMARIES!r})])
"""

RECORD = f"""
from asgiref.sync import async_to_sync
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from designer.rehearsal.actions.event_rows import event_body
from orchestration.events import MessageDelta
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session
from tests.designer.live_conversations import sample

target = [("designer", {BEFORE_SUMMARIES!r})]
apps = MigrationExecutor(connection).loader.project_state(target).apps
rows = lambda name: apps.get_model("designer", name).objects
owner = apps.get_model("auth", "User").objects.create(username="ada")
pipeline = rows("Pipeline").create(owner=owner, name="Support", version=12)
definition = sample("support")

def create(number, **fields):
    stored = definition.model_dump(mode="json", exclude_defaults=True)
    common = dict(started_by=owner, definition=stored, pipeline_version=5, number=number)
    return rows("Conversation").create(**{{**common, "pipeline": pipeline, **fields}})

played = create(1)

async def play():
    session = Session(
        definition,
        session_id=f"conversation-{{played.pk}}",
        providers={{"default": ScriptedProvider(tokens_per_second=None)}},
    )
    message = InboundMessage(id="1", text="I was charged twice for order A-1043.")
    return [each async for each in session.receive(message)]

events = [each for each in async_to_sync(play)() if not isinstance(each, MessageDelta)]
for each in events:
    body = event_body(each)
    rows("RecordedEvent").create(conversation=played, seq=each.seq, type=each.type, body=body)
rows("Conversation").filter(pk=played.pk).update(last_seq=len(events))
fork = create(2, forked_from=played, forked_at=3)
rows("Conversation").bulk_create(
    rows("Conversation").model(
        pipeline=pipeline, started_by=owner, number=number, definition={{}}, pipeline_version=1,
    )
    for number in range(3, 300)
)
create(1, pipeline=None)
print(played.pk, fork.pk)
"""

CHECK = """
from collections import Counter
from designer.conversations import start_summaries
from designer.conversations.search import matching
from designer.models import Conversation, ConversationSummary
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from tests.designer.jobs.workers import run_tasks

rows = ConversationSummary.objects
assert rows.count() == Conversation.objects.exclude(pipeline=None).count() == 299
assert rows.filter(is_outdated=True, version=0).count() == 299
assert Counter(rows.values_list("source", flat=True)) == {"rehearsal": 298, "fork": 1}
assert start_summaries()
with transaction.atomic():
    run_tasks()
assert not rows.filter(is_outdated=True).exists()
played = rows.get(conversation__number=1)
assert played.outcome == "replied" and played.turns > 1 and played.handoffs > 0, vars(played)
assert played.path.startswith("intake"), played.path
assert played.first_words == "I was charged twice for order A-1043."
assert list(rows.filter(pk__in=matching(["charged", "twice"]))) == [played]
client = Client(headers={"host": "localhost"})
client.force_login(User.objects.get())
response = client.get(f"/pipelines/{played.pipeline_id}/conversations/all/?q=charged")
assert response.status_code == 200 and "1 conversation" in response.text
print("migrated")
"""


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_conversations_of_an_earlier_version_get_their_sums_and_are_found(
    request: pytest.FixtureRequest, static_root: Path, tmp_path: Path, vendor: str
) -> None:
    environment: dict[str, Any] = clean_environment() | {
        "BATON_DATA_DIR": str(tmp_path),
        "BATON_STATIC_ROOT": str(static_root),
    }
    if vendor == "postgresql":
        environment["DATABASE_URL"] = request.getfixturevalue("empty_postgres_url")
    manage(environment, "shell", "--no-imports", "-c", MIGRATE_STEPWISE)
    manage(environment, "shell", "--no-imports", "-c", RECORD)
    manage(environment, "migrate", "--verbosity", "0")
    assert manage(environment, "shell", "--no-imports", "-c", CHECK).endswith("migrated")
