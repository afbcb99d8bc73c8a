"""Traces longer than a page holds, in a real browser: opened, scrolled through, and left behind."""

import pytest
from playwright.sync_api import expect

from orchestration.events import encode
from orchestration.runtime import head_line
from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.rehearsing import AT_ONCE, LOST, converse, open_rehearsal, trace
from tests.long_trace import long_trace

pytestmark = pytest.mark.long

EVENTS = 10_000
PAGE = 200
"""Number of events sent at once; some more follow so that no answer is cut in two."""
MOST = 800
"""Maximum number of rows on the page."""

NOTES = """
from designer.models import Conversation, RecordedEvent
from orchestration.events import SupervisorNoted, dump, load
row = Conversation.objects.get(pk={pk})
last = load(row.recorded_events.last().body)
RecordedEvent.objects.bulk_create(
    RecordedEvent(conversation=row, seq=seq, type="supervisor.noted", body=dump(SupervisorNoted(
        seq, last.at, row.session_id, "", last.phase, text=f"Note {{seq}}."
    )))
    for seq in range(row.last_seq + 1, row.last_seq + {count} + 1)
)
Conversation.objects.filter(pk={pk}).update(last_seq=row.last_seq + {count})
"""
"""Script that records events without a signal to the readers."""


@pytest.fixture
def server(visit):
    """A server whose agents answer at once, with a user who has the samples."""
    return visit(samples=True, environment=AT_ONCE)


def assert_in_order(rows):
    """Check that each event is there once, without gaps."""
    assert rows == list(range(rows[0], rows[0] + len(rows)))


def open_trace(page, folder, events):
    """Open a file with so many events."""
    file = folder / "long.trace.jsonl"
    told = long_trace(events)
    file.write_bytes(head_line(told) + b"".join(encode(one) + b"\n" for one in told.events))
    page.goto("/")
    page.get_by_role("button", name="Open a trace").click()
    page.get_by_role("dialog").get_by_label("File").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    expect(page.locator(f"#event-{events}")).to_be_attached()


def scroll_back(page):
    """Scroll to the first row, and wait for the rows before it."""
    first = trace(page)[0]
    page.locator("#trace").evaluate("pane => pane.scrollTo(0, 0)")
    expect(page.locator(f"#event-{first - 1}")).to_be_attached()
    return trace(page)


def test_of_ten_thousand_events_the_page_holds_the_last_and_brings_the_earlier(page, tmp_path):
    open_trace(page, tmp_path, EVENTS)
    expect(page.locator(f"#event-{EVENTS}")).to_be_in_viewport()

    rows = trace(page)
    assert_in_order(rows)
    assert rows[-1] == EVENTS
    assert PAGE <= len(rows) < 2 * PAGE

    # Scrolling back loads the earlier events, and the page drops the latest.
    seen = set(rows)
    for _ in range(5):
        rows = scroll_back(page)
        assert_in_order(rows)
        assert len(rows) <= MOST
        seen.update(rows)
    assert rows[-1] < EVENTS
    assert sorted(seen) == list(range(rows[0], EVENTS + 1))

    # The first event is as near as any other, and the newest one click away.
    page.locator("#time-slider").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#event-1")).to_be_in_viewport()
    rows = trace(page)
    assert_in_order(rows)
    assert (rows[0], len(rows) <= MOST) == (1, True)
    page.locator("#trace-follow").click()
    expect(page.locator(f"#event-{EVENTS}")).to_be_in_viewport()
    assert_in_order(trace(page))
    assert len(trace(page)) <= MOST


def test_on_a_phone_the_slider_leads_to_any_event_and_says_legibly_which(open_page, tmp_path):
    page = open_page(viewport={"width": 390, "height": 844})
    open_trace(page, tmp_path, 1_000)
    page.get_by_role("navigation", name="Panels").get_by_role("button", name="Supervisor").click()
    page.locator("#time-slider").fill("471")
    expect(page.locator("#event-471[aria-current]")).to_be_in_viewport(ratio=0.99)
    says, back = (page.locator(one) for one in ("#time-slider-text", "#time-slider-now"))
    expect(says).to_contain_text("471 of 1000 ·")
    shown, covering = says.bounding_box(), back.bounding_box()
    is_beside = shown["x"] + shown["width"] <= covering["x"]
    assert is_beside or shown["y"] + shown["height"] <= covering["y"]


def fall_behind(page, server, proxy, count):
    """Rehearse, miss `count` events, reconnect, and return the number of the last event."""
    open_rehearsal(page, base=proxy.url)
    converse(page, "Hello")
    last = trace(page)[-1] + count
    pk = int(page.url.rstrip("/").rpartition("/")[2])
    server.manage("shell", "--no-imports", "-c", NOTES.format(pk=pk, count=count))
    proxy.cut()
    expect(page.locator(f"#event-{last}")).to_be_attached(timeout=20_000)  # after many others
    expect(page.locator("#connection")).to_be_hidden()
    return last


def test_a_page_that_is_far_behind_is_brought_the_last_events_and_the_way_back(
    page, server, console
):
    console.allow(LOST)
    with CuttingProxy(server.port) as proxy:
        last = fall_behind(page, server, proxy, 3_000)
        rows = trace(page)
        assert_in_order(rows)
        assert rows[-1] == last
        assert PAGE <= len(rows) <= MOST
        assert_in_order(scroll_back(page))

        # The conversation goes on from there, and no event is shown twice.
        converse(page, "Where is my order?")
        page.locator("#trace-follow").click()
        expect(page.locator("#trace > .event").last).to_be_in_viewport()
        rows = trace(page)
        assert_in_order(rows)
        assert rows[-1] > last
        assert len(rows) <= MOST


def test_a_page_that_follows_lets_go_of_the_oldest_rows_and_leads_back_to_them(
    page, server, console
):
    console.allow(LOST)
    with CuttingProxy(server.port) as proxy:
        last = fall_behind(page, server, proxy, 950)
        rows = trace(page)
        assert_in_order(rows)
        assert rows[-1] == last
        assert len(rows) <= MOST
        while rows[0] > 1:
            rows = scroll_back(page)
            assert_in_order(rows)
            assert len(rows) <= MOST
