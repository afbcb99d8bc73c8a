"""Gestures that the server refuses or the network loses are reverted, and nothing is lost."""

import pytest
from playwright.sync_api import expect

from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console


@pytest.mark.parametrize("status", [422, 500])
def test_a_refused_move_goes_back_and_says_so(
    editor: Editor, console: Console, status: int
) -> None:
    console.allow(str(status))
    sentence = '<p class="notice__text">Not there.</p>'
    notice = f'<div id="notice" role="alert" hx-swap-oob="true">{sentence}</div>'
    editor.page.route("**/move*/", lambda route: route.fulfill(status=status, body=notice))
    before = editor.place("review")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 80, y))
    expect(editor.page.locator("#notice")).to_contain_text(
        "Not there." if status == 422 else "rejected"
    )
    editor.stands("review", before)
    assert editor.kept("review") == before


def test_a_move_that_the_network_loses_goes_back(editor: Editor, console: Console) -> None:
    console.allow("ERR_FAILED|htmx:|Failed to load")
    editor.page.route("**/move*/", lambda route: route.abort())
    before = editor.place("review")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 80, y))
    expect(editor.page.locator("#offline")).to_contain_text("Your last change was not saved.")
    editor.stands("review", before)


def test_commands_that_the_network_loses_are_there_for_the_next_key(
    editor: Editor, console: Console
) -> None:
    console.allow("ERR_FAILED|Failed to fetch|Failed to load")
    editor.page.route("**/js/editor/commands*", lambda route: route.abort(), times=1)
    with editor.page.expect_event("requestfailed"):
        editor.page.locator("#canvas").focus()
    editor.keyboard.press("Control+k")
    expect(editor.page.get_by_role("combobox", name="A command")).to_be_focused()


def test_a_refused_deletion_brings_the_stage_back(editor: Editor, console: Console) -> None:
    console.allow("422")
    editor.page.route("**/delete*/", lambda route: route.fulfill(status=422, body=""))
    editor.stage("review").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("review")).not_to_have_attribute("data-leaving", "")


def test_moves_in_quick_succession_all_arrive(editor: Editor) -> None:
    for phase in ("intake", "answer", "review", "intake"):
        x, y = editor.middle(phase)
        editor.drag((x, y), (x, y + 20))
    editor.saved_as(5)
    places = editor.definition()["layout"]["stages"]
    assert {phase: at["y"] for phase, at in places.items()} == {
        "intake": 40,
        "answer": 20,
        "review": 260,
    }
    editor.stands("intake", (0, 40))
