"""Waiting in a page for what no locator can tell."""

from typing import Any

from playwright.sync_api import Page

SECONDS = 20

# A function that is part of what is evaluated: Playwright's own wait_for_function hands its text
# to `eval` from the second look on, which the policy of our pages refuses.
LOOKING = """async ([asked, seconds]) => {{
  const holds = {holds};
  const end = performance.now() + seconds * 1000;
  let held;
  while (!(held = await holds(asked))) {{
    if (performance.now() > end) throw new Error(`not within ${{seconds}} seconds`);
    await new Promise(requestAnimationFrame);
  }}
  return held;
}}"""


def wait_until(page: Page, holds: str, asked: object = None) -> Any:
    """Wait until a function of the page returns what is true of what is asked; return that."""
    return page.evaluate(LOOKING.format(holds=holds), [asked, SECONDS])
