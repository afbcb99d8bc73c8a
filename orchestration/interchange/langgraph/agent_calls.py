"""Calls of `create_agent`: model, tools, instructions and middleware of each agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from orchestration.definition import Agent, InputFilter, Stage, variable_references
from orchestration.interchange.langgraph.plan import AgentNode, Plan, Transfer
from orchestration.interchange.project import ToolNames
from orchestration.interchange.python_code import Call, Code, identifiers
from orchestration.prompts import joined, system_parts

MODEL = Code("model")
_DECISIONS: Final = ("approve", "edit", "reject")


class AgentCalls:
    """Functions of the module that build the agents, by node, and by member of a group."""

    def __init__(self, plan: Plan, tools: Mapping[str, ToolNames], taken: Iterable[str]) -> None:
        self.plan = plan
        self.tools = tools
        self.nodes = plan.agent_nodes
        self.workers = plan.worker_nodes()
        used = list(taken)
        single = [*self.nodes, *self.workers]
        self._stages = identifiers([each.node for each in single], used)
        used += self._stages.values()
        self._members = identifiers(plan.group_members(), used)

    def of_stage(self, node: str) -> Call:
        """Return the call of the function for a stage."""
        return Call(self._stages[node], [MODEL])

    def of_member(self, agent_id: str) -> Call:
        """Return the call of the function for a member of a group."""
        return Call(self._members[agent_id], [MODEL])

    def functions(self) -> Iterator[tuple[str, str, Call]]:
        """Yield the name of each function, a note on it, and the call that it returns."""
        agents = self.plan.definition.agents_by_id
        for each in self.nodes:
            note = f"Stage {each.node}: {each.agent.name} ({each.agent.id})."
            yield self._stages[each.node], note, self._create(each, self._flow(each))
        for each in self.workers:
            note = f"Stage {each.node}: {each.agent.name} ({each.agent.id})."
            yield self._stages[each.node], note, self._create(each, [_limit()])
        for agent_id, name in self._members.items():
            agent = agents[agent_id]
            node = AgentNode(agent_id, agent, None)
            yield name, f"Member: {agent.name} ({agent.id}).", self._create(node, [_limit()])

    def supervisor(self) -> Call | None:
        """Return the supervisor with its model, or None if it is never called."""
        definition = self.plan.definition
        agent = definition.agents_by_id.get(definition.supervisor_id or "")
        settings = definition.supervision
        if agent is None or settings is None or not settings.ask_at:
            return None
        keywords = {"ask_at": list(settings.ask_at), "max_calls": settings.max_calls}
        return Call(
            "RunSupervisor", [_model(agent), self._prompt(AgentNode("", agent, None))], keywords
        )

    def _create(self, node: AgentNode, flow: Sequence[Call]) -> Call:
        agent = node.agent
        keywords: dict[str, object] = {}
        if prompt := self._prompt(node):
            keywords["system_prompt"] = prompt
        middleware = [*flow, *self._settings(agent, prompt)]
        if middleware:
            keywords["middleware"] = middleware
        if agent.response_schema is not None:
            keywords["response_format"] = Call("ProviderStrategy", [agent.response_schema])
        keywords["name"] = node.node
        return Call("create_agent", [_model(agent), self._tools(node)], keywords)

    def _prompt(self, node: AgentNode) -> str:
        """Return the prompt of an agent as in Baton, without the base outside of the stages."""
        definition, agent = self.plan.definition, node.agent
        if node.stage is not None:
            phase: str | None = node.stage.phase
        else:
            phase = definition.entry if self.plan.routed.get(agent.id) == node.node else None
        passing = [each.tool for each in node.transfers]
        if definition.topology == "team" and node.node == self.plan.entry:
            passing = [tool for tool, _, _ in self.plan.delegations()]
        values = [
            each for each in variable_references(agent.instructions) if each in definition.variables
        ]
        parts = system_parts(agent, phase or "", node.stage, definition.topology, passing, values)
        return joined(parts if phase else parts[1:])

    def _tools(self, node: AgentNode) -> list[object]:
        known = self.plan.definition.tools_by_name
        own = [Code(f"tools.{self.tools[each].tool}") for each in node.agent.tools if each in known]
        if self.plan.definition.topology != "team" or node.node != self.plan.entry:
            return [*own]
        return [*own, *map(self._delegation, self.plan.delegations())]

    def _delegation(self, found: tuple[str, str, Stage]) -> Call:
        tool, description, stage = found
        return Call("delegation_tool", [tool, description, self.colleague(stage)])

    def colleague(self, stage: Stage) -> Call:
        """Return the agent or the group of a stage as a worker."""
        if stage.kind == "agent":
            return Call("worker", [self.of_stage(stage.phase)])
        return self.group(stage)

    def group(self, stage: Stage) -> Call:
        """Return the group of a stage."""
        members = [each.id for each in self.plan.members(stage)]
        needs, chained = self.plan.needs(stage)
        arguments: list[object] = [{each: self.of_member(each) for each in members}, needs]
        return Call("group", arguments, {"chained": True} if chained else {})

    def _flow(self, node: AgentNode) -> list[Call]:
        """Return the middleware for the place of a stage in the graph."""
        definition = self.plan.definition
        if definition.topology == "workflow" and node.stage is not None:
            sources = self.plan.inputs(node.stage.phase)
            return [Call("InputMiddleware", [node.node, sources]), _limit()]
        if not self.plan.hands_over:
            return [_limit()]
        limits: dict[str, object] = {
            "max_turns": Code("MAX_TURNS"),
            "max_handoffs": Code("MAX_HANDOFFS"),
        }
        if self.plan.detects_cycles:
            limits["detects_cycles"] = True
        if names := self.plan.names(node):
            limits["names"] = names
        handoffs = [_handoff(each) for each in node.transfers]
        flow = [Call("HandoffMiddleware", [node.node, handoffs], limits)]
        filters = self.plan.filters(node.stage.phase) if node.stage is not None else {}
        if filters:
            kept = {source: _filter(each.input_filter) for source, each in filters.items()}
            flow.append(Call("FilterMiddleware", [node.node, kept]))
        return flow

    def _settings(self, agent: Agent, prompt: str) -> list[Call]:
        """Return the middleware for the settings of an agent."""
        definition = self.plan.definition
        known = definition.tools_by_name
        settings: list[Call] = []
        if variable_references(prompt):
            settings.append(Call("VariableMiddleware", [Code("VARIABLES")]))
        if agent.tool_choice != "auto":
            choice = "any" if agent.tool_choice == "required" else "none"
            settings.append(Call("ToolChoiceMiddleware", [choice]))
        approved = [each for each in agent.tools if each in known and known[each].approval]
        if approved:
            decisions = {each: {"allowed_decisions": list(_DECISIONS)} for each in approved}
            settings.append(Call("HumanInTheLoopMiddleware", [decisions]))
        if agent.fallback is not None:
            settings.append(Call("ModelFallbackMiddleware", [_model(agent.with_fallback())]))
        return settings


def _limit() -> Call:
    return Call("ModelCallLimitMiddleware", (), {"run_limit": Code("MAX_TURNS")})


def _model(agent: Agent) -> Call:
    settings: dict[str, Any] = {
        "provider": agent.provider if agent.provider != "default" else None,
        "model": agent.model or None,
        "temperature": agent.temperature,
        "max_tokens": agent.max_output_tokens,
        "reasoning_effort": agent.reasoning_effort,
        "timeout": agent.time_limit,
        "max_retries": agent.retries,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    return Call("model", [agent.id], chosen)


def _handoff(transfer: Transfer) -> Call:
    keywords: dict[str, object] = {
        "tool": transfer.tool,
        "target": transfer.target,
        "description": transfer.description,
    }
    if transfer.typed:
        keywords["schema"] = transfer.schema
    return Call("StageHandoff", (), keywords)


def _filter(declared: InputFilter) -> Code | Call:
    match declared.keep:
        case "last":
            return Call("keep_last", [declared.count])
        case "summary":
            return Code("keep_summary")
        case "matching":
            return Call("keep_matching", [declared.expression or ""])
        case _:
            return Code("keep_no_tools")
