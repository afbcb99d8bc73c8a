"""The export of all rehearsals of a pipeline, and the pages of its job."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes


def look_at_the_export_of_all_rehearsals(page: Page) -> None:
    """The button in the list of rehearsals, the progress of the job, its file, and all jobs."""
    page.locator(".chat__earlier summary").click()
    assert in_both_themes(page, ".chat__earlier") == []
    page.get_by_role("button", name="Export all").click()
    expect(
        page.get_by_role("heading", name="Export of the rehearsals of Support desk")
    ).to_be_visible()
    expect(page.locator(".job__state")).to_have_text("Done", timeout=30_000)
    assert in_both_themes(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "support-desk.traces.jsonl"
    assert '"type": "run.started"' in download.value.path().read_text()
    page.locator("#account-menu summary").click()
    page.get_by_role("link", name="Jobs", exact=True).last.click()
    expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
    expect(page.locator(".job")).to_have_count(1)
    assert in_both_themes(page) == []
