"""Requests while the database is busy, full or read-only."""

import logging
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.accounts import create_sign_in_link
from designer.models import Pipeline
from tests.designer.editor_requests import HTMX, draw, now, send
from tests.designer.sqlite_limits import full_disk, locked_database, read_only_database
from tests.designer.test_access import ALL, at, owned

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["owned"]

BUSY = "The database is busy: try again."
FULL = "The disk is full: free some space on the server, then try again."
READ_ONLY = "The database is read-only: make its file and folder writable, then try again."
LONG = "x" * 1_900


@pytest.fixture
def client(client: Client) -> Client:
    """Client that receives the response of the server instead of its exception."""
    client.raise_request_exception = False
    return client


def answer(response: Any) -> tuple[int, str]:
    return response.status_code, response.text


def test_a_busy_database_is_reported_to_an_open_page(client: Client, user: User) -> None:
    pipeline = draw(user, "intake")
    with locked_database() as release:
        response = send(client, pipeline, "add_agent")
        assert answer(response) == (503, BUSY)
        assert response["Content-Type"] == "text/plain"
        assert client.get(reverse("editor", args=[pipeline.pk])).status_code == 200
        release()
        assert send(client, pipeline, "add_agent").status_code == 200
    assert len(now(pipeline).agents) == 2


def test_a_full_disk_is_reported_and_nothing_is_lost(client: Client, user: User) -> None:
    pipeline = draw(user, "intake")
    for _ in range(2):
        send(client, pipeline, "add_note")
    before = now(pipeline)
    page = reverse("editor", args=[pipeline.pk])
    texts = [f"{number} {LONG}" for number in range(60)]

    def write(number: int) -> Any:
        key = f"note-{number % 2 + 1}"
        return send(client, pipeline, "write_note", note=key, text=texts[number])

    with full_disk():
        number = next(number for number in range(60) if write(number).status_code != 200)
        assert answer(write(number)) == (507, FULL)
        assert client.get(page).status_code == 200
        assert {note.text for note in now(pipeline).layout.notes} == set(
            ["", "", *texts][number : number + 2]
        )
    assert write(number).status_code == 200
    assert now(pipeline).agents == before.agents


def test_a_form_that_loads_a_page_gets_a_page(client: Client) -> None:
    with read_only_database():
        response = client.post(reverse("pipeline_create"), {"name": "Desk"})
        assert response.status_code == 503
        assert READ_ONLY in response.text
        assert "<h1>The database is read-only</h1>" in response.text
        assert "data-refused" in response.text, "the page keeps the text"
    assert client.post(reverse("pipeline_create"), {"name": "Desk"}).status_code == 302
    assert Pipeline.objects.get().name == "Desk"


def test_every_page_can_be_read_without_write_access(
    client: Client, owned: tuple[Pipeline, dict[str, int]]
) -> None:
    expected = {name: client.get(path).status_code for name, path in at(ALL, owned)}
    with read_only_database():
        for name, path in at(ALL, owned):
            assert client.get(path).status_code == expected[name], name


def test_no_writing_request_is_an_error_of_the_server(
    client: Client, owned: tuple[Pipeline, dict[str, int]]
) -> None:
    with read_only_database():
        for (name, path), headers in product(list(at(ALL, owned)), ({}, HTMX)):
            response = client.post(path, {"name": "x", "username": "ada"}, headers=headers)
            assert response.status_code != 500, name
            if response.status_code >= 500:
                assert READ_ONLY in response.text, name


def test_nobody_is_signed_in_without_write_access(user: User) -> None:
    token = create_sign_in_link(user=user)
    requests = [
        ("/sign-in/", {"username": "ada", "password": "correct horse"}),
        (f"/sign-in/{token}/", {}),
    ]
    for path, fields in requests:
        client = Client(raise_request_exception=False)
        with read_only_database():
            assert client.get(path).status_code == 200
            response = client.post(path, fields)
            assert response.status_code == 503
            assert READ_ONLY in response.text
        assert client.post(path, fields).status_code == 302


def test_a_session_that_must_end_is_no_error_of_the_server(client: Client, user: User) -> None:
    user.set_password("another one")
    user.save()
    with read_only_database():
        assert client.get("/").status_code == 503
    assert client.get("/").status_code == 302


def test_a_failure_is_logged_without_a_traceback(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    [console] = [handler for handler in logging.getLogger().handlers if handler.filters]
    caplog.handler.addFilter(console.filters[0])
    with read_only_database():
        client.post(reverse("pipeline_create"), {"name": "Desk"})
    assert "(The database is read-only)" in caplog.text
    assert "Traceback" not in caplog.text
