"""The field for messages."""

import pytest
from playwright.sync_api import expect

from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.rehearsing import LOST, converse, open_rehearsal, say, wait_for_the_end


@pytest.fixture
def server(visit):
    """A server, and someone with the samples."""
    return visit(samples=True)


def test_what_is_typed_after_a_message_that_is_on_its_way_stays_alone(page, server, console):
    console.allow(LOST)
    with CuttingProxy(server.port) as proxy:
        open_rehearsal(page, base=proxy.url)
        converse(page, "Hello")
        proxy.swallows = True
        say(page, "Yes, please do.")
        box = page.get_by_label("Message as the customer")
        box.press("End")
        box.press_sequentially(" And thanks")
        proxy.cut()
        proxy.swallows = False
        expect(box).to_have_value("And thanks", timeout=20_000)
        expect(page.locator(".said-by-user").last).to_contain_text("Yes, please do.")
        box.press("Enter")
        expect(page.locator(".said-by-user")).to_have_count(3)
        wait_for_the_end(page)
        expect(box).to_have_value("")


def test_messages_are_seen_on_a_phone_in_landscape(open_page):
    page = open_page(viewport={"width": 844, "height": 390}, has_touch=True)
    open_rehearsal(page)
    converse(page, "Hello")
    assert page.locator("#chat-log").evaluate("log => log.clientHeight") > 140
    expect(page.get_by_text("Hello, and welcome!")).to_be_in_viewport(ratio=0.9)
