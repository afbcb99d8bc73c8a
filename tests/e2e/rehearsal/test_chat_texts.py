"""Texts of the chat and times of the events, shown from a recorded conversation."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from orchestration.definition import Tool
from orchestration.events import encode
from orchestration.providers.provider import Finished
from orchestration.runtime import TraceFile, head_line
from tests.e2e.axe import violations
from tests.e2e.rehearsing import open_rehearsal
from tests.e2e.rehearsing import say as write
from tests.orchestration.conversations import (
    PlayedModel,
    Turn,
    calling,
    say,
    session_with,
    with_tools,
)

ARABIC = "مرحبا، أين طلبي؟"
TASKS = "- [x] order found\n- [ ] parcel sent"


@pytest.fixture
def server(visit):
    """A server whose model begins to answer after ten seconds, and someone with the samples."""
    return visit(samples=True, environment={"BATON_TOKENS_PER_SECOND": "0.1"})


async def played():
    """Return the events of a run with repeated calls, and of one that is cut off."""

    def lookup_order(number):
        if number == 3:
            raise ValueError("Order 3 is in the archive.")
        return f"Order {number} is on its way."

    definition = with_tools(Tool(name="lookup_order"))
    turns: list[Turn] = [
        *([calling("lookup_order", call_id=f"c{number}", number=number)] for number in range(5)),
        [TASKS],
        ["The parcel is", Finished(10, 5, "length")],
    ]
    session = session_with(
        PlayedModel(turns),
        definition,
        new_id=iter(["r1", "r2"]).__next__,
        tools={"lookup_order": lookup_order},
    )
    events = await say(session, ARABIC)
    return definition, [*events, *await say(session, "Where is it?")]


def test_the_chat_shows_every_kind_of_text_and_the_events_their_times(open_page, tmp_path):
    with ThreadPoolExecutor(1) as executor:  # this thread may have an event loop
        definition, events = executor.submit(asyncio.run, played()).result()
    file = tmp_path / "texts.trace.jsonl"
    trace = TraceFile("Texts", definition, "s1", tuple(events))
    file.write_bytes(head_line(trace) + b"".join(encode(event) + b"\n" for event in events))
    page = open_page(timezone_id="Asia/Tokyo")
    page.goto("/")
    page.get_by_role("button", name="Open a trace").click()
    page.get_by_role("dialog").get_by_label("File").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Open").click()

    chat = page.locator("#chat-log")
    direction = chat.get_by_text(ARABIC).evaluate("text => getComputedStyle(text).direction")
    assert direction == "rtl"
    done, to_do = chat.get_by_role("checkbox").all()
    expect(done).to_be_checked()
    expect(to_do).not_to_be_checked()
    repeats = chat.locator(".repeats")
    expect(repeats.locator("summary").first).to_have_text(
        "lookup_order \N{MULTIPLICATION SIGN}5 · 1 failed"
    )
    repeats.locator("summary").first.click()
    expect(repeats.locator(".tool-call__reason")).to_contain_text("Order 3 is in the archive.")
    expect(chat).to_contain_text("Cut off: the answer reached its maximum length.")
    assert not violations(page)

    rows = page.locator("#trace > .event")
    time = rows.first.locator("time")
    expect(time).to_have_text("0.000")
    expect(time).to_have_attribute("data-clock", "21:00:00")
    expect(chat.locator("time").first).to_have_attribute("data-clock", "21:00")
    expect(page.locator("#context-now")).to_contain_text("tokens · ")
    page.locator("#trace").focus()
    page.keyboard.press("End")
    expect(rows.last.locator("summary").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(rows.nth(len(events) - 2).locator("summary").first).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("!document.activeElement.closest('#trace')")


@pytest.mark.long
def test_a_model_that_has_not_answered_for_three_seconds_is_waited_for(page):
    open_rehearsal(page)
    write(page, "Hello")
    turn = page.locator(".turn[data-streaming]")
    expect(turn).to_have_attribute("data-waiting", re.compile(r"^waiting for the model · [3-9] s$"))
    seen = turn.evaluate("turn => getComputedStyle(turn, '::before').content")
    assert "waiting for the model" in seen
    page.get_by_role("button", name="Stop").click()
