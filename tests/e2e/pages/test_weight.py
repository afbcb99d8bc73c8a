"""Weight of all files that a browser fetches before the first gesture."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Request, expect

STAGES = 50
MOST = 100 * 1024
"""Bytes, headers and all, without fonts."""


def large() -> dict[str, Any]:
    """Return a pipeline of many stages, each with its own agent and instructions."""
    numbers = range(STAGES)
    return {
        "format": "baton.pipeline",
        "version": 1,
        "name": "Large",
        "agents": [
            {"id": f"agent-{n}", "name": f"Agent {n}", "instructions": f"You do step {n}."}
            for n in numbers
        ],
        "stages": [
            {"phase": f"stage-{n}", "agent_id": f"agent-{n}", "description": f"Does step {n}."}
            for n in numbers
        ],
        "transitions": [{"source": f"stage-{n}", "target": f"stage-{n + 1}"} for n in numbers[:-1]],
        "entry": "stage-0",
        "layout": {
            "stages": {f"stage-{n}": {"x": n % 10 * 320, "y": n // 10 * 200} for n in numbers}
        },
    }


def test_the_editor_of_50_stages_weighs_under_100_kilobytes(
    page: Page, open_page: Callable[..., Page]
) -> None:
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(
        {
            "name": "large.json",
            "mimeType": "application/json",
            "buffer": json.dumps(large()).encode(),
        }
    )
    dialog.get_by_role("button", name="Import").click()
    page.wait_for_url(re.compile(r"/pipelines/\d+/"))

    newcomer = open_page(fresh=True)
    fetched: list[Request] = []

    def note(request: Request) -> None:
        fetched.append(request)

    newcomer.on("requestfinished", note)
    newcomer.goto(page.url)
    expect(newcomer.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(newcomer.locator(".stage")).to_have_count(STAGES)
    newcomer.wait_for_load_state("networkidle")
    weights = {request.url: weight(request) for request in fetched}
    assert sum(weights.values()) <= MOST, weights


def weight(request: Request) -> int:
    """Return the size of an answer on the wire: its headers and its compressed body."""
    if request.resource_type == "font":
        return 0
    sizes = request.sizes()
    return sizes["responseHeadersSize"] + sizes["responseBodySize"]
