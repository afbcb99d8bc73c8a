"""What a new stage is asked about where it is to stand."""

from playwright.sync_api import Locator

from tests.e2e.canvas.editor import Editor


def picker(editor: Editor) -> Locator:
    """What can be created, to be picked from."""
    return editor.page.get_by_role("dialog", name="What to create")


def naming(editor: Editor) -> Locator:
    """Where the name of a stage is written."""
    return editor.page.get_by_role("textbox", name="Name of the stage")
