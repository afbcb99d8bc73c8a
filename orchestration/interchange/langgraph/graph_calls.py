"""Nodes and edges of the graph: the statements of `build`."""

from __future__ import annotations

from orchestration.definition import Stage
from orchestration.interchange.langgraph.agent_calls import AgentCalls
from orchestration.interchange.langgraph.plan import Plan
from orchestration.interchange.project import uses_routing
from orchestration.interchange.python_code import Call, Code

_END, _START = Code("END"), Code("START")
_STAGES = Code("STAGES")


def graph_calls(plan: Plan, agents: AgentCalls) -> list[Call]:
    """Return the statements that add all nodes and edges; none without a node."""
    entry = plan.entry
    if entry is None:
        return []
    calls = [_start(plan, entry)]
    for node in agents.nodes:
        targets = list(dict.fromkeys(each.target for each in node.transfers))
        calls.append(_node(node.node, agents.of_stage(node.node)))
        calls.append(_edges(plan, node.node, node.stage, targets))
    for name, stage in plan.stages_of_kind("group"):
        after = plan.following(stage.phase)
        keywords = {"after": after} if after else {}
        served = Call("group_stage", [name, agents.group(stage)], keywords)
        calls += [_node(name, served), _edge(name, after)]
    for name, stage in plan.stages_of_kind("human"):
        after = None if plan.hands_over else plan.following(stage.phase)
        calls.append(_person(name, after))
    if plan.person is not None:
        calls.append(_person(plan.person, None))
    return calls


def _start(plan: Plan, entry: str) -> Call:
    """Return the first edge: to the active stage, by the rules, or always to the entry."""
    if not plan.hands_over:
        return Call("builder.add_edge", [_START, entry])
    if uses_routing(plan.definition):
        targets = Code("[*STAGES, END]")
        return Call("builder.add_conditional_edges", [_START, Code("first_stage"), targets])
    keywords = {"route_to": _STAGES, "default_active_agent": entry}
    return Call("add_active_agent_router", [Code("builder")], keywords)


def _edges(plan: Plan, node: str, stage: Stage | None, targets: list[str]) -> Call:
    if not plan.hands_over:
        return _edge(node, plan.following(stage.phase) if stage is not None else None)
    if not targets or plan.definition.on_handoff == "wait":
        return _edge(node, None)
    path = [*targets, _END]
    return Call("builder.add_conditional_edges", [node, Call("next_stage", [node]), path])


def _node(name: str, runnable: Call) -> Call:
    return Call("builder.add_node", [name, runnable])


def _edge(source: str, target: str | None) -> Call:
    return Call("builder.add_edge", [source, target or _END])


def _person(name: str, after: str | None) -> Call:
    keywords = {"after": after} if after else {}
    return _node(name, Call("human_stage", [name, _STAGES], keywords))
