"""Closing of a request's database connections."""

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished
from django.db import connection

from designer.core.db_cleanup import (
    close_connections,
    close_connections_after_requests,
    returns_connections,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_end_of_a_request_closes_the_connection_of_its_thread():
    close_connections_after_requests()
    connection.ensure_connection()
    request_finished.send(sender=WSGIHandler)
    assert connection.connection is not None
    request_finished.send(sender=ASGIHandler)
    assert connection.connection is None


def test_the_view_of_an_error_closes_the_connection_that_it_opens():
    connection.close()
    returns_connections(connection.ensure_connection)()
    assert connection.connection is None


async def test_connections_of_the_request_can_be_closed_before_its_end(async_client, user):
    await async_client.aforce_login(user)
    await close_connections()
    assert (await async_client.get("/connections/")).status_code == 200
