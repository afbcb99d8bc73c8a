"""Tokens of a provider: only complete ones for this sign-in are accepted."""

import logging
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.designer.accounts.openid.conftest import sign_in, user_in
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, KEY_ID, foreign_key, signed

pytestmark = pytest.mark.django_db

Claims = dict[str, Any]
KID = {"kid": KEY_ID}


@pytest.fixture
def ada(user: User) -> User:
    user.email = "ada@baton.example"
    user.save()
    return user


def without(name: str) -> Callable[[Claims], str]:
    return lambda claims: signed({key: value for key, value in claims.items() if key != name})


def changed(**values: Any) -> Callable[[Claims], str]:
    return lambda claims: signed(claims | values)


def signed_again(claims: Claims) -> str:
    """Change the claims of a signed token without a new signature."""
    head, _, signature = signed(claims).split(".")
    body = signed(claims | {"sub": "somebody-else"}).split(".")[1]
    return f"{head}.{body}.{signature}"


FORGED: dict[str, Callable[[Claims], str]] = {
    "another issuer": changed(iss="https://evil.example"),
    "another audience": changed(aud="another-client"),
    "several audiences for another client": changed(aud=[CLIENT_ID, "x"], azp="x"),
    "another nonce": changed(nonce="of another sign-in"),
    "expired": changed(exp=int(time.time()) - 3600),
    "not valid yet": changed(nbf=int(time.time()) + 3600),
    "issued in the future": changed(iat=int(time.time()) + 3600),
    "no issuer": without("iss"),
    "no audience": without("aud"),
    "no expiry": without("exp"),
    "no nonce": without("nonce"),
    "no subject": without("sub"),
    "unsigned": lambda claims: jwt.encode(claims, "", algorithm="none", headers=KID),
    "unsigned without a key id": lambda claims: jwt.encode(claims, "", algorithm="none"),
    "signed with the client secret": lambda claims: jwt.encode(
        claims, CLIENT_SECRET.ljust(32), algorithm="HS256", headers=KID
    ),
    "signed by somebody else": lambda claims: jwt.encode(
        claims, foreign_key(), algorithm="RS256", headers=KID
    ),
    "an unknown key": lambda claims: jwt.encode(
        claims, foreign_key(), algorithm="RS256", headers={"kid": "other"}
    ),
    "changed after signing": signed_again,
    "no token": lambda claims: "",
    "nonsense": lambda claims: "a.b.c",
}


@pytest.mark.parametrize("make_token", FORGED.values(), ids=FORGED)
def test_a_forged_token_is_refused(provider, ada, make_token, caplog):
    provider.make_token = make_token
    client = Client()
    assert "The identity provider&#x27;s answer was not accepted." in sign_in(client)
    assert user_in(client) is None
    assert "Sign-in by OpenID Connect failed: ID token: " in caplog.text


def test_a_complete_token_is_accepted(provider, ada, caplog):
    caplog.set_level(logging.INFO, "designer.accounts.openid")
    provider.make_token = changed(aud=[CLIENT_ID, "another"], azp=CLIENT_ID)
    client = Client()
    sign_in(client)
    assert user_in(client) == str(ada.pk)
    assert "Sign-in by OpenID Connect succeeded: name 'ada', address 127.0.0.1" in caplog.text
    assert CLIENT_SECRET not in caplog.text


def test_an_address_in_the_user_information_is_used(provider, ada):
    address = {name: provider.person.pop(name) for name in ("email", "email_verified")}
    provider.user_info = {"sub": "somebody-else", **address}
    client = Client()
    assert "was not accepted" in sign_in(client), "it is about another person"
    provider.user_info = {"sub": provider.person["sub"], **address}
    sign_in(client)
    assert user_in(client) == str(ada.pk)
