"""The editor while the server cannot be reached."""

import re
from collections.abc import Callable

from playwright.sync_api import Dialog, Page, Route, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.waits import loading
from tests.serving import BatonServer


def test_offline_the_drawing_is_locked_and_unsaved_input_is_saved_later(
    open_page: Callable[..., Page], server: BatonServer, console: Console
) -> None:
    for sentence in ("ERR_", "WebSocket", "htmx", "dynamically imported"):
        console.allow(sentence)
    page = open_page()
    path = draw(page).page.url.removeprefix(server.url)
    with CuttingProxy(server.port) as proxy:
        page.context.add_cookies([{"name": "sessionid", "value": server.session, "url": proxy.url}])
        editor = Editor(page, proxy.url + path)
        # The commands load with the first focus; while they load offline, a key waits for them.
        with loading(page, "editor/commands"):
            editor.stage("intake").click()
        shown = page.locator("#inspector-state [name=select]")
        expect(shown).to_have_value("stage:intake")
        banner, chip = page.locator("#offline"), page.locator("#save-status")
        try_now = banner.get_by_text("Try now")
        expect(banner).to_be_hidden()

        proxy.refuses = True
        proxy.cut()
        expect(banner).to_contain_text("Offline: reconnecting…")
        assert in_both_themes(page) == []
        page.get_by_label("Description").fill("Asks for the order.")
        editor.stage("answer").click()
        expect(banner).to_contain_text("Your last change is kept, and saved once")
        expect(page.locator("#notice > *")).to_have_count(0)
        expect(editor.stage("intake")).to_have_attribute("aria-current", "true")
        expect(editor.stage("answer")).not_to_have_attribute("aria-current", "true")
        expect(chip).to_have_text("Not saved yet")
        editor.drag(editor.middle("answer"), (400, 400))
        editor.stands("answer", (320, 0))
        editor.canvas.press("a")
        expect(page.locator("#announcer")).to_contain_text("Offline: nothing can be changed")
        expect(page.locator(".stage")).to_have_count(3)

        proxy.refuses = False
        try_now.evaluate("button => button.click()")  # unless the page was faster
        expect(banner).to_be_hidden()
        expect(chip).to_have_text("Saved")
        expect(page.locator("#version-chip")).to_contain_text("v2")
        editor.stage("answer").click()
        expect(editor.stage("answer")).to_have_attribute("aria-current", "true")

        # A name that is typed for a new stage stays until it can be created.
        editor.keyboard.press("a")
        choice = page.get_by_role("combobox", name="Part to create")
        expect(choice).to_be_focused()
        proxy.refuses = True
        proxy.cut()
        expect(banner).to_be_visible()
        choice.fill("Auditor")
        choice.press("Enter")
        expect(page.locator("#announcer")).to_contain_text("Offline: nothing can be changed")
        expect(choice).to_have_value("Auditor")
        proxy.refuses = False
        expect(banner).to_be_hidden()
        choice.press("Enter")
        expect(editor.stage("auditor")).to_be_visible()

        # A name that is written on the canvas is saved later too.
        editor.stage("answer").focus()
        editor.keyboard.press("F2")
        name = page.get_by_label("Name of the stage")
        expect(name).to_be_focused()
        editor.keyboard.type("re")
        expect(chip).to_have_text("Not saved yet")
        proxy.refuses = True
        proxy.cut()
        expect(banner).to_be_visible()
        name.fill("reply")
        name.press("Enter")
        expect(name).to_have_attribute("aria-invalid", "true")
        expect(chip).to_have_text("Not saved")
        proxy.refuses = False
        try_now.evaluate("button => button.click()")  # unless the page was faster
        expect(editor.stage("reply")).to_be_visible()
        expect(chip).to_have_text("Saved")


def test_offline_before_the_connection_is_watched_is_shown_too(
    open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("ERR_")
    page = open_page(fresh=True)

    def lose_the_network(route: Route) -> None:
        module = route.fetch()
        page.context.set_offline(True)
        route.fulfill(response=module)

    page.route("**/static/js/core/connection.*.js", lose_the_network)
    page.goto("/connections/")
    expect(page.locator("#offline")).to_be_visible()


def test_offline_a_form_that_loads_a_page_stays_with_its_text(page: Page, console: Console) -> None:
    console.allow("ERR_|htmx:")
    stage = {"phase": "desk", "agent_id": "agent-writer"}
    draw(page, stages=[stage], transitions=[], entry="desk", layout={})
    page.get_by_role("link", name="Rehearse").click()
    message = page.get_by_label("Message as the customer")
    message.fill("Where is my order?")
    address = page.url
    page.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Offline: this was not sent.")
    expect(message).to_have_value("Where is my order?")
    assert page.url == address
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#chat-log")).to_contain_text("Where is my order?")
    expect(page).not_to_have_url(address)


def test_offline_unsaved_input_is_asked_about_and_restored_at_any_address(
    page: Page, server: BatonServer, console: Console
) -> None:
    console.allow("ERR_|htmx:|WebSocket|dynamically imported")
    stage = {"phase": "desk", "agent_id": "agent-writer"}
    editor = draw(page, stages=[stage], transitions=[], entry="desk", layout={})
    address = page.url.partition("?")[0]
    editor.stage("desk").click()
    # The module that asks before leaving the page loads with the first focus in the inspector.
    with loading(page, "editor/panels/unsaved-form"):
        page.get_by_role("link", name="Agent", exact=True).click()
    instructions = page.get_by_label("Instructions")
    expect(instructions).to_be_visible()
    page.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    instructions.fill("Answer in one sentence.")
    page.keyboard.press("Escape")
    expect(page.locator("#offline")).to_contain_text("Your last change is kept")

    # The browser asks; after leaving, the input is restored at any address of the pipeline.
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.get_by_role("link", name="Rehearse").click()
    page.wait_for_url("chrome-error://**")
    assert asked == ["beforeunload"]
    page.context.set_offline(False)
    page.wait_for_function("navigator.onLine")  # it may take a moment on the browser's own page
    page.goto(address)
    expect(instructions).to_have_value("Answer in one sentence.")
    expect(page.locator("#notice")).to_contain_text("Your input was restored")
    state = page.locator("#save-status")
    expect(state).to_have_text("Not saved yet")
    instructions.press("Tab")
    # The first attempt may have reached the server, but not its answer.
    expect(state).to_have_text(re.compile("^Saved"))
    page.goto(address)
    page.reload()
    editor.stage("desk").click()
    page.get_by_role("link", name="Agent", exact=True).click()
    expect(instructions).to_have_value("Answer in one sentence.")
