"""Missing connections of agents and tools."""

import pytest

from designer.accounts.sharing import share_pipeline
from tests.designer.connections.connection_pages import save_connection
from tests.designer.editor_page import inspected, page
from tests.designer.editor_requests import draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def pipeline_with_provider(user, name):
    """Create a pipeline whose agent uses a provider."""
    pipeline = draw(user, "intake")
    pipeline.agents.update(provider=name)
    return pipeline


def test_a_missing_provider_is_reported_at_its_field(client, user):
    html = inspected(client, pipeline_with_provider(user, "work"), select="agent:agent-intake")
    assert "No provider “work” is connected here." in html


def test_a_missing_provider_prevents_a_rehearsal(client, user):
    pipeline = pipeline_with_provider(user, "work")
    response = client.post(f"/pipelines/{pipeline.pk}/conversations/")
    html = response.content.decode().replace("&#x27;", "'")
    assert response.status_code == 422
    assert "uses the provider 'work', but you have no connection of that name." in html
    assert 'href="/connections/add/"' in html
    assert "uses the provider" in page(client, pipeline)
    assert "1 error" in client.get("/").content.decode()
    save_connection(client)
    assert "1 error" not in client.get("/").content.decode()
    assert "uses the provider" not in page(client, pipeline)
    assert client.post(f"/pipelines/{pipeline.pk}/conversations/").status_code == 302


def test_a_missing_fallback_prevents_a_rehearsal(client, user):
    pipeline = draw(user, "intake")
    pipeline.agents.update(fallback="spare")
    html = client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "falls back on the provider" in html


def test_only_connections_of_the_owner_count_for_members(client, other_client, user, other_user):
    pipeline = pipeline_with_provider(user, "work")
    save_connection(other_client)  # not the owner's
    share_pipeline(pipeline=pipeline, username="grace", role="editor")
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "the owner of this pipeline has no connection of that name" in html
    assert 'href="/connections/add/"' not in html
    save_connection(client)
    html = other_client.get(f"/pipelines/{pipeline.pk}/rehearse/").content.decode()
    assert "no connection of that name" not in html
