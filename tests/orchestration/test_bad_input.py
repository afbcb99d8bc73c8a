"""Errors for bad input: they name the culprit, or the model can correct them."""

from collections.abc import Callable

import pytest

from orchestration import AgentHandler, AgentSpec, GroupHandler, HandlerError, Swarm, ToolHandler
from orchestration.conversation import SlidingWindowMemory
from orchestration.definition import Agent, Group, Limits, PipelineDefinition, Tool
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    LimitReached,
    MessageCompleted,
    RunCompleted,
    RunFailed,
    StopReason,
    ToolReturned,
)
from orchestration.library import TaskHandler, TaskSystem
from orchestration.messages import ToolCall
from orchestration.providers.provider import CallPiece, ModelRequest
from orchestration.routing import ConversationPipeline, PipelineStage
from orchestration.runtime import Session
from orchestration.tools import FunctionTool
from tests.orchestration.conversations import (
    PlayedModel,
    Turn,
    calling,
    every,
    say,
    session_with,
)
from tests.orchestration.topologies import chain, star, with_group

THREE = {"a": AgentSpec(), "b": AgentSpec(), "c": AgentSpec()}


def look() -> str:
    return "found"


def twice_registered() -> None:
    handler = TaskHandler()
    handler.register_direct_tool("look", look)
    handler.register_subtask_tool("look")


MISTAKES: list[tuple[str, Callable[[], object], str]] = [
    # an unknown agent
    ("flow_order", lambda: AgentHandler(agents=THREE, flow_order=["a", "z"]), "Agent 'z' not"),
    ("entry_agent", lambda: Swarm(agents=THREE, entry_agent="z"), "'z'.* 'a', 'b', 'c'"),
    (
        "handoffs",
        lambda: AgentHandler(agents={"a": AgentSpec(handoffs=["z"])}, mode="handoff"),
        "'a' hands over to 'z', which does not exist. Known: 'a'",
    ),
    (
        "dependencies",
        lambda: GroupHandler(agents=THREE, dependencies={"a": ["z"]}),
        "'a' name 'z', which is no agent of the group. Known: 'a', 'b', 'c'",
    ),
    ("next", lambda: ConversationPipeline([PipelineStage("one", "a", next="z")]), "'one' .* 'z'"),
    # a duplicate name
    ("twice in order", lambda: AgentHandler(agents=THREE, flow_order=["a", "a"]), "'a' .* once"),
    (
        "two phases",
        lambda: ConversationPipeline([PipelineStage("one", "a"), PipelineStage("one", "b")]),
        "More than one stage for phase 'one'",
    ),
    (
        "two tools of an agent",
        lambda: Swarm(
            agents={"a": AgentSpec(tools=[look, FunctionTool("look", str)])}, entry_agent="a"
        ),
        "Two tools are called 'look': rename one",
    ),
    ("two tools of a task", twice_registered, "Duplicate tool 'look'"),
    (
        "two tools of a handler",
        lambda: ToolHandler().register_many([FunctionTool("look", str)] * 2),
        "Duplicate tool 'look'",
    ),
    (
        "two templates",
        lambda: TaskSystem([PipelineDefinition(name="Review")] * 2),
        "Duplicate template 'Review'",
    ),
    # a negative limit
    ("of a swarm", lambda: Swarm(agents=THREE, entry_agent="a", max_handoffs=-1), "max_handoffs"),
    *(
        (
            f"of a {mode}",
            lambda mode=mode: AgentHandler(agents=THREE, mode=mode, max_handoffs=-1),
            "max_handoffs: Input should be greater than or equal to 0",
        )
        for mode in ("workflow", "handoff", "team")
    ),
    *(
        (name, lambda name=name: Limits(**{name: -1}), f"{name}\n.*greater than or equal")
        for name in ("max_handoffs", "max_turns", "max_context_tokens")
    ),
    *(
        (
            f"a memory of {number}",
            lambda number=number: SlidingWindowMemory(number),
            f"{number}: set",
        )
        for number in (0, -1)
    ),
    *(
        (
            f"{number} seconds",
            lambda number=number: ToolHandler(timeout=number),
            "timeout is .* None",
        )
        for number in (0, -1.5)
    ),
    # a cycle in dependencies
    (
        "circle",
        lambda: GroupHandler(agents=THREE, dependencies={"a": ["b"], "b": ["c"], "c": ["a"]}),
        "form a cycle: .*'a'.* Remove one of these dependencies",
    ),
    (
        "itself",
        lambda: GroupHandler(agents=THREE, dependencies={"a": ["a"]}),
        "'a' depends on itself: remove that dependency",
    ),
]


