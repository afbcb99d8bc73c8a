"""Results of a run."""

from orchestration import AgentSpec, Handoff
from orchestration.events import CycleDetected, HandoffAccepted, LimitReached
from orchestration.runtime import HandoffRecord
from tests.orchestration.conversations import calling, every, only
from tests.orchestration.library_agents import (
    Refund,
    handler,
    handoff_ring,
    results_of,
    run,
    swarm,
    to,
)


async def test_a_result_has_the_handoffs_of_the_run_with_count_and_payload():
    """Contract S-3, S-8: sender, target, number and payload."""
    made = swarm(
        {
            "a": to("b-desk"),
            "B desk": lambda request: (calling("transfer_to_c", order=7),),
            "c": lambda request: ("Done.",),
        },
        agents={
            "a": AgentSpec(),
            "B desk": AgentSpec(),
            "c": Handoff(AgentSpec(), input_type=Refund),
        },
    )
    _, result = await run(made)
    assert (result.agent, result.output) == ("c", "Done.")
    assert result.handoffs == (
        HandoffRecord(from_agent="a", to_agent="B desk", count=1),
        HandoffRecord(from_agent="B desk", to_agent="c", count=2, payload={"order": 7}),
    )


async def test_each_result_has_the_handoffs_so_far():
    """Contract H-4: a result before a handoff does not contain it."""
    results = await results_of(handler("handoff", {"a": to("b"), "b": to("c")}))
    assert [[one.to_agent for one in result.handoffs] for result in results] == [
        [],
        ["b"],
        ["b", "c"],
    ]


async def test_a_result_has_the_cycle_by_the_callers_names():
    """Contract S-5: in order."""
    plays = handoff_ring(("a", "b", "c"))  # type: ignore[arg-type]
    _, result = await run(swarm(plays))
    assert result.loop == ("a", "b", "c")
    assert [one.count for one in result.handoffs] == [1, 2, 3, 4]


async def test_the_events_of_a_swarm_contain_its_cycle_and_its_limit():
    """Contract S-5, S-8: the agents, the count and the limit."""
    events, _ = await run(swarm(handoff_ring("abc")))
    assert only(CycleDetected, events).loop == ("a", "b", "c")
    events, _ = await run(swarm(handoff_ring("abc"), detect_cycles=False, max_handoffs=3))
    reached = only(LimitReached, events)
    assert (reached.resource, reached.used, reached.limit) == ("handoffs", 3, 3)
    assert [one.hop for one in every(HandoffAccepted, events)] == [1, 2, 3]
