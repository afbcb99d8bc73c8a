"""A call that waits for a person, in a real browser: seen, kept, changed, refused; and its tool."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import turn
from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import AT_ONCE, LOST, assert_complete, say, wait_for_the_end
from tests.e2e.sections import unfold
from tests.e2e.waits import wait_until

PAY = {
    "name": "pay_back",
    "description": "Pays an order back.",
    "approval": True,
    "parameters": {
        "type": "object",
        "properties": {"order": {"type": "string"}, "amount": {"type": "integer"}},
        "required": ["order", "amount"],
    },
    "examples": [
        {"arguments": {"amount": 40}, "result": "40 were paid back."},
        {"result": "It was paid back."},
    ],
}
DESK = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Refunds",
    "entry": "desk",
    "agents": [
        {
            "id": "clerk",
            "name": "Clerk",
            "tools": ["look_up", "pay_back"],
            "cues": [
                {
                    "when": ["back"],
                    "say": "One moment.",
                    "call": {"tool": "pay_back", "arguments": {"order": "A-1043", "amount": 70}},
                }
            ],
        }
    ],
    "stages": [{"phase": "desk", "agent_id": "clerk"}],
    "tools": [{"name": "look_up"}, PAY],
}
LOADED = """async () => {
  const files = performance.getEntriesByType("resource");
  const found = files.find(({ name }) => /focus-after-delete/.test(name));
  return found && import(found.name);
}"""
"""Script that returns the module of forms for deleting, if it is loaded."""
ASKING = "I want my money back."


@pytest.fixture
def server(visit):
    """A server whose agents answer at once."""
    return visit(environment=AT_ONCE)


class TestThroughAKill:
    """On a server of the test's own, which is killed."""

    @pytest.fixture
    def server(self, start_server):
        """A server whose leases are short, too."""
        return start_server(environment=AT_ONCE | {"BATON_LEASE_SECONDS": "1"})

    @pytest.mark.long
    def test_a_call_waits_for_a_person_through_a_kill_and_is_changed_and_refused(
        self, page, server, console
    ):
        console.allow(LOST)
        page.goto(bring_in(page, DESK) + "rehearse/")
        say(page, ASKING)
        waiting = page.get_by_role("list", name="Calls that wait for you").get_by_role("listitem")
        expect(waiting).to_contain_text("Clerk wants to call pay_back")
        expect(page.locator("#chat-log")).to_contain_text("waits for approval")
        expect(page.locator("#steering")).to_have_attribute("data-standing", "asking")
        expect(page.get_by_role("button", name="Go on")).to_have_count(0)
        ring = page.locator("#canvas [data-live]")
        expect(ring).to_have_accessible_name("A human decides about a call")

        # It is no matter of this page or this process.
        server.kill()
        expect(page.locator("#connection")).to_be_visible()
        server.start()
        page.reload()
        expect(waiting).to_have_count(1)
        expect(page.get_by_role("link", name="Inbox: 1 for a human")).to_be_visible()
        expect(page.locator("#connection")).to_be_hidden()

        turn(page, "dark")
        # Arguments that the schema forbids are not accepted, and can be corrected.
        arguments = page.get_by_label("Arguments of pay_back")
        expect(arguments).to_have_value('{\n  "order": "A-1043",\n  "amount": 70\n}')
        arguments.fill('{"order": 5')
        approve = waiting.get_by_role("button", name="Approve as changed")
        approve.click()
        expect(waiting.get_by_role("alert")).to_contain_text("(line 1, column 12)")
        expect(arguments).to_be_focused()
        expect(arguments).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#notice")).to_be_empty()
        arguments.fill('{"order": "A-1043", "amount": "much"}')
        approve.click()
        wrong = waiting.get_by_role("alert").filter(has_text="The arguments of pay_back are wrong")
        expect(wrong).to_be_visible()
        arguments.fill('{"order": "A-1043", "amount": 40}')
        approve.click()
        wait_for_the_end(page)
        expect(ring).to_have_id("stage-desk")
        expect(waiting).to_have_count(0)
        expect(page.locator("#message-text")).to_be_focused()
        expect(page.locator("#chat-log .decided")).to_contain_text("changed the call to")
        expect(page.locator("#chat-log .tool-call").last).to_contain_text("example")

        # Refused, with the reason.
        say(page, ASKING)
        page.get_by_label("Reason of the decision").fill("Not <b>today</b>.")
        waiting.get_by_role("button", name="Refuse").click()
        wait_for_the_end(page)
        expect(page.locator("#message-text")).to_be_focused()
        expect(page.locator("#chat-log .decided").last).to_contain_text("Not <b>today</b>.")

        # Approved as it is, by key, with the reason.
        say(page, ASKING)
        page.get_by_label("Reason of the decision").fill("Paid in advance.")
        waiting.get_by_role("button", name="Approve", exact=True).focus()
        page.keyboard.press("Enter")
        wait_for_the_end(page)
        decided = page.locator("#chat-log .decided").last
        expect(decided).to_contain_text("approved the call: Paid in advance.")
        expect(page.locator("#trace .event[data-type='tool.returned']")).to_have_count(2)
        assert_complete(page)


