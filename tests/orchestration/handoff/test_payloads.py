"""Handoffs with a payload for their target."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from orchestration import AgentSpec, Handoff, MemoryJournal, Swarm
from orchestration.definition import Transition
from orchestration.events import HandoffAccepted, HandoffRejected, RunCompleted, ToolReturned
from tests.orchestration.conversations import PlayedModel, calling, every, only, say, session_with
from tests.orchestration.library_agents import Line, Refund
from tests.orchestration.topologies import model_of, once, star

ORDER = {
    "type": "object",
    "properties": {"order": {"type": "integer"}},
    "required": ["order"],
}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def swarm(**schemas):
    """Return three peers; `b_c=…` is the payload's schema from b to c."""
    transitions = [
        Transition(
            source=f"at-{source}",
            target=f"at-{target}",
            kind="return",
            input_schema=schemas.get(f"{source}_{target}"),
        )
        for source in "abc"
        for target in "abc"
        if source != target
    ]
    return star("a", "b", "c", topology="swarm", transitions=transitions)


async def test_each_transition_to_a_target_has_its_own_schema():
    """Contract S-3: two agents send different payloads to the same target."""
    model = model_of(
        {
            "a": once(calling("transfer_to_c", order=1)),
            "c": once(calling("handoff", target="b")),
            "b": once(calling("transfer_to_c", order=1), calling("transfer_to_c", name="Ada")),
        }
    )
    events = await say(session_with(model, swarm(a_c=ORDER, b_c=NAME)), "hi")
    assert [event.payload for event in every(HandoffAccepted, events)] == [
        {"order": 1},
        None,
        {"name": "Ada"},
    ]
    wrong = only(ToolReturned, events).result.error
    assert wrong is not None
    assert "name" in wrong


async def test_a_typed_target_is_not_reached_without_its_payload():
    """Contract S-3: neither by the common tool nor by its name."""
    by_tool = model_of({"a": once(calling("handoff", target="b"), calling("handoff", target="c"))})
    events = await say(session_with(by_tool, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).why == "b needs a payload: call transfer_to_b."
    assert only(HandoffAccepted, events).to_agent == "c"

    by_name = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(by_name, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).code == "not_allowed"
    assert only(RunCompleted, events).reason == "replied"


async def test_a_target_without_required_payload_is_reached_by_name_too():
    """Contract H-4."""
    model = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(model, swarm(a_b={"type": "object"})), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"


async def test_a_handoff_with_an_empty_payload_leaves_no_note():
    model = model_of({"a": once(calling("transfer_to_b"))})
    session = session_with(model, swarm(a_b={"type": "object"}))
    accepted = only(HandoffAccepted, await say(session, "hi"))
    assert (accepted.summary, accepted.payload) == ("", {})
    assert not [text for text in model.seen[-1] if text.startswith("[Context")]


async def run_handoff(
    handoff: Handoff, *calls: Any, full_history: bool = True
) -> tuple[Sequence[Any], PlayedModel]:
    journal = MemoryJournal()
    model = model_of({"a": once("Let me see.", *calls)})
    swarm = Swarm(
        agents={"a": AgentSpec(), "b": handoff},
        entry_agent="a",
        provider=model,
        pass_full_history=full_history,
    )
    await swarm.run("Where is my money?", journal=journal)
    return journal.events, model


async def test_a_filter_gets_the_history_and_the_payload_as_its_model():
    """Contract S-4."""
    seen: list[Any] = []

    def choose(history: Sequence[str], payload: Refund) -> str:
        seen.extend([list(history), payload])
        return f"Refund {payload.lines[0].pieces} of order {payload.order}."

    handoff = Handoff(AgentSpec(), input_type=Refund, input_filter=choose)
    arguments: dict[str, Any] = {"order": 7, "lines": [{"sku": "x"}]}
    events, model = await run_handoff(handoff, calling("transfer_to_b", **arguments))
    history, payload = seen
    assert history == ["Where is my money?", "[a]: Let me see."]
    assert payload == Refund(order=7, lines=[Line(sku="x")])
    assert only(HandoffAccepted, events).payload == arguments
    assert model.seen[-1] == ["Refund 1 of order 7."]


async def test_a_handoff_by_name_has_the_default_payload():
    """Contract H-4 and S-4."""

    class Wish(BaseModel):
        haste: bool = True

    seen: list[Wish] = []

    def choose(history: Sequence[str], payload: Wish) -> str:
        seen.append(payload)
        return "Go."

    agents: dict[str, AgentSpec | Handoff] = {
        "a": AgentSpec(),
        "b": Handoff(AgentSpec(), Wish, choose),
    }
    model = model_of({"a": lambda _: ("b",)})
    result = await Swarm(agents=agents, entry_agent="a", provider=model).run("hi")
    assert (result.agent, result.handoffs[0].payload) == ("b", None)
    assert seen == [Wish()]


async def test_a_filter_that_raises_refuses_the_handoff_with_its_reason():
    """Contract S-4."""

    def choose(history: Sequence[str], payload: Any) -> str:
        raise LookupError("no such order")

    handoff = Handoff(AgentSpec(), input_filter=choose)
    events, model = await run_handoff(handoff, calling("handoff", target="b"))
    assert not every(HandoffAccepted, events)
    assert "no such order" in model.seen[-1][-1]
    assert {request.agent.id for request in model.requests} == {"a"}


async def test_an_error_of_the_pydantic_model_goes_back_to_the_agent():
    """Contract S-3: checks beyond the JSON Schema apply too."""
    for handoff in (
        Handoff(AgentSpec(), Refund),
        Handoff(AgentSpec(), Refund, lambda history, payload: "chosen"),
    ):
        events, model = await run_handoff(handoff, calling("transfer_to_b", order=13))
        assert not every(HandoffAccepted, events)
        assert model.seen[-1][-1].endswith("order: Value error, there is no order 13")


async def test_a_typed_handoff_without_a_filter_keeps_the_history():
    """Contract S-3 and S-6."""
    for full_history in (True, False):
        _, model = await run_handoff(
            Handoff(AgentSpec(), Refund),
            calling("transfer_to_b", order=7),
            full_history=full_history,
        )
        last = model.seen[-1]
        assert "Where is my money?" in last
        assert ("[a]: Let me see." in last) is full_history
        assert any('"order": 7' in text for text in last)
