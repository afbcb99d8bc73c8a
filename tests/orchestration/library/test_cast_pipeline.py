"""The callers' names of agents, in all that a model sees and a caller gets (contract D-8)."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration import (
    AgentSpec,
    CastError,
    GroupHandler,
    Handoff,
    InboundMessage,
    MemoryJournal,
    Session,
    StopReason,
    Swarm,
    load,
)
from orchestration.definition import Cue, CueHandoff
from orchestration.events import (
    CycleDetected,
    Event,
    HandoffAccepted,
    HandoffRejected,
    PhaseChanged,
    SubtaskStarted,
    TurnStarted,
    decode,
    encode,
)
from orchestration.providers.provider import ModelRequest
from orchestration.providers.scripted import ScriptedProvider
from tests.orchestration.conversations import Turn, calling, every, only
from tests.orchestration.library_agents import (
    Refund,
    forbidden_model,
    handler,
    outputs,
    results_of,
    run,
    swarm,
    to,
)
from tests.orchestration.topologies import model_of, once

DESKS = ("Front Desk", "Billing Desk", "B")
KEYS = ("front-desk", "billing-desk")


def tools_by_name(request: ModelRequest) -> dict[str, Any]:
    return {tool.name: tool for tool in request.tools}


async def test_a_model_sees_the_given_names_of_the_targets():
    """Contract S-2, D-8: in the enum, the descriptions and the prompt."""
    model = model_of({})
    await run(swarm(provider=model, names=DESKS))
    (request,) = model.requests
    tool = tools_by_name(request)["handoff"]
    assert tool.parameters["properties"]["target"]["enum"] == ["B", "Billing Desk"]
    assert tool.description.splitlines()[-2:] == ["- B", "- Billing Desk"]
    assert request.system.startswith("You are Front Desk (Front Desk). ")
    assert request.phase == "Front Desk"
    for key in KEYS:
        assert key not in request.system + tool.description + str(tool.parameters)


async def test_only_the_name_of_a_tool_is_in_snake_case():
    """Contract S-3, E-1, D-8."""
    model = model_of({})
    agents = {
        "Front Desk": AgentSpec(),
        "Billing Desk": Handoff(AgentSpec(), input_type=Refund),
        "请求": Handoff(AgentSpec(), input_type=Refund),
    }
    await run(swarm(provider=model, agents=agents))
    tools = tools_by_name(model.requests[0])
    assert sorted(tools) == ["transfer_to_agent", "transfer_to_billing_desk"]
    description = tools["transfer_to_billing_desk"].description
    assert description == "Transfer the conversation to Billing Desk."
    assert "请求" in tools["transfer_to_agent"].description


async def test_events_and_results_have_the_given_names():
    """Contract S-7, S-8, D-8."""
    plays = {"Front Desk": to("Billing Desk"), "Billing Desk": lambda request: ("Paid.",)}
    events, result = await run(swarm(plays, names=DESKS), session_id="s1")
    accepted = only(HandoffAccepted, events)
    assert (accepted.from_agent, accepted.to_agent) == ("Front Desk", "Billing Desk")
    assert (accepted.from_phase, accepted.to_phase) == ("Front Desk", "Billing Desk")
    assert only(PhaseChanged, events).phase == "Billing Desk"
    assert [(each.session_id, each.agent_id) for each in every(TurnStarted, events)] == [
        ("s1__swarm_Front Desk_0", "Front Desk"),
        ("s1__swarm_Billing Desk_1", "Billing Desk"),
    ]
    assert (result.agent, result.output) == ("Billing Desk", "Paid.")
    assert (result.handoffs[0].from_agent, result.handoffs[0].to_agent) == (
        "Front Desk",
        "Billing Desk",
    )
    recorded = b"\n".join(map(encode, events)).decode()
    for key in KEYS:
        assert key not in recorded


@pytest.mark.parametrize(
    "target", ["Billing Desk", "billing-desk", "billing_desk", "BILLING DESK", " Billing Desk "]
)
async def test_a_name_and_its_slugs_are_accepted(target):
    """Contract D-8."""
    plays = {"Front Desk": to(target), "Billing Desk": lambda request: ("Paid.",)}
    events, result = await run(swarm(plays, names=DESKS))
    assert only(HandoffAccepted, events).to_agent == "Billing Desk"
    assert result.agent == "Billing Desk"


async def test_an_unknown_target_is_an_error_with_the_given_names():
    """Contract S-2, D-8."""
    plays = {"Front Desk": once(calling("handoff", target="Legal"))}
    events, _ = await run(swarm(plays, names=DESKS))
    rejected = only(HandoffRejected, events)
    assert rejected.allowed == ("B", "Billing Desk")
    assert "You can hand over to: B, Billing Desk." in rejected.why


async def test_a_name_that_differs_only_in_form_is_not_guessed():
    """Contract D-8: the exact name is accepted, and a common slug is refused."""
    names = ("a", "Billing Desk", "billing desk", "BillingDesk")
    for target in names[1:]:
        events, _ = await run(swarm({"a": to(target)}, names=names))
        assert only(HandoffAccepted, events).to_agent == target
    events, _ = await run(
        swarm({"a": once(calling("handoff", target="billing_desk"))}, names=names)
    )
    rejected = only(HandoffRejected, events)
    assert rejected.code == "ambiguous"
    assert "'Billing Desk' or 'BillingDesk' or 'billing desk'" in rejected.why


async def test_the_loop_of_a_cycle_has_the_given_names():
    """Contract S-5, D-8."""
    plays = {"A": to("B"), "B": to("a")}
    events, result = await run(swarm(plays, names=("A", "B")))
    assert only(CycleDetected, events).loop == result.loop == ("A", "B")


async def test_an_answer_may_be_a_name_or_its_key():
    """Contract H-4, D-8."""
    for answer in ("Billing Desk", "billing-desk"):
        plays = {"Front Desk": once(answer), "Billing Desk": lambda request: ("Paid.",)}
        results = await results_of(handler("handoff", plays, names=DESKS))
        assert outputs(results) == [("Front Desk", answer), ("Billing Desk", "Paid.")]


async def test_cues_refer_to_agents_by_the_given_names():
    """Contract D-8: as targets and as senders; the scripted provider plays them."""
    after = Cue(after_handoff_from="Front Desk", say="From the front.")
    agents = {
        "Front Desk": AgentSpec(cues=[Cue(hand_over=CueHandoff(target="Billing Desk"))]),
        "Billing Desk": AgentSpec(cues=[Cue(say="Never."), after]),
    }
    result = await Swarm(agents=agents, entry_agent="Front Desk").run("hi")
    assert (result.agent, result.output) == ("Billing Desk", "From the front.")


async def test_agents_without_cues_hand_over_by_the_given_names():
    """Contract D-8: the stand-in of the scripted provider."""
    agents = {
        "Front Desk": AgentSpec(instructions="You welcome people."),
        "Billing Desk": AgentSpec(instructions="You answer about invoices."),
    }
    result = await Swarm(agents=agents, entry_agent="Front Desk").run("My invoices are wrong")
    assert result.agent == "Billing Desk"


@pytest.mark.parametrize("mode", ["workflow", "team", "handoff"])
async def test_each_mode_has_the_given_names(mode):
    """Contract H-3 to H-5, D-8."""

    def lead(request: ModelRequest) -> Turn:
        if request.messages[-1].role == "tool":
            return ("Done.",)
        names.update(tools_by_name(request))
        if mode == "team":
            return (calling("delegate_to_billing_desk", task="Check invoice 7."),)
        return (calling("handoff", target="Billing Desk"),) if mode == "handoff" else ("Draft.",)

    names: dict[str, Any] = {}
    peers = handler(mode, {"Front Desk": lead}, names=DESKS[:2])
    results = await results_of(peers)
    assert {result.agent for result in results} == {"Front Desk", "Billing Desk"}
    if mode == "team":
        assert names["delegate_to_billing_desk"].description.startswith("Have Billing Desk do")
    for result in results:
        assert peers._check_team_stop(result.agent) is (result.agent == "Front Desk")


async def test_the_events_of_a_group_have_the_given_names():
    """Contract H-9, D-8."""
    journal = MemoryJournal()
    group = GroupHandler(
        agents={name: AgentSpec() for name in DESKS},
        provider=model_of({}),
        parallel=False,
        dependencies={"Front Desk": ["Billing Desk"]},
    )
    results = await results_of(group, journal=journal)
    assert [result.agent for result in results] == ["Billing Desk", "Front Desk", "B"]
    started = every(SubtaskStarted, journal.events)
    assert [each.title for each in started] == ["Billing Desk", "Front Desk", "B"]


names_in_use = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters=" "),
        min_size=1,
        max_size=12,
    )
    .map(str.strip)
    .filter(lambda name: name not in ("", "human") and name.isprintable()),
    min_size=2,
    max_size=4,
    unique=True,
)


@given(names_in_use)
async def test_any_name_is_offered_accepted_and_recorded(names):
    """Contract D-8: every target that the enum offers is accepted, with the same name."""
    first, *others = names
    model = model_of({})
    await run(swarm(provider=model, names=names))
    (tool,) = model.requests[0].tools
    offered = tool.parameters["properties"]["target"]["enum"]
    assert sorted(offered) == sorted(others)
    for target in others:
        events, result = await run(swarm({first: to(target)}, names=names))
        assert only(HandoffAccepted, events).to_agent == result.agent == target


@pytest.mark.parametrize("name", ["two\nlines", "bell\x07"])
def test_a_name_is_printable_and_on_one_line(name):
    """Contract D-8: names label messages of the conversation."""
    with pytest.raises(CastError, match="use a text on one line"):
        Swarm(agents={name: AgentSpec()}, entry_agent=name)


# Journals recorded with keys


def keyed_recording() -> list[Event]:
    """Return a run that was recorded when agents had keys in events."""
    lines = Path(__file__).with_name("keyed_swarm.jsonl").read_bytes().splitlines()
    return [decode(line) for line in lines]


async def test_a_journal_with_keys_replays_without_a_model():
    """Contract S-7, D-8."""
    recorded = keyed_recording()
    peers = swarm(names=DESKS[:2], provider=forbidden_model())
    events, result = await run(peers, "Where is my invoice?", session_id="s1", events=recorded)
    assert events == recorded
    assert (result.agent, result.output) == ("Billing Desk", "It is on its way.")
    assert result.handoffs[0].to_agent == "Billing Desk"


@pytest.mark.parametrize("length", range(1, len(keyed_recording())))
async def test_an_unfinished_journal_with_keys_continues(length):
    """Contract S-7, D-8: from any event, to the same end."""
    recorded = keyed_recording()
    agents = {
        "Front Desk": AgentSpec(cues=[Cue(hand_over=CueHandoff(target="Billing Desk"))]),
        "Billing Desk": AgentSpec(cues=[Cue(say="It is on its way.")]),
    }
    peers = Swarm(agents=agents, entry_agent="Front Desk")
    events, result = await run(
        peers, "Where is my invoice?", session_id="s1", events=recorded[:length]
    )
    assert events[:length] == recorded[:length]
    assert [each.type for each in events] == [each.type for each in recorded]
    assert (result.agent, result.reason) == ("Billing Desk", StopReason.REPLIED)
    assert events[-1].agent_id == "billing-desk"


async def test_a_conversation_with_keys_takes_further_messages():
    """Contract D-8: the active agent of the recording answers."""
    peers = swarm(names=DESKS[:2], provider=model_of({}))
    events, result = await run(
        peers, "Thanks", session_id="s1", message_id="2", events=keyed_recording()
    )
    assert result.agent == "Billing Desk"
    assert {each.agent_id for each in every(TurnStarted, events)} == {"billing-desk"}


async def test_a_definition_with_names_is_saved_with_keys_and_plays_the_same():
    """Contract S-2: a file has valid keys, and the agents in it keep their names."""
    after = Cue(after_handoff_from="Front Desk", say="From the front.")
    agents = {
        "Front Desk": AgentSpec(cues=[Cue(hand_over=CueHandoff(target="Billing Desk"))]),
        "Billing Desk": AgentSpec(cues=[Cue(say="Never."), after]),
        "billing-desk": AgentSpec(),
    }
    whole = Swarm(agents=agents, entry_agent="Front Desk").definition
    loaded = load(whole.dump())
    assert {agent.id: agent.name for agent in loaded.agents} == {
        "billing-desk": "billing-desk",
        "billing-desk_2": "Billing Desk",
        "front-desk": "Front Desk",
    }
    assert loaded.entry == "front-desk"
    assert load(loaded.dump()) == loaded
    session = Session(
        loaded,
        session_id="s1",
        providers={"default": ScriptedProvider(tokens_per_second=None)},
    )
    message = InboundMessage(id="m1", text="hi")
    events = [event async for event in session.receive(message)]
    assert only(HandoffAccepted, events).to_agent == "billing-desk_2"
    assert session.history[-1].text == "From the front."


def test_a_saved_group_keeps_its_members_and_their_order():
    agents = {name: AgentSpec(instructions="Check.") for name in DESKS}
    dependencies = {"Front Desk": ["Billing Desk"]}
    group = GroupHandler(agents=agents, parallel=False, dependencies=dependencies)
    loaded = load(group.definition.dump())
    (stage,) = loaded.stages
    assert stage.group is not None
    names = {agent.id: agent.name for agent in loaded.agents}
    assert {names[key] for key in stage.agent_ids} == set(DESKS)
    assert stage.group.dependencies == {"front-desk": ("billing-desk",)}