def test_on_a_phone_the_chat_and_the_tab_of_the_pane_lead_to_a_call_that_waits(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(bring_in(page, DESK) + "rehearse/")
    tab = page.get_by_role("navigation", name="Panels").get_by_role("button", name="Supervisor")
    expect(tab).to_have_accessible_name("Supervisor")
    say(page, ASKING)
    expect(tab).to_have_accessible_name("Supervisor · a call waits for approval")
    drawer = page.context.new_page()
    drawer.goto(f"{page.url}?drawer=1")
    expect(drawer.get_by_role("link", name="open the rehearsal to decide")).to_be_visible()
    drawer.close()
    page.get_by_role("button", name="A call waits for approval: decide").click()
    expect(page.get_by_label("Arguments of pay_back")).to_be_focused()
    for button in ("Take over", "End"):
        expect(page.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=0.99)
    # The input for the decision is still there after a reload.
    arguments = page.get_by_label("Arguments of pay_back")
    arguments.fill('{"order": "B-7", "amount": 40}')
    page.get_by_label("Reason of the decision").fill("Not today")
    page.reload()
    expect(arguments).to_have_value('{"order": "B-7", "amount": 40}')
    expect(page.get_by_label("Reason of the decision")).to_have_value("Not today")
    page.get_by_role("button", name="A call waits for approval: decide").click()
    page.get_by_role("button", name="Approve as changed").click()
    expect(tab).to_have_accessible_name("Supervisor")

    # After the decision, with the composer out of sight, the focus is on a usable button.
    expect(page.locator("#steering")).to_have_attribute("data-standing", "idle")
    expect(page.locator("#steer-note")).to_be_focused()


def test_another_persons_decision_keeps_typed_text_and_takes_no_keys(open_page):
    page = open_page()
    page.goto(bring_in(page, DESK) + "rehearse/")
    say(page, ASKING)
    page.get_by_label("Reason of the decision").fill("The customer must first ")
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("You had typed: “The customer must first ”")
    page.keyboard.type("call us back")
    expect(page.get_by_label("Message as the customer")).to_have_value("")


def test_the_focus_after_a_deleted_tool_and_after_a_tidied_layout(open_page):
    page = open_page()
    page.goto(bring_in(page, DESK))
    page.locator("#canvas[data-ready]").wait_for()
    page.locator('.left [data-select="tool"][data-key="look_up"]').click()
    wait_until(page, LOADED)
    page.get_by_role("button", name="Delete tool").focus()
    page.keyboard.press("Enter")
    expect(page.locator('.left [data-select="tool"]')).to_have_text(["pay_back"])
    expect(page.locator('.left [data-select="tool"]')).to_be_focused()
    page.locator(":focus").evaluate("element => element.blur()")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog", name="Commands").get_by_role("combobox").fill("Tidy")
    page.keyboard.press("Enter")
    expect(page.locator("#canvas")).to_be_focused()


def test_a_tool_gets_examples_and_approval_and_is_listed_by_its_kind(open_page):
    page = open_page()
    page.goto(bring_in(page, DESK) + "?select=agent:clerk")
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    listed = page.get_by_role("list", name="Available tools")
    expect(listed).to_contain_text("asks first")
    listed.get_by_role("button", name="look_up").click()

    unfold(page, "Examples")
    page.get_by_role("button", name="Add an example").click()
    asked = page.get_by_label("For calls with")
    asked.fill('{"order": 7}')
    asked.press("Tab")
    expect(page.locator("#version-chip")).to_contain_text("v2 ")
    answer = page.get_by_role("textbox", name="The answer")
    answer.fill("Shipped.")
    answer.press("Tab")
    expect(page.locator("#version-chip")).to_contain_text("v3 ")
    page.get_by_role("button", name="Add an example").click()
    expect(page.get_by_role("group", name="Example 2")).to_be_visible()
    first = page.get_by_role("group", name="Example 1")
    expect(first.get_by_role("textbox", name="The answer")).to_have_value("Shipped.")

    unfold(page, "Approval, limits and retries")
    page.get_by_label("Require approval").check()
    expect(page.locator("#version-chip")).to_contain_text("v4 ")
    limit = page.get_by_label("Time limit of a call")
    limit.fill("2.5")
    limit.press("Tab")
    expect(page.locator("#version-chip")).to_contain_text("v5 ")
    page.locator("#tool-form [name=kind]").select_option("user_input")
    expect(page.locator("#version-chip")).to_contain_text("v6 ")
    expect(page.get_by_label("Require approval")).to_be_hidden()
    expect(page.get_by_label("Use the examples as answers")).to_be_visible()


def test_the_buttons_of_a_waiting_call_are_large_enough_for_fingers(open_page, server):
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.goto(bring_in(phone, DESK) + "rehearse/")
    say(phone, ASKING)
    phone.locator("[data-decisions]").tap()
    heights = "buttons => buttons.map((button) => button.getBoundingClientRect().height)"
    buttons = phone.locator(".approval__end button")
    expect(buttons.first).to_be_visible()
    assert min(buttons.evaluate_all(heights)) >= 44
