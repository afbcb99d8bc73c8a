"""Boxes of elements in the window, in CSS pixels."""

from playwright.sync_api import FloatRect, Locator, expect


def box_of(locator: Locator) -> FloatRect:
    """Return the box of a visible element.

    Playwright returns none if the page replaces the element meanwhile: it is measured again.
    """
    while not (box := locator.bounding_box()):
        expect(locator).to_be_visible()
    return box


def middle_of(locator: Locator) -> tuple[float, float]:
    """Return the middle of a visible element."""
    box = box_of(locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
