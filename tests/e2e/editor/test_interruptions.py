"""Rehearsing in a real browser while the server is killed or stopped, and comes back."""

import pytest
from playwright.sync_api import expect

from tests.e2e.rehearsing import (
    LOST,
    QUESTION,
    SLOWLY,
    assert_complete,
    converse,
    open_rehearsal,
    say,
    trace,
    wait_for_the_end,
    wait_for_the_middle_of_an_answer,
)

pytestmark = pytest.mark.long


@pytest.fixture
def server(start_server):
    """A server of the test's own, with the samples."""
    return start_server(samples=True, environment=SLOWLY)


def test_a_server_that_is_killed_in_the_middle_of_an_answer_goes_on_when_it_is_back(
    page, server, console
):
    console.allow(LOST)
    open_rehearsal(page)
    converse(page, "Hello")
    say(page, QUESTION)
    wait_for_the_middle_of_an_answer(page)
    recorded = trace(page)
    server.kill()
    expect(page.locator("#connection")).to_be_visible()
    server.start()
    page.reload()
    assert trace(page)[: len(recorded)] == recorded
    wait_for_the_end(page)

    expect(page.locator(".said-by-user")).to_have_count(2)
    expect(page.locator("#trace .event[data-type='turn.started']")).to_have_count(
        page.locator("#trace .event[data-type='message.completed']").count()
    )
    expect(page.locator("#trace .event[data-type='run.completed']")).to_have_count(2)
    converse(page, "Yes, please do.")
    assert_complete(page)


def test_a_server_that_is_stopped_hands_its_run_to_the_next_and_the_page_finds_it(
    page, server, console
):
    console.allow(LOST)
    open_rehearsal(page)
    converse(page, "Hello")
    say(page, QUESTION)
    wait_for_the_middle_of_an_answer(page)
    server.stop()
    server.start()
    expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
    wait_for_the_end(page)
    assert_complete(page)
