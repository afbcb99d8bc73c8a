"""The canvas and the page around it."""

import re

from playwright.sync_api import Page, Route, expect

from tests.e2e.boxes import box_of, middle_of
from tests.e2e.canvas.creating import picker
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.navigation import bring_in
from tests.e2e.waits import wait_until
from tests.serving import BatonServer

EMPTY = {"format": "baton.pipeline", "version": 1, "name": "Empty"}


def test_the_first_stage_is_drawn_from_the_empty_canvas(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    page.locator("dialog[open]").get_by_label("Name").fill("Empty")
    page.locator("dialog[open]").get_by_role("button", name=re.compile("Create|New")).click()
    page.wait_for_url(re.compile(r"/pipelines/\d+/"))
    editor = Editor(page, page.url)
    assert editor.focused() == "canvas"
    add = page.get_by_role("button", name="Add the first stage")
    add.dblclick()  # as some people always do
    expect(picker(editor).get_by_role("option").first).to_contain_text("Stage")
    page.keyboard.press("Escape")
    add.click()
    expect(picker(editor).get_by_role("option").first).to_be_visible()
    picker(editor).get_by_role("option").first.hover()
    page.mouse.down(click_count=2)  # the list has opened under the pointer by now
    page.mouse.up(click_count=2)
    expect(picker(editor).get_by_role("combobox")).to_be_focused()
    page.keyboard.type("human")
    expect(picker(editor).get_by_role("option", selected=True)).to_have_text("Human")
    picker(editor).get_by_role("combobox").fill("Front desk")
    expect(picker(editor).get_by_role("option").first).to_contain_text("New agent “Front desk”")
    page.keyboard.press("Enter")
    expect(editor.stage("front-desk")).to_contain_text("Front desk")
    expect(editor.stage("front-desk").locator(".stage__entry")).to_be_visible()
    expect(page.get_by_role("button", name="Add the first stage")).to_be_hidden()
    rehearse = page.get_by_role("button", name="Rehearse from here")
    assert rehearse.evaluate("button => innerWidth - button.getBoundingClientRect().right") == 12


def test_a_press_before_the_scripts_load_takes_effect_afterwards(page: Page) -> None:
    page.goto(bring_in(page, EMPTY))
    routes, sent = dict[str, Route](), list[str | bytes]()
    page.on("websocket", lambda socket: socket.on("framesent", note))
    human = page.get_by_role("button", name="Human", exact=True)

    def note(frame: str | bytes) -> None:
        sent.append(frame)

    def hold(route: Route) -> None:
        (name,) = re.findall(r"/(editor|presence|add)(?:\.|/$)", route.request.url)
        routes[name] = route

    page.route(re.compile(r"/js/editor/(editor|presence)\.|/stages/add/"), hold)
    with page.expect_request("**/editor.*.js"):
        page.reload(wait_until="commit")
        human.click()
    # The module that hears of others comes before the answer, which it is to wait for.
    with page.expect_request("**/stages/add/"), page.expect_request("**/presence.*.js"):
        routes["editor"].continue_()
    while "add" not in routes:  # the request is announced before its route is called
        page.wait_for_timeout(10)
    answer = routes["add"].fetch()
    expect(page.locator("#latest")).to_have_attribute("data-version", "2")
    routes["presence"].continue_()
    wait_until(page, "() => import('/static/js/editor/presence.js')")
    routes["add"].fulfill(response=answer)
    expect(page.locator("#stage-stage-1")).to_be_visible()
    assert not [frame for frame in sent if "catch_up" in str(frame)]

    page.unroute_all()
    page.route("**/editor.*.js", hold)
    with page.expect_request("**/editor.*.js"):
        page.reload(wait_until="commit")
        expect(human).to_be_visible()
        for key in ("a", "Enter"):
            page.keyboard.press(key)
    routes["editor"].continue_()
    expect(page.locator("#stage-stage-2")).to_be_visible()


def test_a_problem_is_mended_once_and_the_focus_stays_by_them(editor: Editor) -> None:
    button = editor.page.locator("#problems").get_by_role("button", name="Add an agent")
    with editor.page.expect_request_finished(lambda request: "focus-target" in request.url):
        button.focus()
    button.evaluate("button => { button.click(); button.click(); }")
    expect(button).to_have_count(0)
    expect(editor.page.locator("#bottom-panel :focus")).to_be_visible()


def test_a_problem_is_marked_on_its_stage_and_leads_there(editor: Editor) -> None:
    expect(editor.stage("review")).to_have_attribute("data-problem", re.compile("error|warning"))
    editor.mouse.move(*editor.middle("review"))
    editor.mouse.wheel(4000, 4000)
    expect(editor.stage("review")).not_to_be_in_viewport()
    editor.page.locator('#problems [data-where="stage-review"] button').first.click()
    expect(editor.stage("review")).to_be_in_viewport(ratio=0.99)
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")


def test_the_definition_that_is_open_follows_once_the_hand_rests(editor: Editor) -> None:
    editor.page.get_by_role("link", name="Definition").click()
    text = editor.page.locator("#definition")
    expect(text).to_contain_text('"format": "baton.pipeline"')
    expect(text).not_to_contain_text('"target": "review"')
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_be_attached()
    expect(text).to_contain_text('"target": "review"')
    editor.canvas.press("Control+j")  # folded away, with its buttons
    expect(text).to_be_hidden()
    expect(editor.page.get_by_role("button", name="Copy all")).to_be_hidden()


def test_an_expired_session_is_said_and_the_stage_goes_back(
    editor: Editor, console: Console
) -> None:
    console.allow("401")
    before = editor.place("review")
    editor.page.context.clear_cookies(name="sessionid")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 60, y))
    expect(editor.page.locator("#notice")).to_contain_text("signed out")
    editor.stands("review", before)


