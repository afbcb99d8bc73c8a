"""No page, and no dialog or menu over it, has axe violations, in either theme."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.designer.connections.pets_document import PETS
from tests.e2e.axe import in_both_themes
from tests.e2e.conftest import Console
from tests.e2e.navigation import address_of, bring_in
from tests.e2e.pages.error_pages import shown_as
from tests.e2e.pages.full_definition import everything_there_is
from tests.e2e.pages.job_pages import look_at_the_export_of_all_rehearsals
from tests.serving import BatonServer

PHONE = {"width": 390, "height": 844}

PAGES = {
    "sign_in": "test_pages_for_anybody",
    "sign_in_by_link": "test_pages_for_anybody",
    "pipelines": "test_the_list_of_pipelines_its_dialogs_and_the_pages_of_help",
    "problems_help": "test_the_list_of_pipelines_its_dialogs_and_the_pages_of_help",
    "problem_help": "test_the_list_of_pipelines_its_dialogs_and_the_pages_of_help",
    "editor": "test_the_editor_with_each_selection_and_each_overlay",
    "rehearse": "test_a_rehearsal_before_it_begins_and_after",
    "conversation": "test_a_rehearsal_before_it_begins_and_after",
    "compare": "test_a_paused_rehearsal_and_the_pages_around_it",
    "inbox": "test_a_paused_rehearsal_and_the_pages_around_it",
    "share_links": "test_a_paused_rehearsal_and_the_pages_around_it",
    "watch": "test_a_paused_rehearsal_and_the_pages_around_it",
    "connections": "test_connections_none_one_and_an_invalid_one",
    "connection": "test_connections_none_one_and_an_invalid_one",
    "connection_add": "test_connections_none_one_and_an_invalid_one",
    "jobs": "test_a_paused_rehearsal_and_the_pages_around_it",
    "job": "test_a_paused_rehearsal_and_the_pages_around_it",
    "tool_import": "test_the_import_of_tools_and_the_forms_of_imported_tools",
}
"""Name of the test for each page, by the name of its address. `tests/designer/test_access.py` fails
when a page is missing here."""


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, with a user who has the samples."""
    return visit(samples=True)


def test_pages_for_anybody(
    open_page: Callable[..., Page], server: BatonServer, console: Console
) -> None:
    console.allow("404|410|status of [45]")
    page = open_page(signed_in=False)
    for address in ("/sign-in/", server.sign_in_url(), "/sign-in/no-such-link/", "/nowhere/"):
        page.goto(address)
        expect(page.get_by_role("heading").first).to_be_visible()
        assert in_both_themes(page) == [], address
    page.goto("/sign-in/")
    page.locator("[name=csrfmiddlewaretoken]").evaluate_all("all => all.map(one => one.remove())")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="This page has expired")).to_be_visible()
    assert in_both_themes(page) == []

    # No request can cause these two on purpose: their templates are shown instead.
    for status, heading in (
        (403, "You don't have permission to do this"),
        (500, "Something went wrong"),
    ):
        shown_as(page, status)
        page.goto(f"/sign-in/?{status}")
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert in_both_themes(page) == [], status