@pytest.mark.parametrize(
    ("construct", "why"),
    [(construct, why) for _, construct, why in MISTAKES],
    ids=[name for name, _, _ in MISTAKES],
)
def test_an_invalid_argument_is_an_error_at_construction_with_its_name(construct, why):
    with pytest.raises((HandlerError, ValueError), match=why):
        construct()


# Models with invalid calls


def call(name: str, arguments: str, call_id: str = "") -> CallPiece:
    """Return a call with the arguments as a model's text."""
    return CallPiece(ToolCall(id=call_id, name=name, arguments=arguments))


def passing(request: ModelRequest) -> list[str]:
    """Return the names of the agent's tools for handoffs and delegation."""
    return [tool.name for tool in request.tools if tool.kind != "function"]


def first_of(request: ModelRequest) -> str:
    return next(iter(passing(request)), "handoff_conversation")


BLUNDERS: dict[str, Callable[[ModelRequest], Turn]] = {
    "a tool that does not exist": lambda request: (call("nothing", "{}"),),
    "broken JSON for a tool": lambda request: (call("look", '{"a": '),),
    "no object for a tool": lambda request: (call("look", "[1, 2]"),),
    "broken JSON for a handoff": lambda request: (call(first_of(request), '{"target": '),),
    "no object for a handoff": lambda request: (call(first_of(request), '"b"'),),
    "a handoff to itself": lambda request: (
        calling(first_of(request), target=request.agent.id, task=""),
    ),
    "a handoff to a stranger": lambda request: (
        calling(first_of(request), target="stranger", task=""),
    ),
    "two handoffs to strangers": lambda request: (
        calling(first_of(request), target="stranger", task="", call_id="1"),
        calling(first_of(request), target="other", task="", call_id="1"),
    ),
    "the tool of another topology": lambda request: (calling("handoff_to_b", target="b"),),
}

WORDS = {
    "a tool that does not exist": "There is no tool 'nothing'. Your tools: ",
    "broken JSON for a tool": "The arguments of look are not JSON: ",
    "no object for a tool": "The arguments of look must be a JSON object.",
}
STRANGER = "There is no agent 'stranger' here. You can hand over to: b"

LOOK = Tool(name="look")


def equipped(definition: PipelineDefinition) -> PipelineDefinition:
    """The same, with a tool for every agent."""
    fields = {name: getattr(definition, name) for name in PipelineDefinition.model_fields}
    agents = [Agent(**agent.model_dump() | {"tools": ("look",)}) for agent in definition.agents]
    limits = Limits(max_turns=5, max_handoffs=3)
    return PipelineDefinition(**fields | {"agents": agents, "tools": (LOOK,), "limits": limits})


PIPELINES = {
    "pipeline": equipped(chain("a", "b", topology="pipeline")),
    "workflow": equipped(chain("a", "b")),
    "team": equipped(star("a", "b")),
    "swarm": equipped(star("a", "b", "c", topology="swarm")),
    "group": equipped(with_group(Group(agents=("a", "b")), entry="panel")),
}


def session_of(model: PlayedModel, topology: str) -> Session:
    return session_with(model, PIPELINES[topology], tools={"look": look})


def told(events: list[Event]) -> list[str]:
    """The errors that went back to models."""
    errors = [one.result.error or "" for one in every(ToolReturned, events)]
    return [*errors, *(one.why for one in every(HandoffRejected, events))]


