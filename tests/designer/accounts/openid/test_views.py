"""The flow of a sign-in by OpenID Connect, with a real provider on loopback."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.accounts.people.changes import deactivate_user
from designer.accounts.people.invitations import create_invitation
from designer.accounts.sign_in_limits import MAX_FAILURES_OF_ADDRESS
from designer.models import AuditEntry, OpenIdIdentity, SignInCounter
from tests.conftest import signed_in
from tests.designer.accounts.openid.conftest import sign_in, user_in, way_back

pytestmark = pytest.mark.django_db

START = reverse("openid_sign_in")
CALLBACK = reverse("openid_callback")


@pytest.fixture
def ada(user: User) -> User:
    user.email = "Ada@Baton.example"
    user.save()
    return user


def test_a_person_with_a_known_address_is_signed_in_and_linked(provider, ada, anonymous_client):
    page = anonymous_client.get("/sign-in/?next=/connections/").text
    assert f'href="{START}?next=%2Fconnections%2F"' in page
    assert "Sign in with Baton Works" in page
    response = anonymous_client.get(way_back(anonymous_client, f"{START}?next=/connections/"))
    assert (response.status_code, response["Location"]) == (302, "/connections/")
    assert user_in(anonymous_client) == str(ada.pk)
    identity = OpenIdIdentity.objects.get()
    assert (identity.user, identity.issuer) == (ada, provider.issuer)
    rows = AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "detail")
    assert list(rows) == [
        ("identity_linked", "ada", f"248289761001 at {provider.issuer}"),
        ("signed_in", "ada", "OpenID Connect"),
    ]
    provider.person |= {"email": "changed@baton.example"}
    second = Client()
    sign_in(second)
    assert user_in(second) == str(ada.pk), "the subject decides"
    assert User.objects.count() == 1


def test_a_stranger_is_refused_with_the_next_step(provider, anonymous_client):
    page = sign_in(anonymous_client)
    assert "You have no account here: ask an administrator for an invitation." in page
    assert user_in(anonymous_client) is None
    assert not User.objects.exists()
    assert AuditEntry.objects.get().action == "sign_in_failed"


def test_an_opened_invitation_creates_the_account(provider, anonymous_client):
    root = User.objects.create_superuser("root", email="root@baton.example")
    token = create_invitation(by=root, role="administrator", email="", days=1)
    page = anonymous_client.get(reverse("accept_invitation", args=[token])).text
    assert "Continue with Baton Works" in page
    sign_in(anonymous_client)
    user = User.objects.get(username="ada")
    assert user_in(anonymous_client) == str(user.pk)
    assert (user.email, user.is_superuser) == ("ada@baton.example", True)
    assert not user.has_usable_password()
    provider.person |= {"sub": "another", "email": "eve@baton.example"}
    client = Client()
    client.get(reverse("accept_invitation", args=[token]))
    assert "You have no account here" in sign_in(client), "the invitation is used up"


def test_a_deactivated_user_is_signed_out_and_stays_out(provider, ada):
    User.objects.create_superuser("root")
    client = Client()
    sign_in(client)
    assert client.get("/").status_code == 200
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert client.get("/").status_code == 302
    deactivate_user(user_id=ada.pk, by=User.objects.get(username="root"))
    assert "Your account is deactivated" in sign_in(Client())


def test_a_callback_of_another_browser_is_refused(provider, ada):
    address = way_back(Client())
    victim, busy = Client(), Client()
    way_back(busy)
    for client in (victim, busy):
        assert "began in another browser" in client.get(address, follow=True).text
        assert user_in(client) is None
    assert "/token" not in provider.requests


def test_a_callback_works_once(provider, ada):
    client = Client()
    address = way_back(client)
    client.get(address)
    client.get(address)
    assert user_in(client) == str(ada.pk)
    assert provider.requests.count("/token") == 1


def test_an_error_of_the_provider_is_explained_and_ends_no_session(provider, ada):
    page = Client().get(f"{CALLBACK}?error=access_denied&state=x", follow=True).text
    assert "You were not signed in by Baton Works." in page
    client = signed_in(ada)
    client.get(f"{CALLBACK}?error=access_denied")
    assert user_in(client) == str(ada.pk)


def test_a_password_sign_in_never_reaches_the_provider(provider, ada, anonymous_client):
    form = {"username": "ada", "password": "wrong"}
    page = anonymous_client.post("/sign-in/?code=x&state=y", form).text
    assert "Please enter a correct user name and password" in page
    assert provider.requests == []


def test_failed_attempts_from_one_address_are_limited(provider, ada):
    sign_in(Client())
    assert SignInCounter.objects.get().count == 0, "a success does not count"
    provider.make_token = lambda claims: "nonsense"
    assert "was not accepted" in sign_in(Client())
    assert SignInCounter.objects.get().count == 1
    SignInCounter.objects.update(count=MAX_FAILURES_OF_ADDRESS)
    assert "Sign-in is blocked after too many failed attempts." in sign_in(Client())
    assert provider.requests.count("/token") == 2


def test_an_unreachable_provider_is_explained(provider, ada, anonymous_client, settings, caplog):
    address = way_back(anonymous_client)
    provider.stop()
    assert "was not accepted" in anonymous_client.get(address, follow=True).text
    assert user_in(anonymous_client) is None
    settings.OPENID_PROVIDER = replace(settings.OPENID_PROVIDER, issuer=f"{provider.issuer}/other")
    page = anonymous_client.get(START, follow=True).text
    assert "The identity provider cannot be used at the moment." in page
    assert "Errno" not in page, "details are for operators"
    assert "cannot be reached" in caplog.text


def test_without_a_provider_nothing_is_offered(anonymous_client, db):
    assert START not in anonymous_client.get("/sign-in/").text
    assert [anonymous_client.get(path).status_code for path in (START, CALLBACK)] == [404, 404]
