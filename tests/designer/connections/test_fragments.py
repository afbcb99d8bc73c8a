"""Content of the connections page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer.models import Connection
from tests.designer.connections.connection_pages import save_connection
from tests.designer.editor_requests import draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def test_connections_of_the_environment_are_listed_without_their_keys(client, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-of-the-environment")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-small")
    html = client.get("/connections/").content.decode()
    assert "From the environment" in html
    assert all(text in html for text in ("ANTHROPIC_API_KEY", "claude-small", "api.anthropic.com"))
    assert "used by agents that name no connection" in html
    assert "canary" not in html
    save_connection(client, name="anthropic")
    html = client.get("/connections/").content.decode()
    assert "your own connection of that name is used instead" in html


def test_the_list_counts_the_agents_of_a_connection(client, user):
    pipeline = draw(user, "intake", "review")
    pipeline.agents.filter(key="agent-intake").update(provider="work")
    pipeline.agents.filter(key="agent-review").update(fallback="work")
    save_connection(client)
    assert "2 agents" in client.get("/connections/").content.decode()


def test_the_list_needs_a_constant_number_of_queries(client, user) -> None:
    Connection.objects.create(owner=user, name="work")
    client.get("/connections/")
    with CaptureQueriesContext(connection) as once:
        client.get("/connections/")
    Connection.objects.bulk_create(Connection(owner=user, name=f"more-{n}") for n in range(5))
    with CaptureQueriesContext(connection) as many:
        assert "more-4" in client.get("/connections/").content.decode()
    assert len(many) == len(once)