def test_the_list_of_pipelines_its_dialogs_and_the_pages_of_help(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    page.goto("/")
    assert in_both_themes(page) == []
    for button in ("New pipeline", "Import"):
        page.get_by_role("button", name=button).first.click()
        found_nothing_in_the_dialog(page)
        page.keyboard.press("Escape")
    more = page.locator(".card").first.locator("details.menu")
    for action in ("Rename", "Tags", "Delete"):
        more.locator("summary").click()
        assert in_both_themes(page, ".card") == []
        more.get_by_role("button", name=action).click()
        found_nothing_in_the_dialog(page)
        page.keyboard.press("Escape")
    for address in ("/help/problems/", "/help/problems/ping-pong/"):
        page.goto(address)
        assert in_both_themes(page) == [], address


@pytest.mark.long
def test_connections_none_one_and_an_invalid_one(
    open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("422")
    page = open_page()
    page.goto("/connections/")
    assert in_both_themes(page) == []
    page.get_by_role("link", name="Add a connection").click()
    expect(page.get_by_role("heading", name="New connection")).to_be_visible()
    page.get_by_label("Name").fill("")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("button", name="Add connection").click()
    expect(page.get_by_text("Give the connection a name.")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_label("Name").fill("work")
    page.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    page.get_by_label("Default model").fill("small")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("It does not work.")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Add connection").click()
    page.get_by_role("link", name="work").click()
    expect(page.get_by_role("heading", name="work")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Delete connection").click()
    found_nothing_in_the_dialog(page)
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("The connection “work” is deleted.")).to_be_visible()


@pytest.mark.long
def test_the_import_of_tools_and_the_forms_of_imported_tools(
    open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("422")
    page = open_page()
    page.goto(bring_in(page, everything_there_is()))
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    page.get_by_role("link", name="Import tools…").click()
    expect(page.get_by_role("heading", name="Import tools")).to_be_visible()
    page.get_by_role("button", name="List its operations").click()
    expect(page.get_by_text("Choose a file, or paste the text of the document.")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_label("Or its text").fill(PETS)
    page.get_by_role("button", name="List its operations").click()
    expect(page.get_by_role("heading", name="Pet store: 4 tools")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("checkbox", name="update_pet").check()
    page.get_by_role("button", name="Import the chosen tools").click()
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.get_by_label("Implementation")).to_have_value("http")
    expect(page.get_by_label("Address", exact=True)).to_have_value(
        "https://eu.pets.example/v1/pets/{petId}"
    )
    assert in_both_themes(page) == []
    page.get_by_label("Implementation").select_option("mcp")
    expect(page.get_by_label("MCP server", exact=True)).to_be_visible()
    expect(page.get_by_label("Address", exact=True)).to_be_hidden()
    expect(page.get_by_text("does not say which MCP server").first).to_be_visible()
    assert in_both_themes(page) == []


def test_the_editor_with_each_selection_and_each_overlay(
    open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("412")
    page = open_page()
    page.goto(bring_in(page, everything_there_is()))
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.locator(".stage[data-problem]").first).to_be_visible()
    assert in_both_themes(page) == []
    look_at_whatever_is_selected(page)
    look_at_what_is_under_way(page)
    look_at_the_panels(page)
    look_at_what_opens(page)
    look_at_what_two_have_changed(page)


def look_at_whatever_is_selected(page: Page) -> None:
    """Check the inspector for each kind of part, tab by tab."""
    page.locator("#canvas").focus()
    for thing in ("stage-intake", "stage-escalation", "stage-panel", "stage-nobody"):
        page.locator(f"#{thing}").focus()
        page.keyboard.press("Enter")
        shown(page, thing.replace("-", ":", 1))
    page.locator("#stage-billing").focus()
    page.keyboard.press("Enter")
    shown(page, "stage:billing")
    for tab in ("agent", "handoffs"):
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-current", "true")
        assert in_both_themes(page, "#inspector") == [], tab
    for thing, subject in (
        ("edge-billing--review", "transition:billing>review"),
        ("note-try-it", "note:try-it"),
        ("frame-desks", "frame:desks"),
    ):
        page.locator(f"#{thing}").focus()
        page.keyboard.press("Space")
        shown(page, subject)
    for kind, key in (("agent", "agent-front"), ("tool", "refund_payment")):
        page.locator(f"#agents-panel [data-select={kind}][data-key={key}]").click()
        shown(page, f"{kind}:{key}")


def look_at_what_is_under_way(page: Page) -> None:
    """Check a selection of several parts, an unfinished transition, and a name being typed."""
    page.locator("#canvas").focus()
    page.keyboard.press("Control+a")
    expect(page.get_by_role("region", name="Selected parts")).to_contain_text(" selected")
    assert in_both_themes(page) == [], "several"
    page.keyboard.press("Escape")
    page.locator("#stage-intake").focus()
    page.keyboard.press("c")
    expect(page.locator(".hint")).to_be_visible()
    assert in_both_themes(page) == [], "connecting"
    page.keyboard.press("Escape")
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="Name of the stage")).to_be_focused()
    assert in_both_themes(page) == [], "naming"
    page.keyboard.press("Escape")


def shown(page: Page, subject: str) -> None:
    """Check that the inspector shows the subject, without violations."""
    expect(page.locator("#inspector-state [name=select]")).to_have_value(subject)
    assert in_both_themes(page, "#inspector") == [], subject


def look_at_the_panels(page: Page) -> None:
    """Check each tab of the bottom panel, and the form for a new rule."""
    for tab in ("outline", "rules", "definition", "find", "problems"):
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-current", "true")
        assert in_both_themes(page, "#bottom-panel") == [], tab
        if tab == "rules":
            page.get_by_role("button", name="New rule").click()
            expect(page.get_by_label("Rule", exact=True)).to_be_focused()
            assert in_both_themes(page, "#bottom-panel") == []
    assert in_both_themes(page) == []


def look_at_what_opens(page: Page) -> None:
    """Check the dialogs and the menu of the editor, opened by key or button."""
    canvas = page.locator("#canvas")
    opened = page.locator("dialog[open]")
    for begin, *keys in (
        (canvas, "Control+k"),
        (canvas, "?"),
        (page.locator("#stage-intake"), "c", "a"),
    ):
        begin.focus()
        for key in keys:
            page.keyboard.press(key)
        found_nothing_in_the_dialog(page)
        page.keyboard.press("Escape")
        expect(opened).to_have_count(0)
    page.locator("#stage-intake").focus()
    page.keyboard.press("Shift+F10")
    found_nothing_in(page.get_by_role("menu"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share", exact=True).click()
    found_nothing_in_the_dialog(page)
    page.keyboard.press("Escape")
    page.get_by_label("More actions for this pipeline").click()
    page.get_by_role("button", name="Save as template").click()
    found_nothing_in_the_dialog(page)
    page.keyboard.press("Escape")


def look_at_what_two_have_changed(page: Page) -> None:
    """Check the inspector after a form was saved elsewhere, and the list of undo steps."""
    tab = page.context.new_page()
    tab.goto(page.url.partition("?")[0])
    for one in (page, tab):
        expect(one.locator("#canvas")).to_have_attribute("data-ready", "")
        one.locator("#stage-intake").focus()
        one.keyboard.press("Enter")
        expect(one.get_by_label("Stage name")).to_have_value("intake")
    page.get_by_label("Description").fill("Finds out what the customer needs.")
    tab.get_by_label("Description").fill("Says hello.")
    tab.keyboard.press("Tab")
    expect(page.locator("#save-state")).to_contain_text("Changed in the meantime")
    assert in_both_themes(page, "#inspector") == []
    tab.close()
    page.get_by_label("Description").press("Tab")
    expect(page.locator("#merge form fieldset")).to_be_visible()
    page.get_by_text("Previous text").click()
    assert in_both_themes(page, "#inspector") == []
    page.get_by_label("Undo several steps").click()
    found_nothing_in(page.locator("#undo-steps button").first)


def found_nothing_in(surface: Locator) -> None:
    """Check that the surface is visible, and that the page has no violations."""
    expect(surface).to_be_visible()
    assert in_both_themes(surface.page) == []


def found_nothing_in_the_dialog(page: Page) -> None:
    """Check that a dialog is open, without violations; the page behind it is inert."""
    expect(page.locator("dialog[open]")).to_be_visible()
    assert in_both_themes(page, "dialog[open]") == []


@pytest.mark.long
def test_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=PHONE)
    address = address_of(page, "Support desk")
    for place in ("/", "/help/problems/", "/help/problems/ping-pong/", f"{address}rehearse/"):
        page.goto(place)
        assert in_both_themes(page) == [], place
        fits(page)
    page.goto(address)
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    for sheet in ("Agents", "Inspector", "Overview"):
        page.get_by_role("navigation", name="Panels").get_by_role("button", name=sheet).click()
        assert in_both_themes(page) == [], sheet
        fits(page)
    page.locator("#stage-intake").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("navigation", name="Panels").get_by_role("button", name="Inspector").click()
    expect(page.get_by_role("region", name="Selected parts")).to_be_visible()
    assert in_both_themes(page) == [], "several"
    fits(page)


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_rehearsal_before_it_begins_and_after(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(address_of(page, "Support desk") + "rehearse/")
    assert in_both_themes(page) == []
    send_a_message(page)
    page.locator("#trace .event summary").first.click()
    expect(page.locator("#trace .event__body pre").first).to_be_visible()
    assert in_both_themes(page) == []


def send_a_message(page: Page) -> None:
    """Send the first message of a rehearsal, and wait for the answer."""
    page.get_by_label("Message as the customer").fill("I was billed twice in March")
    page.keyboard.press("Enter")
    expect(page.locator("#chat-log .turn").first).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    expect(page).to_have_url(re.compile(r"/conversations/\d+/"))


@pytest.mark.long
def test_a_paused_rehearsal_and_the_pages_around_it(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(address_of(page, "Support desk") + "rehearse/")
    send_a_message(page)
    conversation = page.url.partition("?")[0]
    look_at_the_export_of_all_rehearsals(page)
    page.goto(conversation)
    look_at_a_run_that_stands_still(page)
    page.locator("#steer-hand-over").press("Enter")
    expect(page.locator("#hand-over-form [type=submit]")).to_be_enabled()
    assert in_both_themes(page, "dialog[open]") == []
    page.locator("#hand-over-dialog").get_by_role("radio", name="Human").first.check()
    page.locator("#hand-over-form [type=submit]").click()
    expect(page.locator(".handoff", has_text="→ Human")).to_be_visible()
    assert in_both_themes(page) == []
    page.goto("/inbox/")
    expect(page.get_by_role("list", name="Waiting")).to_be_visible()
    assert in_both_themes(page) == []
    page.goto(address_of(page, "Support desk") + "compare/")
    assert in_both_themes(page) == []
    page.goto(conversation + "links/")
    page.get_by_role("button", name="New link").click()
    link = page.get_by_label("The new link").input_value()
    assert in_both_themes(page) == []
    page.goto(link)
    expect(page.locator("#chat-log .turn").first).to_be_visible()
    assert in_both_themes(page) == []


def look_at_a_run_that_stands_still(page: Page) -> None:
    """Check the steering buttons of a paused run, and one of their dialogs."""
    live = page.locator(".stage[data-live]")
    live.focus()
    page.keyboard.press("b")
    expect(live).to_have_attribute("data-break", "")
    page.get_by_label("Message as the customer").fill("And what about April?")
    page.keyboard.press("Enter")
    expect(page.locator("#steering")).to_have_attribute("data-standing", "paused")
    assert in_both_themes(page) == []
    page.locator("#steer-note").click()
    found_nothing_in_the_dialog(page)
    page.keyboard.press("Escape")
    page.locator("#steer-end").click()
    expect(page.locator("#steering")).to_have_attribute("data-standing", "idle")
