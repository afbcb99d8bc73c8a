"""Authentication backend: exchange of the code, and complete check of the token."""

from __future__ import annotations

import hmac
import logging
from typing import Any

import jwt
from django.contrib import messages
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.http import HttpRequest
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from designer.accounts.openid.identities import OpenIdPerson, find_or_create_user
from designer.accounts.openid.provider import (
    INVITATION,
    UNAVAILABLE,
    Metadata,
    OpenIdProviderError,
    configured_provider,
    fetch_metadata,
)
from designer.core import RefusedError
from designer.instrumentation import client_address

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""Signatures with a public key. A client secret is no key, and unsigned tokens are refused."""

LEEWAY = 30
"""Seconds by which the clocks may differ."""

REJECTED = "The identity provider's answer was not accepted. Try again, or ask an administrator."

log = logging.getLogger("designer.accounts.sign_in")


class RejectedTokenError(Exception):
    """The token is not acceptable; the text is for the log."""


class OpenIdBackend(OIDCAuthenticationBackend):
    """Backend of the library, with checks that it leaves out.

    The library accepts tokens of any issuer and for any audience, matches accounts by unverified
    e-mail addresses, and keeps the sessions of deactivated users.
    """

    get_user = ModelBackend.get_user

    def __init__(self) -> None:
        """Read nothing: Django creates a backend for every request."""

    @property
    def metadata(self) -> Metadata:
        """Description of the provider."""
        return fetch_metadata(configured_provider().issuer)

    @property
    def OIDC_OP_TOKEN_ENDPOINT(self) -> str:  # noqa: N802 - the library's name
        """Address that exchanges a code for a token."""
        return self.metadata.token_endpoint

    @property
    def OIDC_OP_JWKS_ENDPOINT(self) -> str:  # noqa: N802
        """Address of the public keys."""
        return self.metadata.jwks_uri

    @property
    def OIDC_OP_USER_ENDPOINT(self) -> str:  # noqa: N802
        """Address of further claims; it may be empty."""
        return self.metadata.userinfo_endpoint

    @property
    def OIDC_RP_CLIENT_ID(self) -> str:  # noqa: N802
        """Id of Baton at the provider."""
        return configured_provider().client_id

    @property
    def OIDC_RP_CLIENT_SECRET(self) -> str:  # noqa: N802
        """Secret of Baton at the provider."""
        return configured_provider().client_secret

    def authenticate(
        self, request: HttpRequest | None, *, nonce: str, code_verifier: str
    ) -> User | None:
        """Return the user of an authorization code; None, with a message, if it is refused.

        The named parameters keep the sign-in by password away from this backend.
        """
        if request is None or not nonce or not code_verifier:
            return None
        self.request, address = request, client_address(request)
        try:
            user: User | None = super().authenticate(
                request, nonce=nonce, code_verifier=code_verifier
            )
        except RefusedError as error:
            text, reason = str(error), str(error)
        except OpenIdProviderError as error:
            text, reason = UNAVAILABLE, str(error)
        except RejectedTokenError as error:
            text, reason = REJECTED, str(error)
        except OSError as error:  # of requests
            text, reason = REJECTED, f"request to the provider: {type(error).__name__}"
        else:
            name = user.get_username() if user else ""
            log.info("Sign-in by OpenID Connect succeeded: name %r, address %s", name, address)
            return user
        messages.error(request, text)
        log.warning("Sign-in by OpenID Connect failed: %s, address %s", reason, address)
        return None

    def get_token(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Exchange the code for tokens."""
        answer = super().get_token(payload)
        if not isinstance(answer, dict):
            raise RejectedTokenError("the answer of the provider is no JSON object")
        return answer

    def verify_token(self, token: object, nonce: str = "") -> dict[str, Any]:
        """Return the claims of a token for Baton, signed by the provider, for this sign-in."""
        if not isinstance(token, str) or not nonce:
            raise RejectedTokenError("there is no ID token")
        try:
            key = self.retrieve_matching_jwk(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self.OIDC_RP_CLIENT_ID,
                issuer=self.metadata.issuer,
                leeway=LEEWAY,
                options={"require": ["iss", "sub", "aud", "exp", "iat", "nonce"]},
            )
        except (jwt.PyJWTError, SuspiciousOperation, KeyError, TypeError, ValueError) as error:
            raise RejectedTokenError(f"ID token: {type(error).__name__}: {error}") from error
        authorized = claims.get("azp", self.OIDC_RP_CLIENT_ID)
        if authorized != self.OIDC_RP_CLIENT_ID:
            raise RejectedTokenError("ID token: it was issued to another client")
        if not hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
            raise RejectedTokenError("ID token: the nonce is of another sign-in")
        return claims

    def get_or_create_user(self, access_token: str, id_token: str, payload: dict[str, Any]) -> User:
        """Return the account of the claims, or raise `RefusedError`."""
        claims = self._with_address(payload, access_token, id_token)
        invitation = self.request.session.get(INVITATION)
        try:
            user = find_or_create_user(
                OpenIdPerson.from_claims(claims),
                invitation_id=invitation,
                is_open=configured_provider().is_open,
            )
        except ValidationError as error:
            raise RejectedTokenError(f"claims: {error}") from error
        self.request.session.pop(INVITATION, None)
        return user

    def _with_address(
        self, payload: dict[str, Any], access_token: str, id_token: str
    ) -> dict[str, Any]:
        """Add the claims of the user information if the token has no e-mail address."""
        if "email" in payload or not self.OIDC_OP_USER_ENDPOINT:
            return payload
        try:
            more = self.get_userinfo(access_token, id_token, payload)
        except ValueError as error:
            raise RejectedTokenError("the user information is no JSON") from error
        if not isinstance(more, dict) or more.get("sub") != payload["sub"]:
            raise RejectedTokenError("the user information is about another person")
        return {**more, **payload}
