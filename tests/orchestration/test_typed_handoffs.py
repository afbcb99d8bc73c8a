"""Handoffs that tell their target what it needs to know."""

from orchestration.definition import Transition
from orchestration.events import HandoffAccepted, HandoffRejected, RunCompleted, ToolReturned
from tests.orchestration.conversations import calling, every, only, say, session_with
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
    """S-3: two agents that tell the same target different things."""
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
    """S-3: neither by the tool for all others nor by its name."""
    by_tool = model_of({"a": once(calling("handoff", target="b"), calling("handoff", target="c"))})
    events = await say(session_with(by_tool, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).why == "b needs to be told more: call transfer_to_b."
    assert only(HandoffAccepted, events).to_agent == "c"

    by_name = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(by_name, swarm(a_b=ORDER)), "hi")
    assert only(HandoffRejected, events).code == "not_allowed"
    assert only(RunCompleted, events).reason == "replied"


async def test_a_target_that_needs_to_be_told_nothing_is_reached_by_its_name_too():
    """H-4."""
    model = model_of({"a": lambda request: ("b",)})
    events = await say(session_with(model, swarm(a_b={"type": "object"})), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"


async def test_a_handoff_that_tells_nothing_leaves_no_note():
    model = model_of({"a": once(calling("transfer_to_b"))})
    session = session_with(model, swarm(a_b={"type": "object"}))
    accepted = only(HandoffAccepted, await say(session, "hi"))
    assert (accepted.summary, accepted.payload) == ("", {})
    assert not [text for text in model.seen[-1] if text.startswith("[Context")]
