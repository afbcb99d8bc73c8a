"""Parts of a definition that must be checked again after a change.

A rule about a part depends on the part, its neighbours and the parts that it names. The issues of a
part can therefore change only if one of these has changed. The focus contains all such parts, and
some without a difference; a property test checks that none is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from orchestration.definition import Agent, PipelineDefinition, Rule, Stage
from orchestration.handoff import plain_name
from orchestration.validation.changed_parts import ChangedParts, Focus
from orchestration.validation.rules.cue_rules import names_in_cues
from orchestration.validation.rules.prompts import named_targets, normal_name

_GLOBAL_SETTINGS = {"topology", "allow_human", "handoff_tool_name", "aliases", "variables"}
"""Settings that affect all parts."""


def focus_after(
    was: PipelineDefinition, now: PipelineDefinition, touched: ChangedParts
) -> Focus | None:
    """Return the parts whose issues may differ after a change; None for all parts."""
    affects_all = not _GLOBAL_SETTINGS.isdisjoint(touched.settings)
    if affects_all or (now.topology == "team" and _may_change_lead(now, touched)):
        return None
    return _Surroundings(was, now, touched).focus()


def _may_change_lead(now: PipelineDefinition, touched: ChangedParts) -> bool:
    """Report whether the lead of a team changes or may disappear."""
    return "entry" in touched.settings or now.entry in touched.stages


class _Surroundings:
    """Neighbours of changed parts, before and after the change."""

    def __init__(
        self, was: PipelineDefinition, now: PipelineDefinition, touched: ChangedParts
    ) -> None:
        self._both, self._touched = (was, now), touched
        self._renamed = self._renamed_agents()

    def focus(self) -> Focus:
        touched = self._touched
        changed = {*touched.stages, *self._served_by(self._renamed)}
        stages = changed | self._leading_to(changed)
        stages.update(phase for ends in touched.transitions for phase in ends)
        agents = {*touched.agents, *self._renamed, *self._agents_of(stages)}
        agents.update(self._chosen_agents(), self._agents_with_tools(touched.tools))
        others = {*self._renamed, *self._agents_of(touched.stages)}
        agents.update(self._agents_naming(others, stages), self._routed_agents())
        return Focus(agents, stages, {*touched.rules, *self._rules_about(others)}, {*touched.tools})

    def _renamed_agents(self) -> set[str]:
        """Return the agents that were added, deleted or renamed, and those with the same name."""
        changed: set[str] = set()
        names: set[str] = set()
        was, now = (definition.agents_by_id for definition in self._both)
        for key in self._touched.agents:
            own_names = {agent.name for known in (was, now) if (agent := known.get(key))}
            if len(own_names) > 1 or (key in was) != (key in now):
                changed.add(key)
                names |= own_names
        if not changed:
            return changed
        return changed.union(
            *([a.id for a in definition.agents if a.name in names] for definition in self._both)
        )

    def _stages(self, phases: Iterable[str]) -> list[Stage]:
        known = [definition.stages_by_phase for definition in self._both]
        return [stages[phase] for phase in phases for stages in known if phase in stages]

    def _agents_of(self, phases: Iterable[str]) -> set[str]:
        """Return the agents that serve stages."""
        agents: set[str] = set()
        for stage in self._stages(phases):
            if stage.agent_id is not None:
                agents.add(stage.agent_id)
            if stage.group is not None:
                agents.update(stage.group.agents)
        return agents

    def _served_by(self, agents: Collection[str]) -> set[str]:
        """Return the stages that name any of the agents."""
        return {
            stage.phase
            for definition in self._both
            for stage in (definition.stages if agents else ())
            if stage.agent_id in agents
            or (
                stage.group is not None
                and (stage.group.dependencies or not set(stage.group.agents).isdisjoint(agents))
            )
        }

    def _leading_to(self, phases: Collection[str]) -> set[str]:
        return {
            transition.source
            for definition in self._both
            for transition in (definition.transitions if phases else ())
            if transition.target in phases
        }

    def _chosen_agents(self) -> set[str]:
        """Return the agents chosen by changed rules or settings, before and after the change."""
        chosen: set[str | None] = set()
        for definition in self._both:
            if self._touched.rules:
                rules = self._touched.rules
                chosen.update([rule.agent_id for rule in definition.rules if rule.id in rules])
            if self._touched.settings:
                chosen.update((definition.default_agent_id, definition.supervisor_id))
        return {agent_id for agent_id in chosen if agent_id is not None}

    def _agents_with_tools(self, tools: Collection[str]) -> list[str]:
        """Return the agents with any of the tools."""
        agents = self._both[1].agents if tools else ()
        return [agent.id for agent in agents if not set(agent.tools).isdisjoint(tools)]

    def _routed_agents(self) -> set[str]:
        """Return the agents with cues that routing may select in any stage."""
        if not (self._touched.stages or self._touched.transitions or self._touched.agents):
            return set()
        now = self._both[1]
        chosen = {now.default_agent_id, *[rule.agent_id for rule in now.rules]}
        known = now.agents_by_id
        return {key for key in chosen if key is not None and key in known and known[key].cues}

    def _agents_naming(self, others: Collection[str], stages: Collection[str]) -> list[str]:
        """Return the agents whose cues or instructions name any of the agents or stages."""
        if not (others or stages):
            return []
        agents = self._agents(others)
        names = {*others, *self._touched.stages}
        aliases = self._both[1].aliases.items()
        names.update([alias for alias, target in aliases if target in names])
        cue_names = {*map(plain_name, (*names, *stages, *(agent.name for agent in agents)))}
        prompt_names = {normal_name(name) for name in (*names, *(agent.name for agent in agents))}
        return [
            agent.id
            for agent in self._both[1].agents
            if (agent.cues and not cue_names.isdisjoint(map(plain_name, names_in_cues(agent))))
            or (
                agent.instructions
                and not prompt_names.isdisjoint(named_targets(agent.instructions))
            )
        ]

    def _agents(self, keys: Iterable[str]) -> list[Agent]:
        known = [definition.agents_by_id for definition in self._both]
        return [agents[key] for key in keys for agents in known if key in agents]

    def _rules_about(self, others: Collection[str]) -> list[str]:
        """Return the routing rules with conditions on changed stages, or with any of the agents."""
        names = {*others, *self._touched.stages}
        rules = self._both[1].rules if names else ()
        return [rule.id for rule in rules if _refers_to(rule, names)]


def _refers_to(rule: Rule, names: Collection[str]) -> bool:
    conditions = rule.conditions
    return bool(
        rule.agent_id in names
        or conditions.rows
        or (conditions.phases and not set(conditions.phases).isdisjoint(names))
    )
