"""Access to every address of the app without a session and for other users."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from designer.models import Connection, Pipeline
from designer.pipelines.templates import save_template
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.editor_requests import HTMX, draw
from tests.e2e.pages import test_accessibility

pytestmark = pytest.mark.django_db

OPEN = {"sign_in", "sign_in_by_link", "sign_out"}
"""Addresses that need no session."""


def addresses() -> Iterator[tuple[str, str]]:
    """Yield the name and the pattern of every address."""

    def walk(patterns: list[Any], prefix: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            elif isinstance(pattern, URLPattern):
                yield pattern.name or path, "/" + path

    yield from walk(get_resolver().url_patterns, "")


ALL = dict(addresses())
SHARED = {name: path for name, path in ALL.items() if path.startswith("/watch/")}
"""Addresses that need a share link."""
EVERY = {name: path for name, path in ALL.items() if name not in OPEN | SHARED.keys()}
OWNED = {name: path for name, path in EVERY.items() if "<int:pk>" in path}


@pytest.fixture
def owned(user) -> tuple[Pipeline, dict[str, int]]:
    """Pipeline of the user, and ids of other objects by the first part of their addresses."""
    pipeline = draw(user, "intake")
    return pipeline, {
        "conversations": start_conversation(pipeline=pipeline, user=user).pk,
        "connections": Connection.objects.create(owner=user, name="work").pk,
        "templates": save_template(pipeline=pipeline, user=user, name="Kept", description="").pk,
    }


def at(
    patterns: Mapping[str, str], owned: tuple[Pipeline, dict[str, int]]
) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of each address for objects of the user."""
    assert patterns
    for name, pattern in patterns.items():
        path = filled(pattern, owned)
        assert "<" not in path
        yield name, path


def filled(path: str, owned: tuple[Pipeline, dict[str, int]]) -> str:
    pipeline, others = owned
    pk = others.get(path.split("/")[1], pipeline.pk)
    path = path.replace("<int:pk>", str(pk)).replace("<int:seq>", "1")
    path = path.replace("<int:link>", "1")
    path = path.replace("<slug:code>", "ping-pong").replace("<slug:name>", "openai")
    return path.replace("<str:token>", "guessed")


def test_without_a_session_every_page_redirects_to_sign_in(anonymous_client, owned):
    for name, path in at(EVERY, owned):
        for method in (anonymous_client.get, anonymous_client.post):
            response = method(path)
            assert response.status_code == 302, name
            assert response.url.startswith("/sign-in/?next="), name


def test_objects_of_other_users_are_not_found(other_client, owned):
    for name, path in at(OWNED, owned):
        found = {other_client.get(path).status_code, other_client.post(path).status_code}
        assert found <= {404, 405}, name
        assert 404 in found, name
        assert Pipeline.objects.filter(pk=owned[0].pk).exists(), name


def test_without_a_share_link_no_shared_page_is_found(client, anonymous_client, owned):
    for name, path in at(SHARED, owned):
        assert [one.get(path).status_code for one in (client, anonymous_client)] == [404, 404], name
        assert anonymous_client.post(path).status_code == 405, name


def test_every_post_has_csrf_protection(user, owned):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    for name, path in at(ALL, owned):
        for headers in ({}, HTMX):
            assert client.post(path, headers=headers).status_code == 403, name


def test_axe_checks_every_page(client, owned):
    for name, path in at(ALL, owned):
        response = client.get(path)
        is_page = response.content.lstrip().lower().startswith(b"<!doctype html")
        if is_page and response.status_code == 200:
            assert name in test_accessibility.PAGES, (
                "add it to PAGES in tests/e2e/pages/test_accessibility.py, and to a test"
            )


def test_the_tests_of_the_pages_with_axe_exist():
    missing = set(test_accessibility.PAGES.values()) - vars(test_accessibility).keys()
    assert missing == set()
