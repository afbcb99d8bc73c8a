"""The field for messages."""

import pytest
from playwright.sync_api import expect

from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.held_requests import held
from tests.e2e.navigation import address_of
from tests.e2e.rehearsing import (
    LOST,
    converse,
    open_rehearsal,
    say,
    wait_for_the_conversation,
    wait_for_the_end,
)


@pytest.fixture
def server(visit):
    """A server, and someone with the samples."""
    return visit(samples=True)


def test_text_typed_after_a_message_in_transit_stays_separate(page, server, console):
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


def test_text_typed_while_a_rehearsal_begins_is_in_its_field(page):
    open_rehearsal(page)
    let_go = held(page, "pipelines/*/conversations/")
    say(page, "Hello")
    page.keyboard.type("I need", delay=5)
    page.keyboard.press("Enter")
    let_modules_go = held(page, "static/js/core/unsaved-input*.js")
    let_go()
    wait_for_the_conversation(page)
    box = page.get_by_label("Message as the customer")
    expect(box).to_be_focused()
    page.keyboard.type(" a refund")
    let_modules_go()
    expect(page.locator(".said-by-user")).to_contain_text("Hello")
    expect(box).to_have_value("I need a refund")
    box.press("Enter")
    expect(page.locator(".said-by-user").last).to_contain_text("I need a refund")
    expect(page.locator(".said-by-user")).to_have_count(2)
    wait_for_the_end(page)
    page.goto(address_of(page, "Customer support") + "rehearse/?new=1")
    expect(box).to_have_value("")


def test_text_typed_before_the_page_is_drawn_is_in_the_field(page):
    address = address_of(page, "Customer support") + "rehearse/?new=1"
    let_go = held(page, "static/css/rehearsal/chat*.css")
    page.goto(address, wait_until="commit")
    box = page.get_by_label("Message as the customer")
    expect(box).to_be_attached()
    page.keyboard.type("I need a refund")
    let_go()
    expect(box).to_have_value("I need a refund")
    expect(box).to_be_focused()


def test_messages_are_seen_on_a_phone_in_landscape(open_page):
    page = open_page(viewport={"width": 844, "height": 390}, has_touch=True)
    open_rehearsal(page)
    converse(page, "Hello")
    assert page.locator("#chat-log").evaluate("log => log.clientHeight") > 140
    expect(page.get_by_text("Hello, and welcome!")).to_be_in_viewport(ratio=0.9)
