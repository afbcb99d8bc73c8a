"""Inputs for a new stage at its place on the canvas."""

from playwright.sync_api import Locator

from tests.e2e.canvas.editor import Editor


def picker(editor: Editor) -> Locator:
    """Return the dialog with the parts that can be created."""
    return editor.page.get_by_role("dialog", name="Part to create")


def naming(editor: Editor) -> Locator:
    """Return the text field for the name of a stage."""
    return editor.page.get_by_role("textbox", name="Name of the stage")
