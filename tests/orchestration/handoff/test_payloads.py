"""Handoffs that tell their target what it needs to know."""

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
    """Three peers; `b_c=…` is what b tells c."""
    ways = [
        Transition(
            source=f"at-{one}",
            target=f"at-{two}",
            kind="return",
            input_schema=schemas.get(f"{one}_{two}"),
        )
        for one in "abc"
        for two in "abc"
        if one != two
    ]
    return star("a", "b", "c", topology="swarm", transitions=ways)


async def test_each_way_to_a_target_has_a_schema_of_its_own():
    """Contract S-3: two agents that tell the same target different things."""
    model = model_of(
        {
            "a": once(calling("transfer_to_c", order=1)),
            "c": once(calling("handoff", target="b")),
            "b": once(calling("transfer_to_c", order=1), calling("transfer_to_c", name="Ada")),
        }
    )
    events = await say(session_with(model, swarm(a_c=ORDER, b_c=NAME)), "hi")
    assert [one.payload for one in every(HandoffAccepted, events)] == [
        {"order": 1},
        None,
        {"name": "Ada"},
    ]
    wrong = only(ToolReturned, events).result.error
    assert wrong is not None
    assert "name" in wrong


async def test_a_typed_target_is_not_reached_without_what_it_needs_to_know():
    """Contract S-3: neither by the tool for all others nor by its name."""
    by_tool = model_of({"a": once(calling("handoff", target="b"), calling("handoff", target="c"))})
    events = await say(session_with(by_tool, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).why == "b needs to be told more: call transfer_to_b."
    assert only(HandoffAccepted, events).to_agent == "c"

    by_name = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(by_name, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).code == "not_allowed"
    assert only(RunCompleted, events).reason == "replied"


async def test_a_target_that_needs_to_be_told_nothing_is_reached_by_its_name_too():
    """Contract H-4."""
    model = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(model, swarm(a_b={"type": "object"})), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"


async def test_a_handoff_that_tells_nothing_leaves_no_note():
    model = model_of({"a": once(calling("transfer_to_b"))})
    session = session_with(model, swarm(a_b={"type": "object"}))
    accepted = only(HandoffAccepted, await say(session, "hi"))
    assert (accepted.summary, accepted.payload) == ("", {})
    assert not [text for text in model.seen[-1] if text.startswith("[Context")]


# What an edge tells


async def told(
    edge: Handoff, *calls: Any, full_history: bool = True
) -> tuple[Sequence[Any], PlayedModel]:
    journal = MemoryJournal()
    model = model_of({"a": once("Let me see.", *calls)})
    swarm = Swarm(
        agents={"a": AgentSpec(), "b": edge},
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

    edge = Handoff(AgentSpec(), input_type=Refund, input_filter=choose)
    arguments: dict[str, Any] = {"order": 7, "lines": [{"sku": "x"}]}
    events, model = await told(edge, calling("transfer_to_b", **arguments))
    history, payload = seen
    assert history == ["Where is my money?", "[a]: Let me see."]
    assert payload == Refund(order=7, lines=[Line(sku="x")])
    assert only(HandoffAccepted, events).payload == arguments
    assert model.seen[-1] == ["Refund 1 of order 7."]


async def test_who_needs_to_be_told_nothing_is_told_what_is_usual():
    """Contract H-4 and S-4: reached by the name, with the payload's model as it is by default."""

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

    edge = Handoff(AgentSpec(), input_filter=choose)
    events, model = await told(edge, calling("handoff", target="b"))
    assert not every(HandoffAccepted, events)
    assert "no such order" in model.seen[-1][-1]
    assert {request.agent.id for request in model.requests} == {"a"}


async def test_what_the_model_itself_refuses_goes_back_to_be_corrected():
    """Contract S-3: what no JSON Schema says is checked too."""
    for edge in (
        Handoff(AgentSpec(), Refund),
        Handoff(AgentSpec(), Refund, lambda history, payload: "chosen"),
    ):
        events, model = await told(edge, calling("transfer_to_b", order=13))
        assert not every(HandoffAccepted, events)
        assert model.seen[-1][-1].endswith("order: Value error, there is no order 13")


async def test_a_typed_edge_without_a_filter_leaves_the_history_as_it_is():
    """Contract S-3 and S-6."""
    for full_history in (True, False):
        _, model = await told(
            Handoff(AgentSpec(), Refund),
            calling("transfer_to_b", order=7),
            full_history=full_history,
        )
        last = model.seen[-1]
        assert "Where is my money?" in last
        assert ("[a]: Let me see." in last) is full_history
        assert any('"order": 7' in text for text in last)
