"""Typing in the inspector while the network is slow, the session ends, or others type too."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

from tests.e2e.conftest import Console
from tests.e2e.doors import bring_in
from tests.serving import BatonServer

ONE_STAGE: dict[str, object] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Support",
    "stages": [{"phase": "stage-1"}],
    "entry": "stage-1",
}

PASSWORD = """
from django.contrib.auth.models import User
user = User.objects.get(username="{username}")
user.set_password("correct horse")
user.save()
"""


@pytest.fixture
def editor(page: Page) -> Page:
    """A pipeline with one stage, which is selected."""
    page.goto(bring_in(page, ONE_STAGE) + "?select=stage:stage-1")
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.get_by_label("Phase")).to_have_value("stage-1")
    return page


def held(page: Page, path: str) -> Callable[[], None]:
    """Hold back the answers to what is asked of a path; the function lets them go."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    def let_go() -> None:
        for route in waiting:
            route.continue_()
        page.unroute(f"**/{path}", hold)

    page.route(f"**/{path}", hold)
    return let_go


def test_an_answer_that_comes_after_typing_began_leaves_what_was_typed(editor: Page) -> None:
    let_go = held(editor, "inspect/?*")
    editor.locator("#tab-stage").click()
    editor.get_by_label("Description").fill("Asks what it is")
    with editor.expect_response("**/inspect/?*"):
        let_go()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    editor.keyboard.press("Tab")
    expect(editor.locator("#save-state")).to_have_text("Saved")
    editor.reload()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")


def test_another_tab_that_comes_after_typing_began_waits_until_that_is_saved(editor: Page) -> None:
    let_go = held(editor, "inspect/?*")
    editor.locator("#tab-handoffs").click()
    editor.get_by_label("Description").fill("Asks what it is")
    with editor.expect_response("**/inspect/?*"):
        let_go()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    editor.locator("#tab-handoffs").click()
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")
    editor.locator("#tab-stage").click()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")


def test_who_is_signed_out_is_told_and_comes_back_to_what_was_typed(
    editor: Page, console: Console, server: BatonServer
) -> None:
    console.allow("401|403")
    server.manage("shell", "--no-imports", "-c", PASSWORD.format(username=server.username))
    sign_out(editor.context)
    editor.get_by_label("Description").fill("Asks what it is")
    editor.keyboard.press("Tab")
    notice = editor.locator("#notice")
    expect(notice).to_contain_text("You are signed out")
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    notice.get_by_role("link", name="Sign in").click()
    sign_in_by_password(editor, server.username)
    expect(editor.get_by_label("Phase")).to_have_value("stage-1")
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    expect(editor.locator("#save-state")).to_have_text("Saved")

    editor.context.clear_cookies(name="csrftoken")  # as on a page from before the last sign-in
    editor.get_by_label("Description").fill("Asks once more")
    editor.keyboard.press("Tab")
    notice.get_by_role("link", name="Load it anew").click()
    expect(notice).not_to_contain_text("older than your last sign-in")
    expect(editor.get_by_label("Description")).to_have_value("Asks once more")
    expect(editor.locator("#save-state")).to_have_text("Saved")
    editor.reload()
    expect(editor.get_by_label("Description")).to_have_value("Asks once more")


