"""Waiting in a page for what no locator can tell."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def loading(page: Page, module: str) -> Iterator[None]:
    """Wait for a module that the actions in the block load: `loading(page, "editor/commands")`."""
    with page.expect_response(f"**/js/{module}.*.js") as response:
        yield
    page.evaluate("async (url) => void (await import(url))", response.value.url)


# Counts what matches at every change of the page: a look from outside comes too late for what is
# there for half a second.
COUNTING = """(selector) => {
  const counted = (window.highestCounts ??= {});
  const count = () => {
    const now = document.querySelectorAll(selector).length;
    counted[selector] = Math.max(counted[selector] ?? 0, now);
  };
  const changes = { subtree: true, childList: true, attributes: true };
  new MutationObserver(count).observe(document, changes);
  count();
}"""


def highest_count(page: Page, selector: str) -> Callable[[], int]:
    """Count the matching elements from now on; return a function that returns the highest count."""
    page.evaluate(COUNTING, selector)
    return lambda: page.evaluate("(selector) => window.highestCounts[selector]", selector)
