"""Connections of a pipeline's owner for agents and rehearsals."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from designer.models import Connection
from tests.designer.connections.connection_pages import save_connection
from tests.designer.editor_page import agent_fields, inspected
from tests.designer.editor_requests import HTMX, draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def pipeline_with_provider(user, name):
    """Create a pipeline whose agent uses a provider."""
    pipeline = draw(user, "intake")
    pipeline.agents.update(provider=name)
    return pipeline


def options(html, field) -> list[str]:
    found = re.search(rf'<datalist id="[^"]*-{field}-list"[^>]*>(.*?)</datalist>', html)
    assert found
    return re.findall('value="([^"]*)"', found[1])


def test_an_agent_can_choose_the_connections_of_the_owner(client, user):
    pipeline = pipeline_with_provider(user, "work")
    save_connection(client)
    save_connection(client, name="shop", kind="http")
    Connection.objects.filter(name="work").update(known_models=["large", "small"])
    html = inspected(client, pipeline, select="agent:agent-intake")
    assert options(html, "provider") == ["default", "scripted", "work"]
    assert options(html, "model") == ["large", "small"]
    assert "is connected here" not in html


def test_a_saved_provider_changes_the_suggested_models(client, user):
    pipeline = pipeline_with_provider(user, "default")
    save_connection(client)
    Connection.objects.update(known_models=["large", "small"])
    fields = agent_fields("agent-intake", provider="work")
    html = client.post(
        reverse("update_agent", args=[pipeline.pk]), fields, headers=HTMX
    ).content.decode()
    assert options(html, "model") == ["large", "small"]


def test_a_rehearsal_in_the_terminal_uses_the_owners_connections(client, user, vendor, capsys):
    pipeline = pipeline_with_provider(user, "work")
    with pytest.raises(CommandError, match="no connection of that name"):
        call_command("rehearse", str(pipeline.pk), message=["Hi"])
    vendor.script = lambda _: ["Good ", "day."]
    save_connection(client, base_url=vendor.base_url, key=vendor.api_key, model="small")
    call_command("rehearse", str(pipeline.pk), message=["Hi"])
    assert "Good day." in capsys.readouterr().out