def test_what_is_typed_while_something_else_is_coming_keeps_its_form(editor: Page) -> None:
    let_go = held(editor, "inspect/?*")
    editor.locator("#canvas").click(position={"x": 8, "y": 8})  # the pipeline is asked for
    description = editor.get_by_label("Description")
    description.click()
    editor.keyboard.type("Asks what")
    with editor.expect_response("**/inspect/?*"):
        let_go()
    editor.keyboard.type(" it is")
    expect(description).to_have_value("Asks what it is")
    expect(description).to_be_focused()
    expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    expect(editor.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Support")
    editor.reload()
    editor.locator("#stage-stage-1").click()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")


def test_what_is_typed_is_saved_before_something_else_is_shown_that_was_asked_for_sooner(
    editor: Page,
) -> None:
    let_go = held(editor, "inspect/?*")
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    editor.get_by_label("Description").fill("Asks what it is")
    editor.locator("#canvas").click(position={"x": 8, "y": 8})  # its field is left, too
    let_go()
    expect(editor.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Support")
    expect(editor.locator("#version-chip")).to_contain_text("v2 ")
    editor.locator("#stage-stage-1").click()
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")


def test_what_was_refused_is_not_left_unasked(editor: Page, console: Console) -> None:
    console.allow("422")
    chip = editor.locator("#version-chip")
    editor.get_by_label("Phase").fill("!")
    expect(chip.get_by_text("not saved yet")).to_be_visible()
    expect(chip.get_by_text("saved", exact=True)).to_be_hidden()
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    expect(chip.get_by_text("last change not saved")).to_be_visible()
    expect(editor.locator("#inspector")).to_contain_text("A key is made of the letters")
    expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
    expect(editor.get_by_label("Phase")).to_have_value("!")
    told = editor.get_by_text("Not saved: Phase. Save it, or discard it.")
    expect(told.and_(editor.locator("#unsaved p"))).to_be_visible()
    for _ in range(2):
        with editor.expect_response("**/inspect/?*"):
            editor.locator("#canvas").click(position={"x": 8, "y": 8})
        expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
        expect(editor.locator("#announcer")).to_contain_text("Not saved: Phase")
        expect(editor.get_by_label("Phase")).to_have_value("!")
    for name in ("Phase", re.compile("^Phase: A key is made of")):  # what it is, and what is wrong
        editor.locator("#unsaved").get_by_role("button", name=name, exact=True).click()
        expect(editor.get_by_label("Phase")).to_be_focused()
    editor.get_by_role("button", name="Discard").click()
    expect(editor.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Support")
    expect(editor.locator("#unsaved")).to_have_count(0)
    expect(editor.locator("#stage-stage-1")).not_to_have_attribute("aria-current", "true")


def test_what_was_refused_is_kept_though_its_field_was_visited_again(
    editor: Page, console: Console
) -> None:
    console.allow("422")
    phase = editor.get_by_label("Phase")
    phase.fill("!")
    phase.press("Tab")
    expect(phase).to_have_attribute("aria-invalid", "true")
    phase.focus()
    phase.press("Tab")
    editor.locator("#tab-handoffs").click()
    expect(editor.locator("#unsaved")).to_contain_text("Not saved: Phase")
    expect(phase).to_have_value("!")
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.locator("#stage-intake")).to_be_visible()
    expect(editor.locator("#unsaved")).to_have_count(0)


def test_what_was_refused_is_kept_though_another_form_is_saved_and_though_the_page_is_to_be_left(
    editor: Page, console: Console
) -> None:
    console.allow("422")
    editor.get_by_label("Or a new agent").fill("Triage")
    editor.keyboard.press("Tab")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    form, cues = editor.locator("#agent-form"), editor.locator("#cues-form")
    cues.get_by_role("button", name="Add a cue").click()
    form.get_by_text("How the model is asked").click()
    temperature = form.get_by_label("Temperature")
    temperature.fill("9")
    with editor.expect_response("**/agents/update/"):
        cues.get_by_label("When the message says").fill("hello")
    with editor.expect_response("**/agents/cues/"):
        editor.keyboard.press("Tab")
    expect(editor.locator("#inspector")).to_have_attribute("data-typed", "")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    editor.once("dialog", stay)
    editor.get_by_role("link", name="Rehearse").click()
    expect(temperature).to_have_value("9")
    assert asked == ["beforeunload"]
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    expect(editor.locator("#unsaved")).to_contain_text("Not saved: Temperature")
    temperature.fill("1")
    editor.get_by_role("link", name="Rehearse").click()
    expect(editor.get_by_label("Message as the customer")).to_be_visible()


def test_what_was_refused_lets_another_tab_come_once_it_is_discarded(
    editor: Page, console: Console
) -> None:
    console.allow("422")
    phase = editor.get_by_label("Phase")
    phase.fill("!")
    phase.press("Tab")
    expect(phase).to_have_attribute("aria-invalid", "true")
    editor.locator("#tab-handoffs").click()
    editor.get_by_role("button", name="Discard").click()
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")
    expect(editor.locator("#tab-handoffs")).to_be_focused()


def test_a_choice_between_two_versions_is_not_left_unasked(editor: Page, console: Console) -> None:
    console.allow("412")
    description = editor.get_by_label("Description")
    description.fill("Mine")
    other = editor.context.new_page()
    other.goto(editor.url)
    other.get_by_label("Description").fill("Theirs")
    other.keyboard.press("Tab")
    expect(other.locator("#save-state")).to_have_text("Saved")
    editor.locator("#inspector").get_by_role("button", name="Save", exact=True).click()
    merge = editor.locator("#merge")
    expect(merge.get_by_role("button", name="Save as chosen")).to_be_visible()
    for _ in range(2):
        with editor.expect_response("**/inspect/?*"):
            editor.locator("#canvas").click(position={"x": 8, "y": 8})
        expect(editor.locator("#unsaved")).to_contain_text("Not saved: Description.")
        expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
        expect(description).to_have_value("Mine")
        expect(merge.get_by_role("button", name="Save as chosen")).to_be_visible()
    editor.get_by_role("button", name="Keep all of mine").click()
    expect(editor.locator("#save-state")).to_contain_text("Saved")
    expect(editor.locator("#unsaved")).to_have_count(0)


def test_a_gesture_of_someone_signed_out_is_told_too(editor: Page, console: Console) -> None:
    console.allow("401")
    sign_out(editor.context)
    editor.locator("#canvas").focus()
    editor.keyboard.press("a")
    editor.keyboard.press("Enter")
    expect(editor.locator("#notice")).to_contain_text("You are signed out")
    editor.locator("#canvas").click(button="middle")  # what else is said goes with the next press
    expect(editor.locator("#notice").get_by_role("link", name="Sign in")).to_be_visible()
    editor.get_by_role("button", name="Close this message").click()
    expect(editor.locator("#notice")).to_be_empty()


def test_a_field_in_error_says_so(editor: Page, console: Console) -> None:
    console.allow("422")
    phase = editor.get_by_label("Phase")
    phase.fill("!")
    phase.press("Tab")
    expect(phase).to_have_attribute("aria-invalid", "true")
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.get_by_label("Phase")).to_have_attribute("aria-invalid", "false")


@pytest.mark.parametrize("by", ["pointer", "keys"])
def test_a_refused_save_leads_to_the_first_field_in_error(
    editor: Page, console: Console, by: str
) -> None:
    console.allow("422")
    editor.get_by_label("Or a new agent").fill("Triage")
    editor.keyboard.press("Tab")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    form = editor.locator("#agent-form")
    form.get_by_text("How the model is asked").click()
    temperature = form.get_by_label("Temperature")
    temperature.fill("9")
    save = form.get_by_role("button", name="Save", exact=True)
    if by == "pointer":
        save.click()
    else:
        temperature.press("Tab")
        expect(temperature).to_have_attribute("aria-invalid", "true")
        expect(temperature).not_to_be_focused()  # who only goes on is not called back
        form.get_by_text("How the model is asked").click()
        expect(temperature).to_be_hidden()
        save.press("Enter")
    expect(temperature).to_be_focused()
    expect(temperature).to_be_in_viewport()
    expect(editor.locator("#save-state")).to_have_text("Not saved")
    expect(editor.locator("#save-state")).to_be_in_viewport()
    chip = editor.locator("#version-chip")
    expect(chip.get_by_text("last change not saved")).to_be_visible()
    expect(chip.get_by_text("saved", exact=True)).to_be_hidden()
    temperature.fill("1")
    temperature.press("Tab")
    expect(chip.get_by_text("saved", exact=True)).to_be_visible()


def test_a_form_that_another_tab_has_changed_asks_which_is_to_be_kept(
    editor: Page, console: Console
) -> None:
    console.allow("412")
    editor.get_by_label("Description").fill("Theirs")
    other = editor.context.new_page()
    other.goto(editor.url)
    other.get_by_label("Description").fill("Mine")
    other.keyboard.press("Tab")
    expect(other.locator("#save-state")).to_have_text("Saved")
    sent: list[str] = []
    editor.on(
        "request", lambda request: sent.append(request.url) if "update" in request.url else None
    )
    editor.locator("#inspector").get_by_role("button", name="Save", exact=True).click()
    expect(editor.locator("#save-state")).to_have_text("Not saved")
    expect(editor.get_by_label("Description")).to_have_value("Theirs")
    assert len(sent) == 1, "the button sends what leaving the field sends"
    editor.locator("#merge").get_by_role("button", name="Take all as saved").click()
    expect(editor.get_by_label("Description")).to_have_value("Mine")


def test_what_is_added_has_the_focus(editor: Page) -> None:
    editor.get_by_label("Or a new agent").fill("Triage")
    editor.keyboard.press("Tab")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    editor.get_by_role("button", name="Add a cue").click()
    expect(editor.get_by_label("When the message says")).to_be_focused()

    editor.get_by_role("link", name="Routing rules").click()
    editor.get_by_role("button", name="New rule").click()
    expect(editor.get_by_label("Rule", exact=True)).to_be_focused()


def test_a_rule_that_is_half_written_outlives_another_tab_until_it_is_cancelled(
    editor: Page,
) -> None:
    tab = editor.get_by_role("link", name="Routing rules")
    tab.click()
    editor.get_by_role("button", name="New rule").click()
    rule = editor.get_by_label("Rule", exact=True)
    rule.fill("By SMS")
    editor.get_by_role("link", name="Problems").click()
    expect(editor.locator("#tab-problems")).to_have_attribute("aria-current", "true")
    expect(rule).to_be_hidden()
    tab.click()
    expect(rule).to_have_value("By SMS")
    editor.get_by_role("button", name="Cancel").click()
    editor.get_by_role("button", name="Discard the rule").click()
    expect(rule).not_to_be_attached()
    editor.get_by_role("button", name="New rule").click()
    expect(rule).to_have_value("")


def test_something_else_is_shown_from_its_top(editor: Page) -> None:
    editor.set_viewport_size({"width": 1440, "height": 500})
    inspector = editor.locator("#inspector")
    inspector.evaluate("element => element.scrollTo(0, 200)")
    assert inspector.evaluate("element => element.scrollTop") > 0
    editor.locator("#tab-handoffs").evaluate("tab => tab.click()")
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")
    assert inspector.evaluate("element => element.scrollTop") == 0


def test_the_focus_stays_in_a_list_that_is_offered_anew(editor: Page) -> None:
    phase = editor.get_by_label("Phase")
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.locator("#stage-intake")).to_be_visible()
    expect(editor.get_by_label("Next stage")).to_contain_text("intake")
    expect(editor.get_by_label("Agent", exact=True)).to_be_focused()


def sign_out(context: BrowserContext) -> None:
    """The session ends, as when it expires."""
    context.clear_cookies(name="sessionid")


def sign_in_by_password(page: Page, username: str) -> None:
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
