"""Connections that are many, gone meanwhile, or without an end."""

import asyncio
import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer.connections.actions import (
    ConnectionValues,
    SubmittedSecrets,
    store_models,
    update_connection,
)
from designer.connections.connection_tests import MAX_SHOWN, find_models, try_connection
from designer.core.edits import RefusedError
from designer.models import Connection
from orchestration.network import AllowedAddresses
from orchestration.network.connections import ConnectionSettings
from tests.orchestration.providers.completions_server import DONE, KEY, chunk
from tests.orchestration.web_server import Answer, WebServer

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_list_asks_the_database_as_often_for_many_as_for_one(client, user) -> None:
    Connection.objects.create(owner=user, name="work")
    client.get("/connections/")
    with CaptureQueriesContext(connection) as once:
        client.get("/connections/")
    Connection.objects.bulk_create(Connection(owner=user, name=f"more-{n}") for n in range(5))
    with CaptureQueriesContext(connection) as many:
        assert "more-4" in client.get("/connections/").content.decode()
    assert len(many) == len(once)


def test_what_is_told_of_a_connection_that_is_gone_harms_nothing(user) -> None:
    row = Connection.objects.create(owner=user, name="work")
    Connection.objects.all().delete()
    values = ConnectionValues(fields={"name": "other"}, secrets=SubmittedSecrets())
    with pytest.raises(RefusedError, match="has been deleted"):
        update_connection(connection=row, values=values)
    store_models(connection=row, models=["large"])
    assert not Connection.objects.exists()


@pytest.mark.parametrize(
    ("ask", "kind"),
    [
        (find_models, "openai_compatible"),
        (try_connection, "openai_compatible"),
        (try_connection, "http"),
        (try_connection, "mcp"),
    ],
)
def test_who_does_not_come_to_an_end_is_given_up(settings, ask, kind) -> None:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    over = threading.Event()

    def answer(_: Any) -> Answer:
        over.wait(30)
        return Answer(as_json={})

    with WebServer(answer) as web:
        reached = ConnectionSettings("work", kind, web.url)
        found = asyncio.run(ask(reached, within=0.2))
        over.set()
    assert (found.is_ok, found.sentence) == (False, "It did not answer within 0.2 seconds.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["x" * 10_000] * 20, "The answer is too long: the model does not stop."),
        (["It is ", KEY], "small"),
    ],
)
def test_what_a_model_says_in_a_trial_has_a_bound_and_never_the_key(settings, words, sentence):
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    body = b"".join([*(chunk({"content": word}) for word in words), chunk({}, "stop"), DONE])
    with WebServer(lambda _: Answer(body, headers={"Content-Type": "text/event-stream"})) as web:
        reached = ConnectionSettings("work", "openai_compatible", web.url, key=KEY, model="small")
        found = asyncio.run(try_connection(reached))
    assert sentence in found.sentence
    assert found.answer in ("", "It is [key]")
    assert len(found.answer) <= MAX_SHOWN
