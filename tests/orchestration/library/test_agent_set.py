"""Casts: names, keys, tools and providers of agents in code."""

from datetime import date

import pytest
from pydantic import BaseModel

from orchestration import AgentSpec, CastError, FunctionTool, HandlerError
from orchestration.definition import Agent, Cue, Stage, Tool
from orchestration.handoff.declared import key_of
from orchestration.library import AnyAgent, Cast
from orchestration.messages import ToolCall
from orchestration.tools import CallContext, ToolHandler
from tests.orchestration.conversations import PlayedModel


def cast_of(*names, **fields):
    return Cast.of({name: AgentSpec(**fields) for name in names})


def look_up(order: int) -> str:
    """Look up an order."""
    return f"Order {order}"


def test_a_name_that_is_a_valid_key_is_used_unchanged():
    assert cast_of("triage", "billing_v2").keys == {"triage": "triage", "billing_v2": "billing_v2"}


def test_any_other_name_gets_a_key_and_stays_the_agents_name():
    cast = cast_of("HTTPAgent", "Billing agent", "请求")
    assert list(cast.keys.values()) == ["http-agent", "billing-agent", "agent"]
    assert [agent.name for agent in cast.definitions] == ["HTTPAgent", "Billing agent", "请求"]
    assert cast.name("http-agent") == "HTTPAgent"


def test_similar_names_get_distinct_keys():
    """Contract E-2: the same agents in the same order have the same keys."""
    cast = cast_of("Billing Agent", "BillingAgent", "billing-agent", "billing-agent_2", "Human")
    assert cast.keys == {
        "Billing Agent": "billing-agent_3",
        "BillingAgent": "billing-agent_4",
        "billing-agent": "billing-agent",
        "billing-agent_2": "billing-agent_2",
        "Human": "human_2",
    }


def test_a_long_name_gets_a_valid_key():
    names = [f"{'Long ' * 20}{number}" for number in range(3)]
    assert [agent.id for agent in cast_of(*names).definitions] == list(
        cast_of(*names).keys.values()
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "'' is no agent name"),
        (" a", "' a' is no agent name"),
        (7, "7 is no agent name"),
        ("x" * 121, "at most 120 characters"),
        ("human", "'human' is reserved"),
    ],
)
def test_an_invalid_name_is_refused(name, why):
    with pytest.raises(CastError, match=why):
        Cast.of({name: AgentSpec()})


def test_a_cast_error_is_a_handler_error_and_a_value_error():
    """Contract S-1, H-9: an error at construction."""
    assert issubclass(CastError, HandlerError)
    assert issubclass(CastError, ValueError)


def test_an_agent_of_a_definition_is_renamed_to_its_name_in_the_mapping():
    agent = Agent(id="agent-a", name="A", instructions="You answer.", model="small")
    (agent_definition,) = Cast.of({"Desk": agent}).definitions
    assert (agent_definition.id, agent_definition.name) == ("desk", "Desk")
    assert (agent_definition.instructions, agent_definition.model) == ("You answer.", "small")


def test_the_fields_of_an_agent_are_part_of_the_definition():
    spec = AgentSpec(
        instructions="You answer.",
        language="French",
        provider="big",
        model="m",
        temperature=0.5,
        max_output_tokens=100,
        cues=[Cue(say="Hi.")],
    )
    (agent,) = Cast.of({"a": spec}, provider=PlayedModel([])).definitions
    assert agent == Agent(
        id="a",
        name="a",
        instructions="You answer.",
        language="French",
        provider="big",
        model="m",
        temperature=0.5,
        max_output_tokens=100,
        cues=(Cue(say="Hi."),),
    )


def test_an_object_that_is_no_agent_is_refused_with_its_name():
    with pytest.raises(CastError, match="'a' is a dict: pass an AgentSpec"):
        Cast.of({"a": {}})  # type: ignore[dict-item]
    with pytest.raises(CastError, match="'a' is invalid: temperature"):
        cast_of("a", temperature=9)


# Tools


def test_a_callable_is_a_tool_with_description_and_parameters():
    cast = cast_of("a", "b", tools=[look_up])
    (tool,) = cast.tools
    assert (tool.name, tool.description) == ("look_up", "Look up an order.")
    assert tool.parameters["properties"] == {"order": {"type": "integer"}}
    assert [agent.tools for agent in cast.definitions] == [("look_up",), ("look_up",)]