def test_the_theme_is_switched_and_kept(editor: Editor, server: BatonServer) -> None:
    root = editor.page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    editor.page.get_by_label("Account: ").click()
    editor.page.get_by_role("button", name="Switch between light and dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    editor.page.goto(server.url)
    expect(root).to_have_attribute("data-theme", "dark")


def test_the_bottom_panel_is_made_higher_by_hand_and_by_key_and_stays_so(editor: Editor) -> None:
    page, sash = editor.page, editor.page.get_by_role("separator", name="Height of the bottom")
    panel = page.locator("#bottom-panel")

    def height() -> float:
        box = box_of(panel)
        return box["height"]

    usual = height()
    sash.hover()
    page.get_by_role("link", name="Outline").click()
    expect(page.locator("#tab-outline")).to_have_attribute("aria-current", "true")
    expect(panel.locator("#outline")).to_be_visible()
    wait_until(
        page,
        "([sash, panel]) => sash.ariaValueNow == panel.offsetHeight",
        [sash.element_handle(), panel.element_handle()],
    )
    content = round(height())  # as high as its content
    expect(sash).to_have_attribute("aria-valuenow", f"{content}")
    x, y = middle_of(sash)
    editor.drag((x, y), (x, y - 60))
    expect(sash).to_have_attribute("aria-valuenow", f"{content + 60}")
    sash.focus()
    editor.keyboard.press("ArrowUp")
    expect(sash).to_have_attribute("aria-valuenow", f"{content + 84}")
    page.reload()
    expect(sash).to_have_attribute("aria-valuenow", f"{content + 84}")
    page.get_by_role("link", name="Problems").click()
    expect(sash).to_have_attribute("aria-valuenow", f"{usual:.0f}")  # each tab has its own


def test_the_modes_stand_still_and_the_palette_is_there_in_both(editor: Editor) -> None:
    page, modes = editor.page, editor.page.locator(".modes")
    stood = modes.bounding_box()
    page.get_by_role("link", name="Rehearse").click()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert modes.bounding_box() == stood

    editor.canvas.focus()
    editor.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet).to_contain_text("Fit everything in")
    expect(sheet).not_to_contain_text("Connect")
    editor.keyboard.press("Escape")
    rows = page.locator("#palette-list > *")
    editor.keyboard.press("Control+k")
    editor.keyboard.type("answer")
    expect(rows.first).to_contain_text("answer · Writer")
    editor.keyboard.press("Enter")
    expect(editor.stage("answer")).to_be_focused()
    editor.keyboard.press("Control+k")
    editor.keyboard.type("undo")
    expect(rows).to_have_count(0)
    editor.keyboard.press("Escape")
    editor.keyboard.press("Control+k")
    editor.keyboard.type("to the editor")
    editor.keyboard.press("Enter")
    expect(page.locator("#inspector")).to_be_visible()
    assert modes.bounding_box() == stood
