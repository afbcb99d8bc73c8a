"""Discovery of the addresses of the OpenID Connect provider."""

from __future__ import annotations

from threading import Lock

import httpx
from cachetools import TTLCache, cached
from django.conf import settings
from django.http import Http404
from pydantic import BaseModel, ValidationError

from designer.environment import OpenIdProvider

SECONDS = 10.0
HOUR = 3600

INVITATION = "invitation"
"""Key of a session: the id of the invitation that the person has opened."""


UNAVAILABLE = (
    "The identity provider cannot be used at the moment. Sign in with a password, or try again "
    "later."
)
"""Text for visitors; the reason is in the log, and in the output of `manage.py doctor`."""


class OpenIdProviderError(Exception):
    """The provider cannot be reached, or its description is wrong; the text is for operators."""


class Metadata(BaseModel):
    """Description that the provider publishes (OpenID Connect Discovery 1.0)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""


def configured_provider() -> OpenIdProvider:
    """Return the configured provider; without one the page does not exist."""
    provider: OpenIdProvider | None = settings.OPENID_PROVIDER
    if provider is None:
        raise Http404
    return provider


@cached(TTLCache(maxsize=8, ttl=HOUR), lock=Lock())
def fetch_metadata(issuer: str) -> Metadata:
    """Fetch the description of a provider, which is kept for an hour."""
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        response = httpx.get(url, timeout=SECONDS)
        response.raise_for_status()
        metadata = Metadata.model_validate_json(response.content)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise OpenIdProviderError(f"The identity provider cannot be reached ({error}).") from error
    except ValidationError as error:
        raise OpenIdProviderError(
            f"{url} is not the description of an identity provider."
        ) from error
    if metadata.issuer != issuer:
        raise OpenIdProviderError(
            f"The identity provider calls itself {metadata.issuer}: set BATON_OIDC_ISSUER to it."
        )
    scheme = httpx.URL(issuer).scheme
    endpoints = [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]
    if metadata.userinfo_endpoint:
        endpoints.append(metadata.userinfo_endpoint)
    if any(not each.startswith(("https://", f"{scheme}://")) for each in endpoints):
        raise OpenIdProviderError("The identity provider has addresses without TLS.")
    return metadata
