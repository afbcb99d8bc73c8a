"""Sections of the editor's forms in a browser."""

from playwright.sync_api import Locator, Page


def unfold(page: Page, name: str) -> Locator:
    """Open a section of the inspector if it is folded, and return it."""
    section = page.locator("#inspector details.section").filter(
        has=page.locator("summary .section__name", has_text=name)
    )
    if section.get_attribute("open") is None:
        section.locator("> summary").click()
    return section
