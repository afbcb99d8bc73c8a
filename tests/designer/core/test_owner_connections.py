"""What agents are offered of their owner's connections, and what a rehearsal uses of them."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from designer.accounts.sharing import share_pipeline
from designer.models import Connection
from tests.designer.connections.connection_pages import saved
from tests.designer.editor_page import agent_fields, inspected, page
from tests.designer.editor_requests import HTMX, draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def asking(user, name):
    """A pipeline whose agent asks a provider."""
    pipeline = draw(user, "intake")
    pipeline.agents.update(provider=name)
    return pipeline


def options(html, field) -> list[str]:
    found = re.search(rf'<datalist id="[^"]*-{field}-list"[^>]*>(.*?)</datalist>', html)
    assert found
    return re.findall('value="([^"]*)"', found[1])


def test_an_agent_is_offered_what_the_owner_is_connected_to(client, user):
    pipeline = asking(user, "work")
    saved(client)
    saved(client, name="shop", kind="http")
    Connection.objects.filter(name="work").update(known_models=["large", "small"])
    html = inspected(client, pipeline, select="agent:agent-intake")
    assert options(html, "provider") == ["default", "scripted", "work"]
    assert options(html, "model") == ["large", "small"]
    assert "is connected here" not in html


def test_another_provider_offers_its_own_models_as_soon_as_it_is_saved(client, user):
    pipeline = asking(user, "default")
    saved(client)
    Connection.objects.update(known_models=["large", "small"])
    fields = agent_fields("agent-intake", provider="work")
    html = client.post(
        reverse("update_agent", args=[pipeline.pk]), fields, headers=HTMX
    ).content.decode()
    assert options(html, "model") == ["large", "small"]


def test_a_provider_that_is_not_connected_is_told_beside_its_field(client, user):
    html = inspected(client, asking(user, "work"), select="agent:agent-intake")
    assert "No provider “work” is connected here." in html


def test_a_pipeline_whose_provider_is_not_connected_cannot_be_rehearsed_until_it_is(client, user):
    pipeline = asking(user, "work")
    begun = client.post(f"/pipelines/{pipeline.pk}/conversations/")
    html = begun.content.decode().replace("&#x27;", "'")
    assert begun.status_code == 422
    assert "uses the provider 'work', but you have no connection of that name." in html
    assert 'href="/connections/add/"' in html
    assert "uses the provider" in page(client, pipeline)
    assert "1 error" in client.get("/").content.decode()
    saved(client)
    assert "1 error" not in client.get("/").content.decode()
    assert "uses the provider" not in page(client, pipeline)
    assert client.post(f"/pipelines/{pipeline.pk}/conversations/").status_code == 302


def test_a_fallback_that_is_not_connected_bars_a_rehearsal_too(client, user):
    pipeline = draw(user, "intake")
    pipeline.agents.update(fallback="spare")
    html = client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "falls back on the provider" in html


def test_who_shares_a_pipeline_is_told_that_its_owner_is_not_connected(
    client, other_client, user, other_user
):
    pipeline = asking(user, "work")
    saved(other_client)  # which does not count: it is not the owner's
    share_pipeline(pipeline=pipeline, username="grace", role="editor")
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "the owner of this pipeline has no connection of that name" in html
    assert 'href="/connections/add/"' not in html
    saved(client)
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "no connection of that name" not in html


def test_a_pipeline_is_rehearsed_in_the_terminal_with_its_owners_connections(
    client, user, vendor, capsys
):
    pipeline = asking(user, "work")
    with pytest.raises(CommandError, match="no connection of that name"):
        call_command("rehearse", str(pipeline.pk), message=["Hi"])
    vendor.script = lambda _: ["Good ", "day."]
    saved(client, base_url=vendor.base_url, key=vendor.api_key, model="small")
    call_command("rehearse", str(pipeline.pk), message=["Hi"])
    assert "Good day." in capsys.readouterr().out
