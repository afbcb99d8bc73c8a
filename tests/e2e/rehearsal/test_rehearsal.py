"""Rehearsing in a real browser against a real server, which is cut off too."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.axe import violations
from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.held_requests import held
from tests.e2e.navigation import address_of
from tests.e2e.rehearsing import (
    LOST,
    QUESTION,
    SLOWEST,
    SLOWLY,
    assert_complete,
    converse,
    open_rehearsal,
    panes,
    say,
    wait_for_the_end,
    wait_for_the_middle_of_an_answer,
)
from tests.e2e.waits import wait_until

AT_THE_END = """() => {
  const log = document.getElementById("chat-log");
  return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
}"""


@pytest.fixture
def environment():
    """The environment of a server whose agents speak slowly."""
    return SLOWLY


@pytest.fixture
def server(visit, environment):
    """Such a server, and someone with the samples."""
    return visit(samples=True, environment=environment)


@pytest.mark.long
def test_a_conversation_goes_through_all_agents_and_back_from_review_once(page):
    open_rehearsal(page)
    expect(page.locator("#trace")).to_be_hidden()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    page.locator("#canvas").hover()
    page.mouse.wheel(4000, 0)
    expect(page.locator(".stage[data-entry]")).not_to_be_in_viewport()
    converse(page, QUESTION, "Yes, please do.", "It was the card ending in 4242.")

    handoffs = page.locator(".handoff b")
    assert handoffs.all_inner_texts() == [
        "Triage → Handler",
        "Handler → Reviewer",
        "Reviewer → Handler",
        "Handler → Reviewer",
        "Reviewer → Resolver",
    ]
    expect(page.locator("#stage-resolution")).to_have_attribute("data-live", "")
    expect(page.locator("#stage-resolution"), "the view follows it").to_be_in_viewport(ratio=0.99)
    expect(page.locator("#edge-review--handling")).to_have_attribute("data-traversed", "1")
    expect(page.locator("#edge-handling--review")).to_have_attribute("data-traversed", "2")
    accepted = page.locator("#trace .event[data-type='handoff.accepted']")
    expect(accepted).to_have_count(5)
    expect(page.locator(".tool-call").first).to_contain_text("lookup_order")
    assert_complete(page)


@pytest.mark.parametrize("way", ["Enter", "Send"])
def test_a_message_sent_before_the_scripts_load_is_not_lost(page, way):
    open_rehearsal(page)
    converse(page, "Hello")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/htmx*", hold)
    page.route("**/composer*", hold)
    page.goto(page.url, wait_until="commit")
    box = page.get_by_label("Message as the customer")
    box.fill(QUESTION)
    if way == "Enter":
        box.press("Enter")
    else:
        page.get_by_role("button", name="Send").click()
    expect(box).to_have_value(QUESTION)
    for route in held:
        route.continue_()
    page.unroute_all()
    expect(page.locator(".said-by-user p")).to_have_text(["Hello", QUESTION])
    expect(box).to_have_value("")
    wait_for_the_end(page)


def test_the_composer_is_cleared_when_the_message_is_shown_or_queued(page):
    open_rehearsal(page)
    converse(page, "Hello")
    box = page.get_by_label("Message as the customer")
    say(page, QUESTION)
    wait_for_the_middle_of_an_answer(page)
    expect(box).to_have_value("")

    say(page, "And another thing")
    expect(page.locator("#queue > li")).to_have_text([re.compile("And another thing")])
    expect(box).to_have_value("")
    page.reload()
    expect(box).to_have_value("")
    expect(page.locator(".said-by-user p")).to_have_text(["Hello", QUESTION, "And another thing"])
    expect(page.locator("#queue > li")).to_have_count(0)
    expect(page.locator("#composer-notice")).to_be_empty()


def test_the_chat_stays_at_its_end_however_long_the_messages_are(page):
    open_rehearsal(page)
    converse(page, "Hello\n" * 6, "I need a refund " * 120, "for order A-1043 " * 120)
    page.get_by_label("Message as the customer").fill("a line\n" * 8)
    wait_until(page, AT_THE_END)


def test_a_scrolled_chat_keeps_its_position_until_the_next_message(page):
    open_rehearsal(page)
    converse(page, "I need a refund " * 120)
    log = page.locator("#chat-log")
    say(page, QUESTION)
    wait_for_the_middle_of_an_answer(page)
    log.hover()
    page.mouse.wheel(0, -4000)
    expect(page.locator(".said-by-user").first).to_be_in_viewport()
    wait_for_the_end(page)
    assert log.evaluate("log => log.scrollTop") < 100
    converse(page, "Thanks")
    wait_until(page, AT_THE_END)


def test_a_message_over_the_bound_is_refused_and_stays(page):
    open_rehearsal(page)
    converse(page, "Hello")
    say(page, "x" * 8_001)
    expect(page.locator("#composer-notice")).to_have_text(
        "The message has 8,001 characters; 8,000 are allowed. It stays here, so that you can "
        "shorten it."
    )
    expect(page.get_by_label("Message as the customer")).to_have_value("x" * 8_001)
    expect(page.locator(".said-by-user")).to_have_count(1)


@pytest.mark.parametrize("environment", [SLOWEST])
def test_an_answer_can_be_stopped(page):
    open_rehearsal(page)
    say(page, QUESTION)
    hands = page.locator(".said-by-user__actions")
    expect(hands).to_have_css("opacity", "0")
    wait_for_the_middle_of_an_answer(page)
    assert page.locator(".said-by-user").evaluate(GAP) <= 16
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".remark")).to_have_text(re.compile(r"^Stopped by ada"))
    expect(page.locator(".turn:has(.turn__cut)")).to_contain_text(re.compile(r"\w+ \w+.*cut off"))
    wait_for_the_end(page)
    expect(page.get_by_label("Message as the customer")).to_be_focused()
    expect(hands).to_have_css("opacity", "1")
    converse(page, "Hello")
    expect(hands.last).to_have_css("opacity", "0")
    assert_complete(page)


GAP = """(said) => {
  const next = said.nextElementSibling.getBoundingClientRect();
  return next.top - said.getBoundingClientRect().bottom;
}"""


def test_a_reload_in_the_middle_of_an_answer_loses_nothing(page):
    open_rehearsal(page)
    say(page, QUESTION)
    said = wait_for_the_middle_of_an_answer(page)
    box = page.get_by_label("Message as the customer")
    box.fill("And another th")
    page.reload()
    expect(box).to_have_value("And another th")
    box.fill("")
    wait_for_the_end(page)
    expect(page.locator(".turn", has_text=said.split("\n")[-1]).first).to_be_visible()
    assert_complete(page)


@pytest.mark.long
def test_two_tabs_show_the_same(page):
    open_rehearsal(page)
    converse(page, "Hello")
    other = page.context.new_page()
    other.goto(page.url)
    say(other, QUESTION)
    said = wait_for_the_middle_of_an_answer(page)
    assert said
    wait_for_the_end(page)
    wait_for_the_end(other)
    assert panes(page) == panes(other)
    assert_complete(page)


def test_a_connection_that_is_cut_in_the_middle_of_an_answer_resumes(page, server, console):
    console.allow(LOST)
    with CuttingProxy(server.port) as proxy:
        open_rehearsal(page, base=proxy.url)
        converse(page, "Hello")
        say(page, QUESTION)
        wait_for_the_middle_of_an_answer(page)
        page.evaluate("htmx.config.wsReconnectDelay = () => 3_600_000")  # only on request
        proxy.refuses = True
        proxy.cut()
        # One message, and nothing that contradicts it; what is sent now is pending.
        offline = page.get_by_text("Offline: reconnecting…").filter(visible=True)
        expect(page.locator("#connection")).to_contain_text("Offline: reconnecting…")
        expect(offline).to_have_count(1)
        expect(page.locator(".composer__typing")).to_be_hidden()
        page.locator("#steer-pause").click()
        expect(page.locator("#notice")).to_contain_text("Offline: this was not done.")
        say(page, "Are you there?")
        pending = page.locator("#composer-notice")
        expect(pending).to_have_text(
            "Pending: this message is sent when the server is reached again."
        )
        proxy.refuses = False
        page.get_by_role("button", name="Try now").click()
        page.evaluate("htmx.config.wsReconnectDelay = 'full-jitter'")
        expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
        expect(page.locator("#chat")).to_contain_text("Are you there?")
        expect(pending).to_be_empty()
        expect(page.locator("#steering")).to_have_attribute("data-standing", "idle", timeout=30_000)
        wait_for_the_end(page)
        for _ in range(3):
            proxy.cut()
            say(page, "Yes, please do.")
            box = page.get_by_label("Message as the customer")
            expect(box).to_have_value("", timeout=20_000)
            wait_for_the_end(page)
        expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
        wait_for_the_end(page)
        assert_complete(page)


@pytest.mark.long
def test_a_message_sent_into_a_connection_that_is_dead_goes_once_over_the_next(
    page, server, console
):
    console.allow(LOST)
    with CuttingProxy(server.port) as proxy:
        open_rehearsal(page, base=proxy.url)
        converse(page, QUESTION)
        proxy.swallows = True
        say(page, "Yes, please do.")
        expect(page.get_by_label("Message as the customer")).to_have_value("Yes, please do.")
        proxy.cut()
        proxy.swallows = False
        expect(page.get_by_label("Message as the customer")).to_have_value("", timeout=20_000)
        proxy.cut()  # what has come is not sent again
        expect(page.locator("#connection")).to_be_visible()
        expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
        wait_for_the_end(page)
        expect(page.locator(".said-by-user")).to_have_count(2)
        assert_complete(page)


def test_a_message_that_was_refused_is_not_sent_again_by_itself(page, server, console):
    console.allow(LOST)
    sent = []
    page.on("websocket", lambda one: one.on("framesent", lambda frame: sent.append(str(frame))))
    with CuttingProxy(server.port) as proxy:
        open_rehearsal(page, base=proxy.url)
        converse(page, "Hello")
        box = page.get_by_label("Message as the customer")
        box.evaluate("box => (box.dataset.limit = 9000)")  # as on a page of another version
        say(page, "x" * 8_001)
        expect(page.locator("#composer-notice")).to_contain_text("8,000")
        proxy.cut()
        expect(page.locator("#connection")).to_be_visible()
        expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
        converse(page, "Thanks")
        assert len([frame for frame in sent if "xxx" in frame]) == 1


def test_sign_out_in_another_tab_stops_the_updates(page, server):
    open_rehearsal(page)
    converse(page, "Hello")
    other = page.context.new_page()
    other.goto("/")
    other.get_by_label("Account: ").click()
    other.get_by_role("button", name="Sign out").click()
    expect(other).to_have_url(re.compile("/sign-in/"))
    say(page, QUESTION)
    expect(page.locator("#connection")).to_contain_text("You are signed out")
    expect(page.get_by_label("Message as the customer")).to_have_value(QUESTION)


def test_channel_and_intent_go_with_the_message(page):
    open_rehearsal(page, "Support desk")
    page.get_by_label("Channel").select_option("sms")
    page.get_by_role("textbox", name="intent").fill("greeting")
    converse(page, "Hello")
    expect(page.locator(".said-by-user small")).to_contain_text("sms · intent: greeting")


def test_an_event_opens_to_the_whole_of_it(page):
    open_rehearsal(page)
    converse(page, "Hello")
    first, second = page.locator("#trace .event").all()[:2]
    first.locator("summary").click()
    expect(first.locator(".event__body")).to_contain_text('"type": "run.started"')
    let_go = held(page, "htmx*")
    page.reload(wait_until="commit")
    second.locator("summary").click()  # before the page is at work
    let_go()
    expect(second.locator(".event__body pre")).to_be_visible()


@pytest.mark.long
def test_a_rehearsal_shows_its_end_and_the_next_begins_at_a_chosen_stage(page):
    open_rehearsal(page)
    converse(page, "Hello")
    open_rehearsal(page)
    expect(page.locator(".chat__continued")).to_contain_text("You continue this rehearsal")
    expect(page.locator(".said-by-user")).to_have_count(1)

    page.get_by_role("button", name="Begin a new rehearsal").click()
    expect(page.locator(".starters")).to_be_visible()
    page.get_by_label("Begin at").select_option("resolution")
    page.get_by_label("Channel").select_option("SMS")
    converse(page, "Thank you")
    expect(page.locator(".stage[data-live]")).to_have_attribute("id", "stage-resolution")
    expect(page.get_by_label("Channel")).to_have_value("sms")
    log = page.locator("#chat-log")
    expect(log).to_contain_text("The conversation reached its end (resolution)")
    new = log.get_by_role("button", name="New rehearsal")
    converse(page, "Thank you")  # it goes on, and only its last end leads away
    expect(new).to_have_count(1)
    new.click()
    expect(page.locator(".starters")).to_be_visible()
    open_rehearsal(page)
    expect(page.locator(".starters")).to_be_visible()

    page.locator(".chat__earlier > summary").click()
    page.get_by_role("link", name=re.compile("Hello")).click()
    expect(page.locator(".said-by-user")).to_have_count(1)


def test_the_drawer_next_to_the_drawing_rehearses_from_the_selected_stage(page):
    page.goto(address_of(page, "Customer support"))
    page.locator("#stage-resolution").click()
    expect(page.locator("#stage-resolution")).to_have_attribute("aria-current", "true")
    tab = page.locator("#rehearsal-drawer").get_by_role("button")
    expect(tab).to_have_text(re.compile("Rehearse from here"))
    tab.click()
    chat = page.frame_locator("#rehearsal-drawer-frame")
    expect(chat.get_by_label("Begin at")).to_have_value("resolution")
    expect(page.locator("#rehearsal-drawer-frame")).to_be_focused()
    expect(chat.get_by_label("Message as the customer")).to_be_focused()
    chat.get_by_label("Message as the customer").fill("Thank you")
    chat.get_by_role("button", name="Send").click()
    expect(chat.locator("#chat-log")).to_contain_text("reached its end (resolution)")
    expect(page.locator("#inspector")).to_be_attached()  # the drawing stays beside the chat
    assert not violations(page.frame("rehearsal-drawer-frame"))
    assert not violations(page, "#rehearsal-drawer")
    chat.get_by_role("button", name="New rehearsal", exact=True).click()
    expect(chat.locator(".starters")).to_be_visible()
    tab.press("Escape")
    expect(page.locator("#rehearsal-drawer-frame")).to_be_hidden()


def test_a_suggestion_begins_the_conversation_and_keeps_typed_text(page):
    open_rehearsal(page)
    box = page.get_by_label("Message as the customer")
    box.fill("Is anybody there?")
    starter = page.locator("[data-starter]").first
    text = starter.inner_text().strip()
    starter.click()
    expect(page.locator(".said-by-user")).to_have_count(1)
    expect(page.locator(".said-by-user")).to_contain_text(text)
    expect(box).to_have_value("Is anybody there?")
    wait_for_the_end(page)


def test_on_a_phone_the_chat_fills_the_screen(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    open_rehearsal_on_a_phone(page)
    say(page, "Hello")
    expect(page.locator(".turn")).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def open_rehearsal_on_a_phone(page):
    page.goto("/")
    page.get_by_role("link", name="Customer support", exact=True).click()
    page.get_by_role("link", name="Rehearse").click()
    expect(page.locator("#composer")).to_be_visible()
