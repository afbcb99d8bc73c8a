"""File `agents.py`: a function for each agent, and `build` for the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from orchestration.interchange.langgraph.agent_calls import AgentCalls
from orchestration.interchange.langgraph.graph_calls import graph_calls
from orchestration.interchange.langgraph.plan import Plan
from orchestration.interchange.project import ToolNames, module, uses_routing
from orchestration.interchange.python_code import Call, Code, assignment, comment, literal

_IMPORTS: Final[Mapping[str, tuple[str, ...]]] = {
    "import tools": ("tools",),
    "from filters import": (
        "FilterMiddleware",
        "keep_last",
        "keep_matching",
        "keep_no_tools",
        "keep_summary",
    ),
    "from groups import": ("delegation_tool", "group", "group_stage", "worker"),
    "from handoffs import": ("HandoffMiddleware", "StageHandoff", "next_stage"),
    "from human_stage import": ("human_stage",),
    "from langchain.agents import": ("create_agent",),
    "from langchain.agents.middleware import": (
        "HumanInTheLoopMiddleware",
        "ModelCallLimitMiddleware",
        "ModelFallbackMiddleware",
    ),
    "from langchain.agents.structured_output import": ("ProviderStrategy",),
    "from langgraph.graph import": ("END", "START", "StateGraph"),
    "from langgraph_swarm import": ("SwarmState", "add_active_agent_router"),
    "from route import": ("IncomingMessage", "route"),
    "from supervision import": ("RunSupervisor",),
    "from settings import": ("InputMiddleware", "ToolChoiceMiddleware", "VariableMiddleware"),
}
"""Imports of the module by their origin; only the used names are imported."""

_OTHER_NAMES: Final = (
    "Any",
    "BaseCheckpointSaver",
    "CompiledStateGraph",
    "InMemorySaver",
    "MAX_HANDOFFS",
    "MAX_TURNS",
    "Models",
    "NODES",
    "NotRequired",
    "RECURSION_LIMIT",
    "RouteState",
    "STAGES",
    "State",
    "VARIABLES",
    "annotations",
    "build",
    "builder",
    "chat_model",
    "checkpointer",
    "first_stage",
    "graph",
    "model",
    "state",
    "supervisor",
)
TAKEN: Final = (*_OTHER_NAMES, *(name for names in _IMPORTS.values() for name in names))
"""Names of the module, which no function of an agent may have."""

_ALWAYS = """\
from chat_models import Models, chat_model
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph"""

_STATE = '''\
class State(SwarmState):
    """State of the graph: the messages, the active stage, and data of the channel."""

    channel_type: NotRequired[str]
    intent: NotRequired[str | None]
    source_channel_id: NotRequired[str | None]
    variables: NotRequired[dict[str, str]]'''

_ROUTER = '''\
def first_stage(state: State) -> str:
    """Return the active stage, else the one that the rules select for the message."""
    if active := state.get("active_agent"):
        return active
    message = IncomingMessage(
        state["messages"][-1].text,
        state.get("channel_type", "web"),
        state.get("intent"),
        state.get("source_channel_id"),
    )
    known = RouteState(
        phase=ENTRY,
        messages=len(state["messages"]) - 1,
        variables={**VARIABLES, **state.get("variables", {})},
    )
    stage = route(message, known) or END
    return NODES.get(stage, stage)'''

_BUILD = '''\
def build(
    model: Models = chat_model, checkpointer: BaseCheckpointSaver | None = None
) -> CompiledStateGraph:
    """Return the graph: by default with models of the environment and a checkpointer in memory."""
    builder = StateGraph(State)
'''

_COMPILE = """\
    saver = InMemorySaver() if checkpointer is None else checkpointer
    return builder.compile(checkpointer=saver).with_config(recursion_limit=RECURSION_LIMIT)"""


def agents_module(plan: Plan, tools: Mapping[str, ToolNames]) -> str:
    """Return the module."""
    agents = AgentCalls(plan, tools, TAKEN)
    graph = graph_calls(plan, agents)
    functions = list(agents.functions())
    supervisor = agents.supervisor()
    calls = [*graph, *[call for _, _, call in functions], supervisor or ""]
    used = set(_names(calls))
    routes = uses_routing(plan.definition)
    if routes:
        used |= {"IncomingMessage", "route", "END"}
    bodies = [_function(*each) for each in functions]
    return module(
        [
            _head(used | {"SwarmState", "StateGraph"}, routes=routes),
            _constants(plan, routes=routes),
        ],
        _STATE,
        *bodies,
        _supervisor(supervisor) if supervisor is not None else "",
        _ROUTER if routes else "",
        _build(graph),
    )


def _head(used: set[str], *, routes: bool) -> str:
    lines = _ALWAYS.splitlines()
    for origin, names in _IMPORTS.items():
        found = sorted(used.intersection(names), key=lambda each: (each.upper() != each, each))
        if found == ["tools"]:
            lines.append(origin)
        elif found:
            lines.append(_import(origin, found))
    if routes:
        lines.append("from route import State as RouteState")
    lines.sort(key=lambda each: (each.startswith("from"), each.split()[1].casefold()))
    local = [each for each in lines if not each.split()[1].startswith("lang")]
    return "\n".join(
        [
            '"""Agents and graph of the conversation."""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import NotRequired",
            "",
            *[each for each in lines if each not in local],
            "",
            *local,
        ]
    )


def _import(origin: str, names: list[str]) -> str:
    line = f"{origin} {', '.join(names)}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{origin} (", *[f"    {name}," for name in names], ")"])


def _constants(plan: Plan, *, routes: bool) -> str:
    limits = plan.definition.limits
    steps = 4 * limits.max_turns + 2 * limits.max_handoffs + len(plan.all_nodes) + 10
    lines = [
        assignment("MAX_TURNS", limits.max_turns),
        assignment("MAX_HANDOFFS", limits.max_handoffs),
        assignment("RECURSION_LIMIT", steps),
        assignment("STAGES", list(plan.all_nodes)),
        assignment("VARIABLES", dict(plan.definition.variables)),
    ]
    if routes:
        renamed = {**plan.nodes, **plan.routed}
        other = {phase: node for phase, node in renamed.items() if phase != node}
        lines += [assignment("ENTRY", plan.definition.entry or ""), assignment("NODES", other)]
    return "\n".join(lines)


def _function(name: str, note: str, call: Call) -> str:
    source = literal(call, 4, len("return "))
    return (
        f"{comment(note)}\ndef {name}(model: Models) -> CompiledStateGraph:\n"
        f'    """Return the agent."""\n    return {source}'
    )


def _supervisor(call: Call) -> str:
    return (
        "def supervisor(model: Models) -> RunSupervisor:\n"
        '    """Return the supervisor for `supervised` of the module `supervision`."""\n'
        f"    return {literal(call, 4, len('return '))}"
    )


def _build(graph: list[Call]) -> str:
    lines = [f"    {literal(each, 4)}" for each in graph]
    return _BUILD + "\n".join([*lines, _COMPILE])


def _names(value: object) -> Iterator[str]:
    """Yield the names of functions and variables in an expression."""
    match value:
        case Code():
            yield value.source.partition(".")[0]
        case Call():
            yield value.function.partition(".")[0]
            yield from _names(value.positional)
            yield from _names(value.keywords.values())
        case Mapping():
            yield from _names(value.values())
        case str():
            return
        case Iterable():
            for each in value:
                yield from _names(each)
