"""The support desk with changes of each kind, and the page that compares both."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import FilePayload, Page, expect

from tests.serving import ROOT

DESK = ROOT / "designer" / "pipelines" / "samples" / "support-desk.json"
REMOVED = "complaints"


def changed_desk() -> bytes:
    """Return the support desk with a stage more and one less, other ends, texts and rules."""
    desk: dict[str, Any] = json.loads(DESK.read_text(encoding="utf-8"))
    billing = next(agent for agent in desk["agents"] if agent["id"] == "agent-billing")
    billing["instructions"] = f"{billing['instructions']} Name the account, and the day of it."
    desk["agents"].append(
        {"id": "agent-retention", "name": "Retention", "instructions": "You offer to stay."}
    )
    desk["stages"] = [stage for stage in desk["stages"] if stage["phase"] != REMOVED]
    desk["stages"].append({"phase": "retention", "agent_id": "agent-retention"})
    del desk["layout"]["stages"][REMOVED]
    desk["layout"]["stages"]["retention"] = {"x": 640, "y": 208}
    for frame in desk["layout"].get("frames", []):
        frame["stages"] = [phase for phase in frame["stages"] if phase != REMOVED]
    kept = [each for each in desk["transitions"] if REMOVED not in (each["source"], each["target"])]
    for each in kept:
        if (each["source"], each["target"]) == ("technical", "resolution"):
            each["target"] = "followup"
    kept += [
        {"source": "orders", "target": "retention", "kind": "return", "description": "cancels"},
        {"source": "retention", "target": "resolution", "description": "stays"},
    ]
    desk["transitions"] = kept
    return json.dumps(desk).encode()


def open_difference(page: Page, address: str, definition: bytes) -> None:
    """Compare the pipeline at the address with a file, as the page does."""
    page.goto(f"{address.rstrip('/')}/versions/")
    page.get_by_text("Compare a file…").click()
    file: FilePayload = {
        "name": "changed.baton.json",
        "mimeType": "application/json",
        "buffer": definition,
    }
    form = page.locator(".versions__file form")
    form.locator("input[type=file]").set_input_files(file)
    form.get_by_role("button", name="Compare").click()
    expect(page.locator(".difference-picture")).to_be_visible()
