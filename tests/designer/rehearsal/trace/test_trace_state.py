"""The state of a trace."""

from designer.rehearsal.trace.events import render_panes
from tests.designer.rehearsal.trace.sample_traces import trace_of, trace_state


async def test_agents_of_another_pipeline_go_by_the_names_they_have_there():
    trace = await trace_of("weekend-trip")
    html = render_panes(trace, trace_state("weekend-trip"))["trace"]
    assert "<b>Researcher</b> calls its model" in html
    assert "agent-researcher" not in html


async def test_an_agent_whose_turn_goes_by_a_peer_s_session_is_the_conversation_s_own():
    """Contract S-7."""
    trace = await trace_of("bike-shop")
    peers = [event for event in trace if "__swarm_" in event.session_id]
    assert peers
    state = trace_state("bike-shop")
    assert all(state.conversation_of(event) is state.own for event in peers)
