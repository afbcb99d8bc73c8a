"""Typing in the inspector while the network is slow, the session ends, or others type too."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from tests.e2e.conftest import Console
from tests.e2e.held_requests import held
from tests.e2e.navigation import ONE_STAGE, bring_in, open_one_stage
from tests.e2e.sections import unfold
from tests.e2e.sessions import give_password, sign_in_by_password, sign_out
from tests.serving import BatonServer

ONE_AGENT = ONE_STAGE | {
    "name": "Support for customers",
    "agents": [{"id": "clerk", "name": "Clerk"}],
    "stages": [{"phase": "stage-1", "agent_id": "clerk"}],
}
SHOWN = "#inspector-state [name=select]"
# Escape clears the selection, which the inspector follows 60 ms later.
CLEAR_AND_PRESS = """async () => {
  const pass = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
  document.getElementById("stage-stage-1").dispatchEvent(key);
  await pass(0);
  document.querySelector('#agents [data-select="agent"]').click();
  await pass(100);
}"""


@pytest.fixture
def editor(page: Page) -> Page:
    """A pipeline with one stage, which is selected."""
    return open_one_stage(page)


def test_a_response_after_typing_began_keeps_the_typed_text(editor: Page) -> None:
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


def test_another_tab_is_shown_where_the_save_was_answered_before_the_module_came(
    editor: Page,
) -> None:
    send_module = held(editor, "static/js/editor/panels/unsaved-form*.js")
    answer = held(editor, "stages/update/")
    editor.get_by_label("Description").fill("Asks what it is")
    with editor.expect_response("**/inspect/?*"):
        editor.locator("#tab-handoffs").click()
    answer()
    expect(editor.locator("#save-state")).to_have_text("Saved")
    send_module()
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")


@pytest.mark.long
def test_a_signed_out_user_is_told_and_returns_to_the_typed_text(
    editor: Page, console: Console, server: BatonServer
) -> None:
    console.allow("401|403")
    give_password(server)
    sign_out(editor.context)
    editor.get_by_label("Description").fill("Asks what it is")
    editor.keyboard.press("Tab")
    notice = editor.locator("#notice")
    expect(notice).to_contain_text("You are signed out")
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    notice.get_by_role("link", name="Sign in").click()
    sign_in_by_password(editor, server.username)
    expect(editor.get_by_label("Stage name")).to_have_value("stage-1")
    expect(editor.get_by_label("Description")).to_have_value("Asks what it is")
    expect(editor.locator("#save-state")).to_have_text("Saved")

    editor.context.clear_cookies(name="csrftoken")  # as on a page from before the last sign-in
    editor.get_by_label("Description").fill("Asks once more")
    editor.keyboard.press("Tab")
    notice.get_by_role("link", name="Reload").click()
    expect(notice).not_to_contain_text("older than your last sign-in")
    expect(editor.get_by_label("Description")).to_have_value("Asks once more")
    expect(editor.locator("#save-state")).to_have_text("Saved")
    editor.reload()
    expect(editor.get_by_label("Description")).to_have_value("Asks once more")


def test_a_signed_out_user_returns_to_unsaved_input_on_other_pages(
    editor: Page, console: Console, server: BatonServer
) -> None:
    console.allow("401")
    notice = editor.locator("#notice")
    editor.get_by_role("link", name="Routing rules").click()
    editor.get_by_role("button", name="New rule").click()
    rule = editor.get_by_label("Rule", exact=True)
    rule.fill("By SMS")
    editor.get_by_role("button", name="Add a comparison").click()
    editor.get_by_label("With", exact=True).fill("refund")
    editor.get_by_label("Condition (CEL)").fill("event.text != ''")
    give_password(server)
    sign_out(editor.context)
    editor.get_by_role("button", name="Add rule").click()
    notice.get_by_role("link", name="Sign in").click()
    sign_in_by_password(editor, server.username)
    expect(rule).to_have_value("By SMS")
    expect(editor.get_by_label("With", exact=True)).to_have_value("refund")
    expect(editor.get_by_label("Condition (CEL)")).to_have_value("event.text != ''")
    expect(editor.locator("#save-status")).to_have_text("Not saved yet")
    editor.get_by_role("button", name="Cancel").click()
    editor.get_by_role("button", name="Discard the rule").click()

    editor.get_by_role("link", name="Outline").click()
    editor.locator("#outline summary", has_text="Add a stage").click()
    phase = editor.locator("#outline-add").get_by_label("Stage name")
    phase.fill("review")
    sign_out(editor.context)
    editor.get_by_role("button", name="Add the stage").click()
    notice.get_by_role("link", name="Sign in").click()
    sign_in_by_password(editor, server.username)
    expect(phase).to_have_value("review")
    editor.get_by_role("button", name="Add the stage").click()
    expect(editor.locator("#stage-review")).to_be_visible()


def test_a_form_with_typed_text_stays_while_another_part_loads(editor: Page) -> None:
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


def test_typed_text_is_saved_before_an_earlier_request_is_shown(
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
    editor.keyboard.press("Control+s")
    expect(editor.locator("#save-status")).to_have_text("Not saved")
    expect(editor.get_by_label("Description")).to_have_value("Theirs")
    assert len(sent) == 1
    editor.get_by_role("button", name="New tool").click()
    expect(editor.locator("#unsaved p").first).to_contain_text("Save it, or discard it.")
    expect(editor.get_by_label("Description")).to_have_value("Theirs")
    expect(editor.locator("#save-status")).to_have_text("Not saved")
    editor.locator("#merge").get_by_role("button", name="Use all saved values").click()
    expect(editor.get_by_label("Description")).to_have_value("Mine")


def test_an_unfinished_text_is_not_saved_by_a_queued_save(
    editor: Page,
) -> None:
    let_go = held(editor, "stages/update/")
    editor.get_by_label("Description").fill("Asks what it is")
    editor.locator("#inspector").get_by_label("Agent", exact=True).select_option(":new")
    name = editor.get_by_label("Name of the new agent")
    expect(name).to_be_focused()
    editor.keyboard.type("Res")
    with (
        editor.expect_response("**/stages/update/"),
        editor.expect_response("**/stages/update/") as second,
    ):
        let_go()
    assert "Res" not in (second.value.request.post_data or "")
    expect(name).to_be_focused()
    editor.keyboard.type("olver")
    expect(name).to_have_value("Resolver")
    editor.keyboard.press("Tab")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Resolver")
    expect(editor.locator("#agents > li")).to_have_count(1)


def test_an_added_part_has_the_focus(editor: Page) -> None:
    agent = editor.locator("#inspector").get_by_label("Agent", exact=True)
    agent.select_option(label="New agent…")
    expect(editor.get_by_label("Name of the new agent")).to_be_focused()
    editor.keyboard.type("Triage")
    editor.keyboard.press("Enter")
    expect(agent).to_be_focused()
    expect(agent).to_have_value("agent-triage")
    expect(editor.get_by_label("Name of the new agent")).to_be_hidden()
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    unfold(editor, "Cues")
    editor.get_by_role("button", name="Add a cue").click()
    expect(editor.get_by_label("When the message says")).to_be_focused()

    editor.get_by_role("link", name="Routing rules").click()
    editor.get_by_role("button", name="New rule").click()
    expect(editor.get_by_label("Rule", exact=True)).to_be_focused()


def test_the_name_of_an_agent_chosen_before_the_module_came_has_the_focus(page: Page) -> None:
    send_module = held(page, "static/js/editor/panels/agent-name-focus*.js")
    editor = open_one_stage(page)
    editor.locator("#inspector").get_by_label("Agent", exact=True).select_option(label="New agent…")
    name = editor.get_by_label("Name of the new agent")
    expect(name).to_be_visible()
    send_module()
    expect(name).to_be_focused()


def test_control_s_saves_before_the_module_came(editor: Page) -> None:
    send_module = held(editor, "static/js/editor/panels/unsaved-form*.js")
    editor.get_by_label("Description").fill("Asks what it is about")
    with editor.expect_response("**/stages/update/"):
        editor.keyboard.press("Control+s")
    expect(editor.locator("#save-status")).to_have_text("Saved")
    send_module()


def test_input_before_the_module_loads_is_saved_completely(editor: Page) -> None:
    send_module = held(editor, "static/js/editor/panels/unsaved-form*.js")
    answer = held(editor, "stages/update/")
    editor.locator("#inspector").get_by_label("Agent", exact=True).select_option(label="New agent…")
    expect(editor.get_by_label("Name of the new agent")).to_be_focused()
    editor.keyboard.type("Triage")
    editor.keyboard.press("Enter")
    with editor.expect_response("**/static/js/editor/panels/unsaved-form*.js") as module:
        send_module()
    editor.evaluate("address => import(address)", module.value.url)
    answer()
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")


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


def test_a_section_that_is_opened_at_the_lower_edge_is_scrolled_into_view(editor: Page) -> None:
    editor.set_viewport_size({"width": 1440, "height": 500})
    summary = editor.locator("#inspector details.section > summary", has_text="Prompt")
    summary.click()
    description = editor.get_by_label("Description")
    expect(description).to_be_hidden()
    summary.evaluate("summary => summary.scrollIntoView({ block: 'end' })")
    summary.evaluate("summary => summary.click()")
    expect(description).to_be_in_viewport(ratio=0.9)


def test_the_focus_stays_in_a_list_that_is_offered_anew(editor: Page) -> None:
    phase = editor.get_by_label("Stage name")
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.locator("#stage-intake")).to_be_visible()
    expect(editor.get_by_label("Next stage")).to_contain_text("intake")
    expect(editor.get_by_label("Agent", exact=True)).to_be_focused()


def test_backspace_after_leaving_a_text_field_deletes_no_stage(editor: Page) -> None:
    stage = editor.locator("#stage-stage-1")
    stage.press("Enter")
    expect(editor.get_by_label("Stage name")).to_be_focused()
    editor.keyboard.press("Escape")
    expect(stage).to_be_focused()
    editor.keyboard.press("Backspace")
    expect(editor.locator("#notice")).to_contain_text("Press Delete to delete the selected part.")
    expect(stage).to_be_visible()
    editor.keyboard.press("Delete")
    expect(stage).to_have_count(0)


def test_a_button_pressed_right_after_the_selection_was_cleared_shows_its_part(page: Page) -> None:
    page.goto(bring_in(page, ONE_AGENT) + "?select=stage:stage-1")
    stage = page.locator("#stage-stage-1")
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    name = page.locator("#pipeline-name")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), "the name is not cut"
    stage.press("Escape")  # loads the commands
    expect(page.locator(SHOWN)).to_have_value("pipeline")
    stage.click()
    expect(page.locator(SHOWN)).to_have_value("stage:stage-1")
    selected: list[str] = []
    page.on("request", lambda request: selected.extend(selection_of(request)))
    page.evaluate(CLEAR_AND_PRESS)
    expect(page.locator(SHOWN)).to_have_value("agent:clerk")
    stage.click()
    expect(page.locator(SHOWN)).to_have_value("stage:stage-1")
    assert selected == ["agent clerk", "stage stage-1"]


def selection_of(request: Request) -> list[str]:
    """Return the part that a request selects, if it is such a request."""
    url = urlsplit(request.url)
    query = parse_qs(url.query)
    is_selection = url.path.endswith("/inspect/") and "kind" in query
    return [f"{query['kind'][0]} {query.get('key', [''])[0]}"] if is_selection else []
