"""Connections that are many, gone meanwhile, or without an end."""

import asyncio
import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer.actions.connections import (
    ConnectionValues,
    SentSecrets,
    keep_models,
    update_connection,
)
from designer.actions.edits import RefusedError
from designer.live.trials import find_models
from designer.models import Connection
from orchestration import connections
from orchestration.addresses import AllowedAddresses
from tests.orchestration.web import Answer, WebServer

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
    values = ConnectionValues(fields={"name": "other"}, secrets=SentSecrets())
    with pytest.raises(RefusedError, match="deleted meanwhile"):
        update_connection(connection=row, values=values)
    keep_models(connection=row, models=["large"])
    assert not Connection.objects.exists()


def test_a_vendor_that_does_not_come_to_an_end_is_given_up(settings) -> None:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    over = threading.Event()

    def answer(_: Any) -> Answer:
        over.wait(30)
        return Answer(as_json={})

    with WebServer(answer) as web:
        reached = connections.Connection("work", "openai_compatible", web.url)
        found = asyncio.run(find_models(reached, within=0.2))
        over.set()
    assert (found.is_ok, found.sentence) == (False, "It did not answer within 0.2 seconds.")