async def test_a_callable_gets_arguments_of_its_annotated_types():
    class Visit(BaseModel):
        day: date

    async def book(visit: Visit, context: CallContext) -> str:
        return f"{visit.day:%A} {context.agent_id}"

    cast = cast_of("a", tools=[book])
    calls = [
        ToolCall(id="1", name="book", arguments='{"visit": {"day": "2026-01-02"}}'),
        ToolCall(id="2", name="book", arguments='{"visit": {"day": "soon"}}'),
    ]
    success, failure = await ToolHandler(tools=cast.functions).run(calls, agent_id="a")
    assert success.content == "Friday a"
    assert failure.error is not None
    assert failure.error.startswith("The arguments of book are wrong: visit.day: ")


def test_a_custom_tool_only_needs_a_name():
    class Own:
        name = "own"

        async def run(self, arguments, context):
            return "done"

    cast = cast_of("a", tools=[Own(), FunctionTool("other", look_up), Tool(name="drawn")])
    assert [tool.name for tool in cast.tools] == ["own", "other", "drawn"]
    assert list(cast.functions) == ["own", "other"]


def test_agents_use_shared_tools_by_name():
    agents: dict[str, AnyAgent] = {
        "a": Agent(id="a", name="A", tools=("look_up",)),
        "b": AgentSpec(tools=["look_up"]),
    }
    cast = Cast.of(agents, tools=[look_up])
    assert [agent.tools for agent in cast.definitions] == [("look_up",), ("look_up",)]
    for name, agent in agents.items():
        with pytest.raises(CastError, match=f"'{name}' uses tool 'look_up', which is not in tools"):
            Cast.of({name: agent})


def test_two_different_tools_with_one_name_are_refused():
    with pytest.raises(CastError, match="Two tools are called 'look_up'"):
        cast_of("a", tools=[look_up, FunctionTool("look_up", str)])


class Room:
    """A type without a JSON Schema."""


def strange(room: Room) -> str:
    return str(room)


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        (lambda: 1, "Tool '<lambda>' is invalid: name"),
        (7, "7 is no tool"),
        (strange, "arguments of 'strange' have no JSON Schema"),
    ],
)
def test_an_invalid_tool_is_refused(tool, why):
    with pytest.raises(CastError, match=why):
        cast_of("a", tools=[tool])


# Providers


def test_a_single_provider_is_used_for_all_agents():
    model = PlayedModel([])
    agents: dict[str, AnyAgent] = {
        "a": AgentSpec(),
        "b": Agent(id="b", name="B", provider="ollama"),
    }
    assert Cast.of(agents, provider=model).providers == {"default": model, "ollama": model}


def test_several_providers_are_selected_by_name():
    big, small = PlayedModel([]), PlayedModel([])
    agents = {"a": AgentSpec(provider="big"), "b": AgentSpec(provider="small")}
    assert Cast.of(agents, provider={"big": big, "small": small}).providers["big"] is big
    with pytest.raises(CastError, match="'b' uses provider 'small', which does not exist"):
        Cast.of(agents, provider={"big": big})


def test_without_a_provider_the_scripted_one_is_used():
    assert cast_of("a").providers["default"].name == "scripted"


# Definitions


def test_an_invalid_definition_is_refused_with_the_reason():
    with pytest.raises(CastError, match=r"This swarm is invalid: max_handoffs: .*greater"):
        cast_of("a").define("swarm", "swarm", activations=1, limits={"max_handoffs": -1})


def test_a_tool_with_the_name_of_a_handoff_tool_is_refused():
    """Contract E-2."""

    def handoff() -> str:
        return ""

    stage = Stage(phase="a", agent_id="a")
    other = Stage(phase="b", agent_id="b")
    transition = {"source": "a", "target": "b"}
    with pytest.raises(CastError, match="'a' would have two tools called 'handoff'"):
        cast_of("a", "b", tools=[handoff]).define(
            "swarm", "swarm", activations=1, stages=(stage, other), transitions=(transition,)
        )


@pytest.mark.parametrize("name", ["a-b", "A b", "ÄÖ", "--", "x" * 200, "9", "a_"])
def test_every_key_is_valid_in_a_definition(name):
    key = key_of(name)
    assert Agent(id=key, name="A").id == key
