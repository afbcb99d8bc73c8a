"""Controls at the widths between a phone and a large screen: none is below another."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.navigation import address_of
from tests.e2e.rehearsing import converse, open_rehearsal
from tests.serving import BatonServer

pytestmark = pytest.mark.browser


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, and someone with the samples."""
    return visit(samples=True)


@pytest.mark.long
def test_no_control_is_covered_at_the_width_of_a_tablet(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 820, "height": 1180}, has_touch=True, is_mobile=True)
    page.goto("/")
    address = address_of(page, "Support desk")
    page.goto(address)
    page.get_by_role("button", name="Overview").tap(trial=True)
    page.set_viewport_size({"width": 1024, "height": 768})
    drawer = page.get_by_role("button", name="Rehearse from here")
    expect(drawer).to_be_visible()
    for control in (page.get_by_role("button", name="Keyboard shortcuts"), drawer):
        control.tap(trial=True)
    page.goto(f"{address}versions/")
    page.get_by_role("group", name="View").get_by_role("button", name="Fit").tap(trial=True)
    open_rehearsal(page)
    converse(page, "I was charged twice")
    page.set_viewport_size({"width": 905, "height": 1200})
    page.get_by_label("Moment that canvas and chat show").press("Home")
    page.get_by_role("button", name="Copy the link to this moment").tap(trial=True)
