"""The pages of accounts for an administrator, in a real browser; axe finds nothing on them."""

from collections.abc import Callable

import pytest
from django import forms
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from playwright.sync_api import Page, expect

from designer.accounts.passwords.forms import ResetPasswordForm
from designer.accounts.passwords.reset_form import RequestResetForm
from designer.accounts.sign_in_form import SignInForm
from tests.e2e.axe import in_both_themes, violations
from tests.e2e.conftest import Console
from tests.serving import BatonServer

PHONE = {"width": 390, "height": 844}
PAGES = {
    "account": "test_the_first_administrator_sets_a_password",
    "audit_trail": "test_the_first_administrator_sets_a_password",
    "people": "test_an_administrator_invites_a_person",
    "accept_invitation": "test_an_administrator_invites_a_person",
    "password_reset": "test_pages_for_a_forgotten_password",
    "password_reset_link": "test_pages_for_a_forgotten_password",
}
"""Each page, by the name of its address, and the test that looks at it; see `test_access.py`."""


@pytest.mark.long
def test_the_first_administrator_sets_a_password(
    open_page: Callable[..., Page], server: BatonServer
) -> None:
    name = f"{server.username}-root"
    page = open_page(signed_in=False)
    page.goto(server.manage("create_admin", "--username", name, "--base-url", server.url))
    page.get_by_role("button", name="Sign in as").click()
    page.locator("#account-menu summary").click()
    assert in_both_themes(page, "#account-menu") == []
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_label("New password").fill("short")
    page.get_by_label("Repeat the password").press("Enter")
    expect(page.get_by_text("Repeat the password must not be empty.")).to_be_visible()
    look_at(page)
    page.get_by_label("New password").fill("a good long one")
    page.get_by_label("Repeat the password").fill("a good long one")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    expect(page.get_by_label("Present password")).to_be_visible()
    look_at(page)
    page.goto(f"/audit/?q={name}")
    expect(page.get_by_role("cell", name="Password changed").first).to_be_visible()
    look_at(page)
    for path in ("/admin/", f"/admin/auth/user/?q={name}"):
        page.goto(path)
        assert violations(page) == []


@pytest.mark.long
def test_an_administrator_invites_a_person(
    open_page: Callable[..., Page], server: BatonServer, console: Console
) -> None:
    console.allow("401")  # the inbox of the deactivated person
    page = open_page(signed_in=False)
    name = f"{server.username}-boss"
    page.goto(server.manage("create_admin", "--username", name, "--base-url", server.url))
    page.get_by_role("button", name="Sign in as").click()
    page.locator("#account-menu summary").click()
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_label("E-mail address, if you know it").fill("new@baton.example")
    page.get_by_role("button", name="Create invitation").click()
    link = page.get_by_label("The invitation.").input_value()
    look_at(page, ".new-link")
    page.goto(f"/people/?q={name}")  # all people of the shared server would cost axe a second each
    page.get_by_label(f"Actions for {name}").click()
    look_at(page)

    guest = open_page(signed_in=False)
    guest.goto(link)
    look_at(guest)
    guest.get_by_label("User name").fill(f"{server.username}-new")
    guest.get_by_label("New password").fill("a good long one")
    guest.get_by_label("Repeat the password").fill("a good long one")
    guest.keyboard.press("Enter")
    expect(guest).to_have_url(f"{server.url}/")

    page.goto(f"/people/?q={server.username}-new")
    page.get_by_label(f"Actions for {server.username}-new").click()
    page.get_by_role("link", name="Edit name and e-mail address").click()
    page.get_by_label("Email address").fill("other@baton.example")  # Django's admin
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully.")).to_be_visible()
    page.goto(f"/people/?q={server.username}-new")
    expect(page.get_by_text("other@baton.example")).to_be_visible()
    page.get_by_label(f"Actions for {server.username}-new").click()
    page.get_by_role("button", name="Deactivate").click()
    expect(page.get_by_text("is deactivated and signed out.")).to_be_visible()
    look_at(page, "#notice")
    page.goto(f"/people/?q={server.username}-new")
    look_at(page)
    guest.reload()
    expect(guest).to_have_url(f"{server.url}/sign-in/?next=/")


def test_pages_for_a_forgotten_password(
    open_page: Callable[..., Page], server: BatonServer
) -> None:
    """The server has no mail server: the templates are what another one would send."""
    page = open_page(signed_in=False)
    password = ResetPasswordForm(User(username="ada"), {"new_password1": "short"})
    for template, form in (
        ("accounts/password_reset.html", RequestResetForm({"email": "nowhere"})),
        ("accounts/password_reset_link.html", password),
        ("accounts/sign_in.html", SignInForm()),
    ):
        show(page, template, form)
        expect(page.locator(".errorlist")).to_have_count(len(form.errors))
        look_at(page)
    expect(page.get_by_role("link", name="Sign in with Works")).to_be_visible()


def show(page: Page, template: str, form: forms.BaseForm) -> None:
    """Have the server's page with a form come from an address."""
    provider = {"name": "Works"}
    context = {"form": form, "validlink": True, "openid_provider": provider, "next": "/inbox/"}
    body = render_to_string(template, context)
    address = f"/sign-in/?{template}"
    page.route(f"**{address}", lambda route: route.fulfill(content_type="text/html", body=body))
    page.goto(address)


def look_at(page: Page, within: str = "") -> None:
    """Nothing for axe in both themes, and nothing wider than a phone."""
    assert in_both_themes(page, within) == []
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.set_viewport_size(size)
