"""The agents of a program: names of any kind, plain callables for tools."""

from dataclasses import fields
from datetime import date

import pytest
from pydantic import BaseModel

from orchestration import AgentSpec, CastError, FunctionTool, HandlerError
from orchestration.definition import Agent, Cue, Stage, Tool
from orchestration.handoff.declared import key_of
from orchestration.library import AnyAgent, Cast
from orchestration.library.agent_specs import SETTINGS
from orchestration.messages import ToolCall
from orchestration.tools import CallContext, ToolHandler
from tests.orchestration.conversations import PlayedModel


def cast_of(*names, **fields):
    return Cast.of({name: AgentSpec(**fields) for name in names})


def look_up(order: int) -> str:
    """Look an order up."""
    return f"Order {order}"


def test_a_name_that_is_a_slug_is_its_own_key():
    assert cast_of("triage", "billing_v2").keys == {"triage": "triage", "billing_v2": "billing_v2"}


def test_any_other_name_has_a_slug_and_keeps_its_words():
    cast = cast_of("HTTPAgent", "Billing agent", "请求")
    assert list(cast.keys.values()) == ["http-agent", "billing-agent", "agent"]
    assert [agent.name for agent in cast.described] == ["HTTPAgent", "Billing agent", "请求"]
    assert cast.name("http-agent") == "HTTPAgent"


def test_names_alike_have_distinct_keys_and_none_takes_anothers_name():
    """Contract E-2: the same agents in the same order have the same keys."""
    cast = cast_of("Billing Agent", "BillingAgent", "billing-agent", "billing-agent_2", "Human")
    assert cast.keys == {
        "Billing Agent": "billing-agent_3",
        "BillingAgent": "billing-agent_4",
        "billing-agent": "billing-agent",
        "billing-agent_2": "billing-agent_2",
        "Human": "human_2",
    }


def test_a_long_name_has_a_key_that_a_definition_can_hold():
    names = [f"{'Long ' * 20}{number}" for number in range(3)]
    assert [agent.id for agent in cast_of(*names).described] == list(cast_of(*names).keys.values())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "'' is no name"),
        (" a", "' a' is no name"),
        (7, "7 is no name"),
        ("x" * 121, "at most 120 characters"),
        ("human", "'human' is who takes over"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name, why):
    with pytest.raises(CastError, match=why):
        Cast.of({name: AgentSpec()})


def test_its_errors_are_those_of_handlers_and_of_values():
    """Contract S-1, H-9: an error at construction."""
    assert issubclass(CastError, HandlerError)
    assert issubclass(CastError, ValueError)


def test_an_agent_of_a_definition_goes_by_the_name_it_is_given_under():
    agent = Agent(id="agent-a", name="A", instructions="You answer.", model="small")
    (described,) = Cast.of({"Desk": agent}).described
    assert (described.id, described.name) == ("desk", "Desk")
    assert (described.instructions, described.model) == ("You answer.", "small")


def test_what_an_agent_is_told_and_may_do_is_in_the_definition():
    spec = AgentSpec(
        instructions="You answer.",
        language="French",
        provider="big",
        model="m",
        temperature=0.5,
        max_output_tokens=100,
        cues=[Cue(say="Hi.")],
    )
    (agent,) = Cast.of({"a": spec}, provider=PlayedModel([])).described
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


def test_an_agent_in_code_has_the_default_values_of_an_agent_of_a_definition():
    spec, agent = AgentSpec(), Agent(id="a", name="a")
    shared = {field.name for field in fields(AgentSpec)} & {*Agent.model_fields} - {"name"}
    assert {*SETTINGS} == shared - {"tools"}
    assert {name: getattr(spec, name) for name in shared} == {
        name: getattr(agent, name) for name in shared
    }


def test_what_is_no_agent_is_refused_by_its_name():
    with pytest.raises(CastError, match="'a' is a dict: give an AgentSpec"):
        Cast.of({"a": {}})  # type: ignore[dict-item]
    with pytest.raises(CastError, match="'a' cannot be: temperature"):
        cast_of("a", temperature=9)


# Tools


def test_a_plain_callable_is_a_tool_that_a_model_can_be_told_of():
    cast = cast_of("a", "b", tools=[look_up])
    (tool,) = cast.tools
    assert (tool.name, tool.description) == ("look_up", "Look an order up.")
    assert tool.parameters["properties"] == {"order": {"type": "integer"}}
    assert [agent.tools for agent in cast.described] == [("look_up",), ("look_up",)]


