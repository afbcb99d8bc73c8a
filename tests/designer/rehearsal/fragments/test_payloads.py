"""Payloads of typed handoffs."""

from designer.rehearsal.trace.events import render_panes
from tests.designer.rehearsal.trace.sample_traces import trace_of, trace_state


async def test_the_payload_of_a_typed_handoff_is_shown_in_fields():
    trace = await trace_of("bike-shop")
    panes = render_panes(trace, trace_state("bike-shop"))
    told = "bike Touring 7 · urgent yes · summary The gears slip; the bike is needed by Friday."
    assert told in panes["chat_log"]
    assert told in panes["trace"]
