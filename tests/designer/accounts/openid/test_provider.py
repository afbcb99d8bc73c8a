"""The description that a provider publishes."""

import json
from collections.abc import Callable, Iterator

import httpx
import pytest
from django.http import Http404

from designer.accounts.openid.provider import (
    OpenIdProviderError,
    configured_provider,
    fetch_metadata,
)

ISSUER = "https://login.example"
DESCRIPTION = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
    "userinfo_endpoint": f"{ISSUER}/userinfo",
}

Publish = Callable[..., list[str]]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publish]:
    """Answer requests by a description; returns the requested addresses."""
    fetch_metadata.cache_clear()

    def answer(content: object, status: int = 200) -> list[str]:
        requested: list[str] = []

        def handle(request: httpx.Request) -> httpx.Response:
            requested.append(str(request.url))
            text = content if isinstance(content, str) else json.dumps(content)
            return httpx.Response(status, text=text)

        client = httpx.Client(transport=httpx.MockTransport(handle))
        monkeypatch.setattr(httpx, "get", client.get)
        return requested

    yield answer
    fetch_metadata.cache_clear()


def test_a_description_is_fetched_once_and_kept(publish: Publish):
    requested = publish(DESCRIPTION)
    assert fetch_metadata(ISSUER).token_endpoint == f"{ISSUER}/token"
    assert fetch_metadata(ISSUER).userinfo_endpoint == f"{ISSUER}/userinfo"
    assert requested == [f"{ISSUER}/.well-known/openid-configuration"]


def test_a_failed_request_is_made_again(publish: Publish):
    publish("", status=503)
    with pytest.raises(OpenIdProviderError, match="cannot be reached"):
        fetch_metadata(ISSUER)
    publish(DESCRIPTION)
    assert fetch_metadata(ISSUER).issuer == ISSUER


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<html>", "is not the description of an identity provider"),
        ({"issuer": ISSUER}, "is not the description of an identity provider"),
        (DESCRIPTION | {"issuer": f"{ISSUER}/"}, "set BATON_OIDC_ISSUER to it"),
        (DESCRIPTION | {"token_endpoint": "http://login.example/token"}, "addresses without TLS"),
        (DESCRIPTION | {"userinfo_endpoint": "http://login.example/me"}, "addresses without TLS"),
    ],
)
def test_a_wrong_description_is_refused(publish: Publish, content, message):
    publish(content)
    with pytest.raises(OpenIdProviderError, match=message):
        fetch_metadata(ISSUER)


def test_a_provider_may_publish_no_address_of_user_information(publish: Publish):
    publish({name: url for name, url in DESCRIPTION.items() if name != "userinfo_endpoint"})
    assert fetch_metadata(ISSUER).userinfo_endpoint == ""


def test_without_a_configured_provider_its_pages_do_not_exist(settings):
    settings.OPENID_PROVIDER = None
    with pytest.raises(Http404):
        configured_provider()
