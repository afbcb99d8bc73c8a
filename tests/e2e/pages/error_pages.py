"""Error pages that no request brings about at will."""

from __future__ import annotations

from django.template.loader import render_to_string
from playwright.sync_api import Page


def shown_as(page: Page, status: int) -> None:
    """Have the server's page about an error come from an address, with its own static files."""
    body = render_to_string(f"{status}.html")
    page.route(
        f"**/sign-in/?{status}",
        lambda route: route.fulfill(status=status, content_type="text/html", body=body),
    )
