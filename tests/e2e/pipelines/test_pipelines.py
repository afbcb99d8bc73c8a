"""Actions on a whole pipeline, with the mouse, from the list."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.conftest import Console

DEFINITION: dict[str, object] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Refunds",
    "agents": [{"id": "agent-triage", "name": "Triage"}],
    "stages": [{"phase": "intake", "agent_id": "agent-triage"}],
    "entry": "intake",
}


@pytest.fixture
def listed(page: Page) -> Page:
    """The list with one pipeline in it."""
    import_file(page, DEFINITION)
    expect(page.locator("#canvas")).to_be_visible()
    page.goto("/")
    expect(names(page)).to_have_text(["Refunds"])
    return page


def import_file(page: Page, definition: dict[str, object]) -> None:
    """Import a definition with the dialog of the list."""
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    text = json.dumps(definition).encode()
    dialog.locator("input[type=file]").set_input_files(
        {"name": "refunds.json", "mimeType": "application/json", "buffer": text}
    )
    dialog.get_by_role("button", name="Import").click()


def names(page: Page) -> Locator:
    return page.locator("#pipelines .card__title")


def choose(page: Page, command: str, *, of: str = "Refunds") -> None:
    """Choose a command from the menu of one pipeline."""
    card = page.locator(".card").filter(has=page.get_by_role("link", name=of, exact=True))
    card.locator("summary").click()
    card.locator(".menu").get_by_text(command, exact=True).click()


def open_dialog(page: Page, command: str) -> Locator:
    """Choose a command that opens a dialog."""
    choose(page, command)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def leave(dialog: Locator, way: str) -> None:
    """Close a dialog without its action: the menu is closed, and has the focus."""
    if way == "Escape":
        dialog.page.keyboard.press("Escape")
    else:
        dialog.get_by_role("button", name=way).click()
    expect(dialog).to_have_count(0)
    expect(dialog.page.locator("details.menu[open]")).to_have_count(0)
    expect(dialog.page.get_by_label("More for Refunds")).to_be_focused()


def test_a_dialog_renames_and_refuses_a_name_that_cannot_be(listed: Page, console: Console) -> None:
    console.allow("422")
    dialog = open_dialog(listed, "Rename…")
    field = dialog.get_by_label("Name")
    expect(field).to_have_value("Refunds")
    field.click(click_count=3)
    listed.keyboard.type(" ")
    dialog.get_by_role("button", name="Rename").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(dialog.locator(".field__error")).not_to_be_empty()
    expect(names(listed)).to_have_text(["Refunds"])
    field.click(click_count=3)
    listed.keyboard.type("Returns")
    dialog.get_by_role("button", name="Rename").click()
    expect(names(listed)).to_have_text(["Returns"])
    expect(listed.get_by_role("dialog")).to_have_count(0)


@pytest.mark.long
def test_a_dialog_that_is_left_changes_nothing(listed: Page) -> None:
    for way in ("Cancel", "Escape"):
        dialog = open_dialog(listed, "Rename…")
        dialog.get_by_label("Name").fill("Returns")
        leave(dialog, way)
        leave(open_dialog(listed, "Delete…"), way)
        expect(names(listed)).to_have_text(["Refunds"])
    listed.reload()
    expect(names(listed)).to_have_text(["Refunds"])


def test_a_double_click_that_opens_a_dialog_leaves_the_focus_in_its_field(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Draw a pipeline").dblclick()
    page.keyboard.type("Refunds")
    expect(page.get_by_role("dialog").get_by_label("Name")).to_have_value("Refunds")


@pytest.mark.long
def test_a_copy_stands_beside_its_original_and_outlives_it(listed: Page) -> None:
    choose(listed, "Duplicate")
    expect(names(listed)).to_have_text(["Refunds (copy)", "Refunds"])
    expect(listed.locator("#notice")).to_contain_text("“Refunds (copy)” is a copy of “Refunds”.")
    dialog = open_dialog(listed, "Delete…")
    expect(dialog.get_by_role("heading")).to_have_text("Delete Refunds?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete").click()
    expect(listed.locator("#notice")).to_contain_text("“Refunds” is deleted.")
    expect(names(listed)).to_have_text(["Refunds (copy)"])
    listed.get_by_role("link", name="Refunds (copy)", exact=True).click()
    expect(listed.locator("#stage-intake")).to_contain_text("Triage")


def test_a_menu_exports_the_pipeline_and_closes_when_one_presses_beside_it(
    listed: Page, tmp_path: Path
) -> None:
    choose(listed, "Export…")
    dialog = listed.get_by_role("dialog", name="Export")
    with listed.expect_download() as waiting:
        dialog.get_by_role("link", name="Download").click()
    listed.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert waiting.value.suggested_filename == "refunds.baton.json"
    waiting.value.save_as(tmp_path / "file.json")
    exported = json.loads((tmp_path / "file.json").read_text())
    assert (exported["name"], exported["entry"]) == ("Refunds", "intake")
    assert [agent["name"] for agent in exported["agents"]] == ["Triage"]
    listed.get_by_role("heading", name="Pipelines", exact=True).click()
    expect(listed.locator("details.menu[open]")).to_have_count(0)


DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const options = { dataTransfer: files, bubbles: true, cancelable: true };
  for (const type of ["dragenter", "drop"])
    document.body.dispatchEvent(new DragEvent(type, options));
}"""


def test_the_list_is_searched_tagged_and_takes_a_dropped_file(listed: Page) -> None:
    listed.evaluate(DROP, ["desk.pdf", "%PDF"])
    expect(listed.locator("#notice")).to_contain_text("“desk.pdf” cannot be imported")
    dropped = json.dumps(DEFINITION | {"name": "Dropped"})
    listed.evaluate(DROP, ["dropped.json", dropped])
    expect(listed.locator("#canvas")).to_be_visible()
    listed.goto("/")
    choose(listed, "Tags…", of="Dropped")
    listed.get_by_role("dialog").get_by_label("Tags").fill("sales, trial")
    listed.keyboard.press("Enter")
    search, shown = (
        listed.get_by_label("Search names and agents"),
        names(listed).filter(visible=True),
    )
    listed.get_by_role("button", name="trial").click()
    expect(shown).to_have_text(["Dropped"])
    search.fill("refunds")
    expect(shown).to_have_count(0)
    listed.get_by_role("button", name="Show all 2").click()
    expect(search).to_be_focused()
    search.fill("triage")
    expect(shown).to_have_text(["Dropped", "Refunds"])
    listed.get_by_label("Sort by").select_option("name")
    listed.reload()
    expect(listed.get_by_label("Sort by")).to_have_value("name")


def test_an_import_replaces_the_draft_after_its_difference_and_one_undo_restores_it(
    listed: Page,
) -> None:
    page = listed
    stages = [{"phase": "intake", "agent_id": "agent-triage"}, {"phase": "review"}]
    import_file(page, DEFINITION | {"stages": stages})
    expect(page.get_by_role("heading", name="“Refunds” already exists")).to_be_visible()
    expect(page.locator(".difference-card.is-added")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Replace the draft of Refunds").click()
    expect(page.locator("#stage-review")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#stage-review")).to_have_count(0)
    expect(page.locator("#stage-intake")).to_be_visible()
