"""Access to Django's admin, and its addresses for accounts."""

import re
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from designer.administration import admin_site
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

PATHS = ["/admin/", "/admin/auth/user/", "/admin/designer/pipeline/", "/admin/jsi18n/", "/admin/x/"]

INLINE = re.compile(r"<style|\son\w+=|\sstyle=|<script(?![^>]*src=)[^>]*>")


@pytest.fixture
def admin_client(db: None) -> Client:
    return signed_in(User.objects.create_superuser("root"))


@pytest.mark.parametrize("path", PATHS)
def test_only_administrators_find_the_admin(path, user, anonymous_client):
    anonymous = anonymous_client.get(path, follow=True)
    assert unquote(anonymous.redirect_chain[-1][0]) == f"/sign-in/?next={path}"
    user.is_staff = True  # not enough: such a user could make itself an administrator
    user.save()
    assert signed_in(user).get(path).status_code == 404
    assert signed_in(user).post(path).status_code == 404


def test_every_model_of_the_app_is_listed(admin_client):
    html = admin_client.get("/admin/").text
    for model in admin_site._registry:
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert f'href="{path}"' in html
        assert admin_client.get(path).status_code == 200, path


def test_pages_of_accounts_are_those_of_baton(admin_client, anonymous_client):
    sign_in = "/admin/login/?next=/admin/designer/"
    assert anonymous_client.get(sign_in)["Location"] == "/sign-in/?next=/admin/designer/"
    assert admin_client.get(sign_in, follow=True).redirect_chain[-1][0] == "/admin/designer/"
    assert admin_client.get("/admin/password_change/")["Location"] == "/account/"
    assert admin_client.get("/admin/logout/").status_code == 405
    assert admin_client.post("/admin/logout/")["Location"] == "/sign-in/"
    assert admin_client.get("/admin/").status_code == 302


def test_the_content_security_policy_holds(admin_client, client):
    usual = admin_client.get("/people/")["Content-Security-Policy"]
    user = User.objects.get(username="root")
    for path in ("/admin/", "/admin/auth/user/", f"/admin/auth/user/{user.pk}/change/"):
        response = admin_client.get(path)
        assert response["Content-Security-Policy"] == usual
        assert "no-store" in response["Cache-Control"]
        assert INLINE.findall(response.text) == []
