"""Two people in one pipeline, in separate browsers: each other's changes and presence."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console, keep_session
from tests.e2e.held_requests import held
from tests.serving import BatonServer

Two = tuple[Editor, Editor]


def share(editor: Editor, name: str, role: str) -> None:
    """Share the pipeline in its dialog."""
    editor.page.get_by_role("button", name="Share", exact=True).click()
    dialog = editor.page.get_by_role("dialog")
    dialog.get_by_label("Share with").fill(name)
    dialog.get_by_label("Role").select_option(role)
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_role("button", name=f"Remove {name}")).to_be_visible()
    expect(dialog.get_by_label("Share with"), "the button it was on went").to_be_focused()
    editor.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.fixture
def grace(visit: Callable[..., BatonServer]) -> BatonServer:
    """The server with another user."""
    return visit()


@pytest.fixture
def meet(open_page: Callable[..., Page], grace: BatonServer) -> Callable[..., Two]:
    """Have two people in one pipeline, one in the dark: `meet(role="viewer")`."""

    def both(role: str = "editor") -> Two:
        here = draw(open_page())
        share(here, grace.username, role)
        page = open_page(signed_in=False, color_scheme="dark")
        keep_session(page.context, grace)
        there = Editor(page, here.page.url)
        expect(people(here)).to_have_count(1)
        expect(people(there)).to_have_count(1)
        return here, there

    return both


def people(editor: Editor) -> Locator:
    return editor.page.locator("#people > li")


def select(editor: Editor, phase: str) -> None:
    editor.stage(phase).click()
    expect(editor.page.get_by_label("Stage name")).to_have_value(phase)


def focused_value(editor: Editor) -> str:
    return str(editor.page.evaluate("document.activeElement.value"))


@pytest.mark.long
def test_two_people_see_each_others_changes_and_positions(
    meet: Callable[..., Two], grace: BatonServer
) -> None:
    here, there = meet()
    expect(people(here)).to_contain_text(grace.username)

    there.stage("review").click()
    expect(here.stage("review")).to_have_attribute("data-by", grace.username)
    expect(people(here)).to_contain_text("at review")

    # One types and the other draws: neither is in the other's way.
    select(here, "intake")
    description = here.page.get_by_label("Description")
    description.fill("Greets, and")
    x, y = there.place("review")
    middle = there.middle("review")
    there.drag(middle, (middle[0] + 80, middle[1] + 40))
    expect(here.page.locator("#announcer")).to_have_text(f"{grace.username}: Move stage review")
    there.canvas.focus()
    there.keyboard.press("a")
    there.keyboard.press("Enter")
    expect(here.stage("stage-1")).to_be_visible()
    expect(here.page.locator("#announcer")).to_have_text(f"{grace.username}: Add stage stage-1")
    assert here.kept("review") == there.kept("review") != (x, y)
    assert here.place("review") == there.place("review")
    assert focused_value(here) == "Greets, and"
    expect(here.stage("review")).not_to_have_attribute("data-by", grace.username)
    expect(here.stage("stage-1")).to_have_attribute("data-by", grace.username)
    here.keyboard.type(" asks")
    here.keyboard.press("Tab")
    expect(here.page.locator("#save-state")).to_have_text("Saved")
    here.saved_as(4)
    there.saved_as(4)

    # A dragged card keeps its place during other changes.
    start = here.middle("intake")
    here.mouse.move(*start)
    here.mouse.down()
    here.mouse.move(start[0] - 60, start[1] + 90, steps=3)
    held = here.place("intake")
    there.stage("stage-1").focus()
    there.keyboard.press("Delete")
    expect(here.stage("stage-1")).not_to_be_attached()
    assert here.place("intake") == held
    here.mouse.up()
    here.saved_as(6)
    there.saved_as(6)
    assert there.kept("intake") == here.kept("intake") == held

    # Undo is one's own.
    there.canvas.focus()
    there.keyboard.press("Control+z")
    expect(here.stage("stage-1")).to_be_visible()
    assert here.kept("intake") == held

    # A stage that one person renames stays selected for the other.
    select(there, "review")
    select(here, "review")
    here.page.get_by_label("Stage name").fill("check")
    here.keyboard.press("Tab")
    expect(there.page.get_by_label("Stage name")).to_have_value("check")
    expect(there.stage("check")).to_have_attribute("aria-current", "true")
    expect(here.stage("check")).to_have_attribute("data-by", grace.username)
    here.saved_as(8)

    # Two tabs of one person show each other's changes too, but no presence.
    tab = Editor(here.page.context.new_page(), here.page.url)
    tab.stage("intake").focus()
    tab.keyboard.press("ArrowRight")
    here.saved_as(9)
    expect(people(tab)).to_have_count(1)
    tab.page.close()
    there.page.close()
    expect(people(here)).to_have_count(0)
    expect(here.page.locator("#announcer")).to_have_text(f"{grace.username} has left.")


@pytest.mark.long
def test_the_bar_of_a_phone_has_two_rows_with_company_too(
    meet: Callable[..., Two], open_page: Callable[..., Page]
) -> None:
    here, _ = meet()
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.goto(here.page.url)
    expect(phone.locator("#people > li")).to_have_count(1)
    number = "Object.assign(document.createElement('b'), {textContent: '12'})"
    phone.locator("#inbox-link").evaluate(f"link => link.append({number})")
    assert phone.locator(".top").evaluate("bar => bar.offsetHeight") <= 120


def test_a_conflict_is_chosen_and_the_other_changes_are_merged(
    meet: Callable[..., Two], grace: BatonServer, console: Console
) -> None:
    console.allow("412")
    here, there = meet()
    for editor in (here, there):
        select(editor, "intake")
    field = here.page.get_by_label("Description")
    field.fill("Greets the customer warmly")
    other = there.page.get_by_label("Description")
    other.fill("Greets the customer")
    other.press("Tab")
    there.page.get_by_label("Agent", exact=True).select_option(label="Writer")
    expect(here.stage("intake").locator(".stage__agent")).to_have_text("Writer")
    here.keyboard.press("Tab")
    width = there.page.locator("#pipeline-name").evaluate("name => name.clientWidth")
    assert width >= 60, "the name is readable beside the state and the owner"

    merge = here.page.locator("#merge")
    expect(merge.get_by_role("alert")).to_contain_text(f"changed by {grace.username}")
    expect(merge.get_by_role("alert")).to_be_in_viewport()
    # A page that is loaded again still compares with the values that its form was opened with.
    here.page.reload()
    expect(here.page.locator("#notice")).to_contain_text("Your input was restored")
    field.press("Tab")
    expect(merge.get_by_role("alert")).to_contain_text(f"changed by {grace.username}")
    expect(merge.locator("form fieldset")).to_have_count(1)
    expect(merge).to_contain_text("warmly")
    expect(field).to_have_value("Greets the customer warmly")
    expect(here.page.locator("#save-state")).to_have_text("Not saved")
    merge.get_by_role("button", name="Show the difference on the canvas").click()
    dialog = here.page.get_by_role("dialog")
    expect(dialog.locator(".difference-picture")).to_be_visible()
    here.keyboard.press("n")
    expect(dialog.locator("[data-step-text]")).to_have_text("Change 1 of 1")
    expect(dialog.locator("ins")).to_contain_text("warmly")
    here.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    merge.get_by_label("Yours").focus()
    here.keyboard.press("ArrowDown")
    expect(merge.get_by_label(f"By {grace.username}")).to_be_checked()
    here.keyboard.press("ArrowUp")
    here.keyboard.press("Enter")
    expect(merge).to_be_empty()
    expect(here.page.get_by_label("Agent", exact=True)).to_have_value("agent-writer")
    expect(field).to_have_value("Greets the customer warmly")
    there.saved_as(4)
    expect(other).to_have_value("Greets the customer warmly")

    # A form without unsaved input is updated, and keeps its focus and its caret.
    other.focus()
    other.evaluate("field => field.setSelectionRange(2, 4)")
    field.fill("Greets")
    field.press("Tab")
    expect(other).to_have_value("Greets")
    expect(other).to_be_focused()
    assert other.evaluate("field => [field.selectionStart, field.selectionEnd]") == [2, 4]

    # A form with unsaved input reports the change; fields that only one changed are merged.
    there.keyboard.press("End")
    there.keyboard.type(" all")
    here.page.get_by_label("Agent", exact=True).select_option(label="Triage")
    state = there.page.locator("#save-status")
    expect(state).to_have_text(re.compile("Changed in the meantime by"))
    expect(other).to_have_value("Greets all")
    there.keyboard.press("Tab")
    expect(state).to_have_text(re.compile("with the changes by"))
    expect(there.page.get_by_label("Agent", exact=True)).to_have_value("agent-triage")


def test_typed_text_survives_the_deletion_of_its_part(
    meet: Callable[..., Two], grace: BatonServer, console: Console
) -> None:
    console.allow("409")
    here, there = meet()
    select(here, "review")
    field = here.page.get_by_label("Description")
    field.fill("A long thought")
    there.stage("review").focus()
    there.keyboard.press("Delete")
    expect(here.stage("review")).not_to_be_attached()
    merge = here.page.locator("#merge")
    expect(merge).to_contain_text(f"The stage review was deleted by {grace.username}.")
    expect(here.page.locator("#save-state")).to_have_text("Deleted")
    expect(field).to_have_value("A long thought")
    field.press("Tab")
    expect(here.page.locator("#save-state")).to_have_text("Not saved")
    expect(field).to_have_value("A long thought")
    there.canvas.focus()
    there.keyboard.press("Control+z")
    expect(merge).to_be_empty()
    expect(field).to_have_value("A long thought")

    # After a deletion by the same user in another tab, undo is offered and the text is kept.
    tab = Editor(here.page.context.new_page(), here.page.url)
    tab.stage("review").focus()
    tab.keyboard.press("Delete")
    expect(merge).to_contain_text("The stage review was deleted by you.")
    merge.get_by_role("button", name="Undo").click()
    expect(merge).to_be_empty()
    expect(field).to_have_value("A long thought")
    with here.page.expect_response(re.compile("/inspect/")):  # the update that the form skipped
        field.press("Control+s")
    expect(here.page.locator("#inspector")).not_to_have_attribute("data-typed", "")
    expect(here.page.locator("#save-state")).to_have_text("Saved")
    expect(here.page.locator("#inspector").get_by_label("Description")).to_have_value(
        "A long thought"
    )


def test_a_second_deletion_of_a_part_is_reported_and_loses_nothing(
    meet: Callable[..., Two], console: Console
) -> None:
    console.allow("409")
    console.allow("422")
    here, there = meet()
    select(there, "intake")
    phase = there.page.get_by_label("Stage name")
    phase.fill("!")
    phase.press("Tab")
    expect(phase).to_have_attribute("aria-invalid", "true")
    let_go = held(there.page, "parts/delete/")
    for each in (there, here):
        each.stage("review").focus()
        with each.page.expect_request("**/parts/delete/"):
            each.keyboard.press("Delete")
    expect(here.stage("review")).not_to_be_attached()
    let_go()
    expect(there.page.locator("#notice")).to_contain_text("no longer exist")
    for each in (here, there):
        expect(each.stage("review")).not_to_be_attached()
        expect(each.page.locator(".stage")).to_have_count(2)
        expect(each.edge("intake", "answer")).to_be_attached()
    expect(phase).to_have_value("!")
    phase.fill("hello")
    phase.press("Tab")
    for each in (here, there):
        expect(each.stage("hello")).to_be_visible()


def test_a_viewer_is_told_about_view_only_access_and_nothing_moves(
    meet: Callable[..., Two], console: Console
) -> None:
    console.allow("403")
    here, there = meet(role="viewer")
    page = there.page
    page.locator(".view-badge > summary").click()
    reason = page.locator(".view-badge > div")
    expect(reason).to_contain_text("shared this pipeline with you for viewing")
    expect(reason).to_contain_text("To request more access, ask")
    assert in_both_themes(page) == []
    page.locator(".view-badge > summary").click()
    expect(page.get_by_role("radio", name="Pipeline")).to_have_css("opacity", "0")

    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    was = there.place("review")
    middle = there.middle("review")
    there.drag(middle, (middle[0] + 80, middle[1] + 40))
    assert there.place("review") == was
    there.stage("review").click()
    expect(page.get_by_label("Stage name")).to_have_value("review")
    expect(page.get_by_label("Stage name")).not_to_be_editable()
    expect(page.get_by_label("Next stage", exact=True)).to_be_disabled()
    expect(page.get_by_label("Add a branch or return")).to_be_hidden()
    there.stage("review").focus()
    for key in ("Delete", "ArrowLeft", "a", "c", "F2", "Control+d", "Control+z"):
        page.keyboard.press(key)
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem").first).to_be_visible()
    expect(menu.get_by_role("menuitem", name="Delete")).to_have_count(0)
    page.keyboard.press("Escape")
    hidden = (
        ".port, .palette, .issue > .button, #undo-buttons button, .right [type=submit], .left .add"
    )
    expect(page.locator(hidden).filter(visible=True)).to_have_count(0)
    expect(page.locator("#problems .issue").first).to_be_visible()
    assert there.place("review") == was
    assert "POST" not in sent
    here.page.get_by_role("button", name="Share", exact=True).click()
    expect(here.page.get_by_label("Share with"), "not the button Remove").to_be_focused()
    here.page.get_by_role("button", name="Remove").click()
    expect(there.page.locator("#notice")).to_contain_text("no longer shared with you")


def test_a_refused_page_repeats_only_larger_or_later_requests(page: Page) -> None:
    asked: list[str] = []
    sockets: list[WebSocketRoute] = []

    def ring(version: int) -> None:
        bell = f'<i id="latest" hidden data-version="{version}" data-who="" data-label=""'
        sockets[-1].send(f'{bell} data-heard hx-swap-oob="true"></i>')

    def remark(text: str) -> None:
        sockets[-1].send(f'<p id="together-remark" role="status" hx-swap-oob="true">{text}</p>')

    def refuse(message: str | bytes) -> None:
        if "catch_up" in str(message):
            asked.append(str(message))
            remark(f"Refused {len(asked)}")

    def serve(socket: WebSocketRoute) -> None:
        socket.on_message(refuse)
        sockets.append(socket)
        ring(1)

    page.clock.install()
    page.route_web_socket(re.compile("/ws/pipelines/"), serve)
    draw(page)
    said = page.locator("#together-remark")
    ring(2)
    expect(said).to_have_text("Refused 1")
    for text in ("Too many messages at once.", "And again."):
        remark(text)
        expect(said).to_have_text(text)
    assert len(asked) == 1
    ring(3)
    expect(said).to_have_text("Refused 2")
    page.clock.fast_forward("01:00")
    expect(said).to_have_text("Refused 3")

    # Several changes that arrive at once are announced one by one.
    for made, label in ((4, "One"), (5, "Two")):
        bell = f'<i id="latest" hidden data-version="5" data-who="grace" data-label="{label}"'
        sockets[-1].send(f'{bell} data-made="{made}" data-heard hx-swap-oob="true"></i>')
    chip = '<input type="hidden" id="pipeline-version" name="version" value="5">'
    sockets[-1].send(f'<span id="version-chip" hx-swap-oob="true">{chip}</span>')
    page.clock.run_for(100)
    expect(page.locator("#announcer")).to_have_text("grace: One. grace: Two")
