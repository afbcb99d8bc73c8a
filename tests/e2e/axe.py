"""Accessibility violations of a page, as found by axe."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import axe_core_python
from playwright.sync_api import Frame, Page, expect

AXE = (Path(axe_core_python.__path__[0]) / "axe.min.js").read_text()
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
    "preload": False,  # parsing all style sheets again is only for audio, which no page has
}
COLOURS = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
"""Rules about colours (axe's `cat.color`): themes differ in nothing else."""

Theme = Literal["light", "dark"]

# A change has its new colours only two frames later.
LOOK = """async ([within, rules]) => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(changing.map((one) => one.finished)); // half a colour is none
  return axe.run(within || document, rules);
}"""


def violations(
    page: Page | Frame, within: str = "", rules: Mapping[str, object] | None = None
) -> list[str]:
    """Return the violations on the page, or within an element: the rule and the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate(LOOK, [within, dict(rules or RULES)])
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def in_both_themes(page: Page, within: str = "") -> list[str]:
    """Return the violations in the current theme and in the other theme, which stays on."""
    found = violations(page, within)
    theme = page.locator("html").get_attribute("data-theme")
    other: Theme = "light" if theme == "dark" else "dark"
    turn(page, other)
    found += [f"{other}: {one}" for one in violations(page, within, COLOURS)]
    return found


def turn(page: Page, theme: Theme) -> None:
    """Set the theme of the system, which the page follows."""
    page.emulate_media(color_scheme=theme)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
