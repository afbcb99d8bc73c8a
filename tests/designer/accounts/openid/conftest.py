"""A provider on loopback, which Baton uses."""

from collections.abc import Iterator

import httpx
import pytest
from django.conf import LazySettings
from django.test import Client

from designer.environment import OpenIdProvider
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdServer


@pytest.fixture
def provider(settings: LazySettings) -> Iterator[OpenIdServer]:
    with OpenIdServer() as server:
        settings.OPENID_PROVIDER = OpenIdProvider(
            issuer=server.issuer,
            client_id=CLIENT_ID,
            client_secret=CLIENT_SECRET,
            name="Baton Works",
        )
        settings.AUTHENTICATION_BACKENDS = [
            "django.contrib.auth.backends.ModelBackend",
            "designer.accounts.openid.backend.OpenIdBackend",
        ]
        yield server


def way_back(client: Client, start: str = "/openid/sign-in/") -> str:
    """Go to the provider, and return the address to which it redirects."""
    response = client.get(start)
    assert response.status_code == 302
    location = httpx.get(response["Location"]).headers["Location"]
    return str(location).removeprefix("http://testserver")


def sign_in(client: Client, start: str = "/openid/sign-in/") -> str:
    """Sign in at the provider; return the page after it."""
    return client.get(way_back(client, start), follow=True).text


def user_in(client: Client) -> str | None:
    """Return the id of the signed-in user."""
    return client.session.get("_auth_user_id")
