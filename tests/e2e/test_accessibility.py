"""What axe finds on the pages, in both themes: nothing."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.doors import address_of
from tests.serving import BatonServer

AXE = (Path(axe_core_python.__path__[0]) / "axe.min.js").read_text()
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

themes = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, and someone with the samples."""
    return visit(samples=True)


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it is: the rule and the elements."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("rules => axe.run(document, rules)", RULES)
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@themes
def test_signing_in(open_page: Callable[..., Page], theme: str) -> None:
    page = open_page(signed_in=False, color_scheme=theme)
    page.goto("/sign-in/")
    assert violations(page) == []


@themes
def test_the_list_of_pipelines_and_its_dialogs(open_page: Callable[..., Page], theme: str) -> None:
    page = open_page(color_scheme=theme)
    page.goto("/")
    assert violations(page) == []
    page.get_by_role("button", name="New pipeline").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    assert violations(page) == []


@themes
@pytest.mark.parametrize("tab", ["", "agent", "handoffs"])
def test_the_editor_with_a_stage_selected(
    open_page: Callable[..., Page], theme: str, tab: str
) -> None:
    page = open_page(color_scheme=theme)
    open_editor(page)
    page.locator(".stage").nth(1).click()
    expect(page.locator("#inspector").get_by_label("Phase")).to_be_visible()
    if tab:
        page.locator(f"#tab-{tab}").click()
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-current", "true")
    assert violations(page) == []


@themes
@pytest.mark.parametrize("panel", ["problems", "rules", "definition"])
def test_the_editor_with_a_transition_selected_and_problems(
    open_page: Callable[..., Page], theme: str, panel: str
) -> None:
    page = open_page(color_scheme=theme)
    open_editor(page)
    page.locator(".palette").get_by_role("button", name="Stage").click()
    expect(page).to_have_url(re.compile("select=stage:stage-"))
    expect(page.locator('.stage[aria-current="true"][data-problem]')).to_be_visible()
    page.locator(".edge").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("select=transition"))
    page.locator(f"#tab-{panel}").click()
    expect(page.locator(f"#tab-{panel}")).to_have_attribute("aria-current", "true")
    assert violations(page) == []


@themes
def test_the_editor_on_a_phone(open_page: Callable[..., Page], theme: str) -> None:
    page = open_page(color_scheme=theme, viewport={"width": 390, "height": 844})
    open_editor(page)
    for sheet in ("Agents", "Inspector", "Problems"):
        page.get_by_role("navigation", name="Panels").get_by_role("button", name=sheet).click()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def open_editor(page: Page) -> None:
    page.goto(address_of(page, "Customer support"))
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
