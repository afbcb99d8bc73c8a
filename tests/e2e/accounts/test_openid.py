"""Sign-in by OpenID Connect in a real browser, at a provider on loopback."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdServer
from tests.serving import BatonServer

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_person_signs_in_at_the_provider_and_returns_to_the_page(
    browser: Browser, start_server: Callable[..., BatonServer]
) -> None:
    with OpenIdServer() as provider:
        provider.person |= {"preferred_username": "grace", "email": "grace@baton.example"}
        server = start_server(
            environment={
                "BATON_OIDC_ISSUER": provider.issuer,
                "BATON_OIDC_CLIENT_ID": CLIENT_ID,
                "BATON_OIDC_CLIENT_SECRET": CLIENT_SECRET,
                "BATON_OIDC_NAME": "Baton Works",
                "BATON_OIDC_OPEN": "1",
            }
        )
        context = browser.new_context(base_url=server.url)
        page = context.new_page()
        page.goto("/jobs/")
        page.get_by_role("link", name="Sign in with Baton Works").click()
        expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
        expect(page.locator("#account-menu summary")).to_have_attribute("title", "Account: grace")
        assert "/token" in provider.requests
        page.locator("#account-menu summary").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        context.close()
