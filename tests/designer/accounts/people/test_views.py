"""Page with all people, for administrators."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from designer.accounts.mail import send_later
from designer.accounts.people.views import PAGE
from designer.models import AuditEntry, Invitation
from tests.designer.accounts.people.people_pages import INVITE, PEOPLE, post, recorded

pytestmark = pytest.mark.django_db


def link_in(page: str) -> str:
    found = re.search(r'value="http://testserver(/[^"]+)"', page)
    assert found
    return found[1]


def test_only_administrators_find_the_page(client, user):
    user.is_staff = True  # not enough: such a user could make itself an administrator
    user.save()
    assert client.get(PEOPLE).status_code == 404
    assert PEOPLE not in client.get("/").text
    for name in ("person_deactivate", "person_activate", "person_role", "person_reset_link"):
        assert client.post(reverse(name, args=[user.pk])).status_code == 404
    assert client.post(INVITE, {"role": "administrator", "days": 7}).status_code == 404
    assert not Invitation.objects.exists()


def test_people_are_listed_and_found(admin_client, user, other_user):
    user.email = "ada@baton.example"
    user.save()
    assert f'href="{PEOPLE}"' in admin_client.get("/").text
    html = admin_client.get(PEOPLE).text
    assert "Never signed in" in html
    assert "Last sign-in" in html
    assert re.findall(r'id="person-(\d+)"', html) == [
        str(User.objects.get(username=name).pk) for name in ("ada", "grace", "root")
    ]
    found = admin_client.get(PEOPLE, {"q": "ADA@"}).text
    assert re.findall(r'id="person-(\d+)"', found) == [str(user.pk)]
    assert admin_client.get(PEOPLE, {"q": "x\0"}).status_code == 200
    assert "No name and no e-mail" in admin_client.get(PEOPLE, {"q": "nobody"}).text


def test_many_people_are_on_several_pages(admin_client):
    User.objects.bulk_create(User(username=f"n{number:03}") for number in range(PAGE))
    first = admin_client.get(PEOPLE).text
    assert first.count('id="person-') == PAGE
    assert "page=2" in first
    assert admin_client.get(PEOPLE, {"page": "2"}).text.count('id="person-') == 1
    assert admin_client.get(PEOPLE, {"page": "x"}).text.count('id="person-') == PAGE


def test_an_invalid_role_changes_nothing(admin_client, user):
    assert "There is no such role" in post(admin_client, "person_role", user, role="owner")
    user.refresh_from_db()
    assert not user.is_superuser


def test_a_link_for_a_new_password_is_shown_once(admin_client, user):
    link = link_in(post(admin_client, "person_reset_link", user))
    assert link not in admin_client.get(PEOPLE).text
    visitor = Client()
    form = visitor.get(link)["Location"]
    visitor.post(form, {"new_password1": "a good long one", "new_password2": "a good long one"})
    assert Client().login(username="ada", password="a good long one")
    assert recorded()[0] == ("reset_link_created", "root", f"user {user.pk} “ada”", "")
    assert link.split("/")[3] not in str(AuditEntry.objects.values())
    post(admin_client, "person_deactivate", user)
    assert "activate the account first" in post(admin_client, "person_reset_link", user)


def test_an_invitation_is_shown_once_listed_and_revoked(admin_client, settings):
    values = {"role": "administrator", "email": "new@baton.example", "days": "7"}
    link = link_in(admin_client.post(INVITE, values).text)
    invitation = Invitation.objects.get()
    page = admin_client.get(PEOPLE).text
    assert link not in page
    assert "new@baton.example" in page
    assert link.split("/")[2] not in str(Invitation.objects.values())
    assert not mail.outbox
    admin_client.post(reverse("invitation_revoke", args=[invitation.pk]))
    assert Client().get(link).status_code == 410
    assert "Open invitations" not in admin_client.get(PEOPLE).text
    admin_client.post(reverse("invitation_revoke", args=[invitation.pk]))
    target, detail = f"invitation {invitation.pk}", "administrator, new@baton.example, for 7 days"
    assert recorded() == [
        ("invitation_created", "root", target, detail),
        ("invitation_revoked", "root", target, ""),
    ]


def test_an_invitation_is_sent_to_its_address(admin_client, settings):
    settings.MAIL_ENABLED = True
    values = {"role": "user", "email": "new@baton.example", "days": "1"}
    page = admin_client.post(INVITE, values).text
    assert "also sent to new@baton.example" in page
    send_later(lambda: None).result(timeout=60)
    (message,) = mail.outbox
    assert message.to == ["new@baton.example"]
    assert f"http://testserver{link_in(page)}" in message.body
    assert "for 1 day:" in message.body


def test_a_refused_invitation_keeps_the_input(admin_client):
    response = admin_client.post(INVITE, {"role": "user", "email": "nowhere", "days": "9"})
    assert response.status_code == 422
    assert "Enter an e-mail address such as" in response.text
    assert 'value="nowhere"' in response.text
    assert not Invitation.objects.exists()
