"""Actions and readings of a rehearsal in a browser."""

import re

from playwright.sync_api import expect

from tests.e2e.navigation import address_of
from tests.e2e.waits import wait_until

QUESTION = "I was charged twice for order A-1043. I want one of them back."

LOST = (
    r"WebSocket connection|ERR_(?:CONNECTION|SOCKET|EMPTY_RESPONSE)|\[object Event\]"
    r"|htmx:(?:sendError|afterRequest)"
)
"""Pattern of the console messages of a browser and htmx about a lost connection."""

SLOWLY = {"BATON_LEASE_SECONDS": "1", "BATON_TOKENS_PER_SECOND": "40"}
"""The environment of a server whose agents speak slowly, and whose leases are short."""

SLOWEST = {"BATON_TOKENS_PER_SECOND": "4"}
"""The environment of a server with slower agents. Each environment starts another server."""

AT_ONCE = {"BATON_TOKENS_PER_SECOND": "0", "BATON_ALLOWED_ADDRESSES": "127.0.0.1"}
"""The environment of a server whose agents answer at once, and whose operator allows loopback."""


def open_rehearsal(page, name="Customer support", base=""):
    page.goto(base + address_of(page, name, base) + "rehearse/")


def say(page, text):
    page.get_by_label("Message as the customer").fill(text)
    page.keyboard.press("Enter")


def wait_for_the_conversation(page):
    """Wait for the page of the conversation itself, to which its first message leads."""
    expect(page).to_have_url(re.compile(r"/conversations/\d+/"))


def wait_for_the_end(page):
    expect(page.locator("#composer-actions:not([data-running])")).to_be_visible(timeout=30_000)


def converse(page, *texts):
    messages = page.locator(".said-by-user")
    runs = page.locator("#trace > .event[data-type='run.started']:not([data-depth])")
    for text in texts:
        sent, begun = messages.count(), runs.count()
        say(page, text)
        wait_for_the_conversation(page)
        expect(messages).to_have_count(sent + 1)
        expect(runs).to_have_count(begun + 1)  # until then nothing is running either
        wait_for_the_end(page)


def trace(page):
    """The numbers of the events in the supervisor pane, in order."""
    ids = page.locator("#trace > .event").evaluate_all("rows => rows.map((row) => row.id)")
    return [int(one.removeprefix("event-")) for one in ids]


def panes(page):
    """Return the text of chat and supervisor pane, and the marked parts of the canvas."""
    return {
        "chat": page.locator("#chat-log").inner_text(),
        "trace": page.locator("#trace").text_content(),
        "seen": sorted(page.locator(".stage[data-seen]").evaluate_all("s => s.map((e) => e.id)")),
        "live": page.locator(".stage[data-live]").evaluate_all("s => s.map((e) => e.id)"),
        "inked": sorted(
            page.locator(".edge[data-traversed]").evaluate_all(
                "s => s.map((e) => `${e.id} ${e.dataset.traversed}`)"
            )
        ),
    }


def assert_complete(page):
    """Check that each event is there once, and that a reload shows the same."""
    numbers = trace(page)
    assert numbers == list(range(1, len(numbers) + 1))
    before = panes(page)
    page.reload()
    expect(page.locator("#trace > .event")).to_have_count(len(numbers))
    expect(page.locator(".stage[data-live]")).to_have_count(1)
    assert panes(page) == before


# Checked in each frame and read at once: an answer may be over a moment later.
MIDDLE = """(turn) => {
  const said = document.querySelector(`${turn}[data-streaming] > [id$=-text]`)?.innerText ?? "";
  return /\\w+ \\w+/.test(said) && said;
}"""


def wait_for_the_middle_of_an_answer(page, turn=".turn"):
    """Wait for the first words of a streaming answer, and return its text."""
    wait_for_the_conversation(page)
    return wait_until(page, MIDDLE, turn)