async def test_it_gets_its_arguments_as_it_has_annotated_them():
    class Visit(BaseModel):
        day: date

    async def book(visit: Visit, context: CallContext) -> str:
        return f"{visit.day:%A} {context.agent_id}"

    cast = cast_of("a", tools=[book])
    calls = [
        ToolCall(id="1", name="book", arguments='{"visit": {"day": "2026-01-02"}}'),
        ToolCall(id="2", name="book", arguments='{"visit": {"day": "soon"}}'),
    ]
    fine, wrong = await ToolHandler(tools=cast.functions).run(calls, agent_id="a")
    assert fine.content == "Friday a"
    assert wrong.error is not None
    assert wrong.error.startswith("The arguments of book are wrong: visit.day: ")


def test_a_tool_of_ones_own_needs_no_more_than_a_name():
    class Own:
        name = "own"

        async def run(self, arguments, context):
            return "done"

    cast = cast_of("a", tools=[Own(), FunctionTool("other", look_up), Tool(name="drawn")])
    assert [tool.name for tool in cast.tools] == ["own", "other", "drawn"]
    assert list(cast.functions) == ["own", "other"]


def test_tools_beside_the_agents_are_named_by_them():
    agents: dict[str, AnyAgent] = {
        "a": Agent(id="a", name="A", tools=("look_up",)),
        "b": AgentSpec(tools=["look_up"]),
    }
    cast = Cast.of(agents, tools=[look_up])
    assert [agent.tools for agent in cast.described] == [("look_up",), ("look_up",)]
    for name, agent in agents.items():
        with pytest.raises(CastError, match=f"'{name}' names tool 'look_up', which is not given"):
            Cast.of({name: agent})


def test_two_tools_have_two_names():
    with pytest.raises(CastError, match="Two tools are called 'look_up'"):
        cast_of("a", tools=[look_up, FunctionTool("look_up", str)])


class Room:
    """What no JSON is of."""


def strange(room: Room) -> str:
    return str(room)


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        (lambda: 1, "'<lambda>' cannot be a tool: name"),
        (7, "7 is no tool"),
        (strange, "arguments of 'strange' cannot be described"),
    ],
)
def test_what_is_no_tool_is_refused(tool, why):
    with pytest.raises(CastError, match=why):
        cast_of("a", tools=[tool])


# Providers


def test_one_provider_plays_all_agents_whatever_they_ask_for():
    model = PlayedModel([])
    agents: dict[str, AnyAgent] = {
        "a": AgentSpec(),
        "b": Agent(id="b", name="B", provider="ollama"),
    }
    assert Cast.of(agents, provider=model).providers == {"default": model, "ollama": model}


def test_several_providers_play_the_agents_that_ask_for_them():
    big, small = PlayedModel([]), PlayedModel([])
    agents = {"a": AgentSpec(provider="big"), "b": AgentSpec(provider="small")}
    assert Cast.of(agents, provider={"big": big, "small": small}).providers["big"] is big
    with pytest.raises(CastError, match="'b' asks for provider 'small', which is not given"):
        Cast.of(agents, provider={"big": big})


def test_without_a_provider_the_scripted_one_plays_them_offline():
    assert cast_of("a").providers["default"].name == "scripted"


# Definitions


def test_what_makes_no_definition_is_refused_with_what_is_wrong():
    with pytest.raises(CastError, match=r"This swarm cannot be: max_handoffs: .*greater"):
        cast_of("a").define("swarm", "swarm", stints=1, limits={"max_handoffs": -1})


def test_no_agent_has_a_tool_that_another_would_hide():
    """Contract E-2: an agent's own tool, and the one by which it hands over."""

    def handoff() -> str:
        return ""

    stage = Stage(phase="a", agent_id="a")
    other = Stage(phase="b", agent_id="b")
    way = {"source": "a", "target": "b"}
    with pytest.raises(CastError, match="'a' would have two tools called 'handoff'"):
        cast_of("a", "b", tools=[handoff]).define(
            "swarm", "swarm", stints=1, stages=(stage, other), transitions=(way,)
        )


@pytest.mark.parametrize("name", ["a-b", "A b", "ÄÖ", "--", "x" * 200, "9", "a_"])
def test_a_key_is_one_that_a_definition_can_hold(name):
    key = key_of(name)
    assert Agent(id=key, name="A").id == key