@pytest.mark.parametrize("topology", PIPELINES)
@pytest.mark.parametrize("blunder", BLUNDERS)
async def test_a_blunder_is_an_error_that_the_model_can_correct(blunder, topology):
    """Once; then it answers."""
    blundered: set[str] = set()

    def play(request: ModelRequest) -> Turn:
        if request.agent.id in blundered:
            return (f"{request.agent.id} answers.",)
        blundered.add(request.agent.id)
        return BLUNDERS[blunder](request)

    model = PlayedModel(play)
    session = session_of(model, topology)
    events = await say(session, "hi")
    assert isinstance(events[-1], RunCompleted)
    assert events[-1].reason == StopReason.REPLIED
    assert every(HandoffAccepted, events) == []
    errors = told(events)
    assert errors
    handing_over = topology in ("pipeline", "swarm") and "stranger" in blunder
    words = STRANGER if handing_over else WORDS.get(blunder, "")
    assert all(error and words in error for error in errors[:1])
    sent = "\n".join(text for texts in model.seen for text in texts)
    assert all(error in sent for error in errors)


@pytest.mark.parametrize("topology", PIPELINES)
@pytest.mark.parametrize("blunder", BLUNDERS)
async def test_a_model_that_repeats_an_error_reaches_the_limit(blunder, topology):
    """Never an exception out of the run, never an endless one; and every call has a result."""
    model = PlayedModel(BLUNDERS[blunder])
    session = session_of(model, topology)
    events = await say(session, "hi")
    limits = every(LimitReached, events)
    assert limits[0].resource == "turns"
    assert len(model.requests) <= 5 * len(PIPELINES[topology].agents)
    if topology == "group":
        assert isinstance(events[-1], RunFailed)
        assert "'panel' failed: a (It ended without an answer: turn limit.)" in events[-1].message
    else:
        assert isinstance(events[-1], RunCompleted)
        assert events[-1].reason == StopReason.TURN_LIMIT
    asked = [one for said in every(MessageCompleted, events) for one in said.tool_calls]
    answered = [*every(ToolReturned, events), *every(HandoffRejected, events)]
    assert len(answered) == len(asked)


@pytest.mark.parametrize("topology", ["pipeline", "swarm"])
async def test_handing_over_for_ever_meets_the_limit(topology):
    """Along existing transitions."""
    back = {"a": "b", "b": "a"}
    ways = [
        {"source": f"at-{one}", "target": f"at-{two}", "kind": "return"}
        for one, two in back.items()
    ]
    limits = Limits(max_handoffs=4, detect_cycles=False)
    definition = chain("a", "b", topology=topology, transitions=ways, limits=limits)
    model = PlayedModel(
        lambda request: (calling(first_of(request), target=back[request.agent.id]),)
    )
    events = await say(session_with(model, definition), "hi")
    assert isinstance(events[-1], RunCompleted)
    assert (events[-1].reason, events[-1].handoffs) == (StopReason.HANDOFF_LIMIT, 4)


async def test_a_subtask_tool_that_is_called_wrongly_is_an_error_the_model_can_correct():
    model = PlayedModel([(call("search", '{"task": '), call("search", "[]")), ("Never mind.",)])
    handler = TaskHandler(provider=model, tasks=TaskSystem())
    handler.register_subtask_tool("search")
    result = await handler.execute_prompt("Find it.")
    assert result.content == "Never mind."
    assert ["not JSON" in model.seen[1][-2], "JSON object" in model.seen[1][-1]] == [True, True]


@pytest.mark.parametrize(
    "arguments",
    ['{"task": "\\ud800"}', '{"task": NaN}', '{"task": 1e999}', '{"task": ' + "[" * 100_000],
    ids=["half a character", "no number", "no end of a number", "no end of lists"],
)
async def test_arguments_that_no_event_could_carry_are_an_error_the_model_can_correct(arguments):
    """Contract T-9: NaN, a lone surrogate, endlessly nested lists."""
    model = PlayedModel([(call("search", arguments),), ("Never mind.",)])
    handler = TaskHandler(provider=model, tasks=TaskSystem())
    handler.register_subtask_tool("search")
    result = await handler.execute_prompt("Find it.")
    assert result.content == "Never mind."
    assert "The arguments of search are" in model.seen[1][-1]
