"""Parts of a definition that must be checked again after a change.

A rule about one part asks about that part, about those next to it, and about whom it names. So a
finding can only be another where one of these is: the focus holds every such part, and some that
turn out as they were. That it holds enough is a law, tested with any definition and any change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from orchestration.definition import Agent, PipelineDefinition, Rule, Stage
from orchestration.validation.changed_parts import Focus, Touched
from orchestration.validation.rules.cue_rules import names_in_cues
from orchestration.validation.rules.prompts import spoken, told_of

_EVERYWHERE = {"topology", "allow_human", "handoff_tool_name", "aliases"}
"""The settings that matter to any part."""


def focus_after(was: PipelineDefinition, now: PipelineDefinition, touched: Touched) -> Focus | None:
    """The parts of which a rule may find something else now; None: all of them."""
    turned = not _EVERYWHERE.isdisjoint(touched.settings)
    if turned or (now.topology == "team" and _leads_otherwise(now, touched)):
        return None
    return _Surroundings(was, now, touched).focus()


def _leads_otherwise(now: PipelineDefinition, touched: Touched) -> bool:
    """Report whether the lead of a team changes or may disappear."""
    return "entry" in touched.settings or now.entry in touched.stages


class _Surroundings:
    """Two definitions that follow one another, and what is said of both."""

    def __init__(self, was: PipelineDefinition, now: PipelineDefinition, touched: Touched) -> None:
        self._both, self._touched = (was, now), touched
        self._called = self._called_otherwise()

    def focus(self) -> Focus:
        touched = self._touched
        moved = {*touched.stages, *self._served_by(self._called)}
        stages = moved | self._leading_to(moved)
        stages.update(phase for ends in touched.transitions for phase in ends)
        agents = {*touched.agents, *self._called, *self._servants(stages)}
        agents.update(self._picked(), self._having(touched.tools))
        others = {*self._called, *self._servants(touched.stages)}
        agents.update(self._naming(others, stages), self._roving())
        return Focus(agents, stages, {*touched.rules, *self._asking(others)}, {*touched.tools})

    def _called_otherwise(self) -> set[str]:
        """The agents that came, went, or go by another name, and those that share it."""
        changed: set[str] = set()
        names: set[str] = set()
        was, now = (definition.agents_by_id for definition in self._both)
        for key in self._touched.agents:
            found = {agent.name for known in (was, now) if (agent := known.get(key))}
            if len(found) > 1 or (key in was) != (key in now):
                changed.add(key)
                names |= found
        if not changed:
            return changed
        return changed.union(*([a.id for a in one.agents if a.name in names] for one in self._both))

    def _stages(self, phases: Iterable[str]) -> list[Stage]:
        known = [definition.stages_by_phase for definition in self._both]
        return [stages[phase] for phase in phases for stages in known if phase in stages]

    def _servants(self, phases: Iterable[str]) -> set[str]:
        """Return the agents that serve stages."""
        found: set[str] = set()
        for stage in self._stages(phases):
            if stage.agent_id is not None:
                found.add(stage.agent_id)
            if stage.group is not None:
                found.update(stage.group.agents)
        return found

    def _served_by(self, agents: Collection[str]) -> set[str]:
        """The stages that name any of the agents."""
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
            way.source
            for definition in self._both
            for way in (definition.transitions if phases else ())
            if way.target in phases
        }

    def _picked(self) -> set[str]:
        """The agents that routing picks, or the supervisor is, and others before."""
        found: set[str | None] = set()
        for definition in self._both:
            if self._touched.rules:
                rules = self._touched.rules
                found.update([rule.agent_id for rule in definition.rules if rule.id in rules])
            if self._touched.settings:
                found.update((definition.default_agent_id, definition.supervisor_id))
        return {agent_id for agent_id in found if agent_id is not None}

    def _having(self, tools: Collection[str]) -> list[str]:
        """The agents that have any of the tools."""
        agents = self._both[1].agents if tools else ()
        return [agent.id for agent in agents if not set(agent.tools).isdisjoint(tools)]

    def _roving(self) -> set[str]:
        """Agents that may answer in any stage, where what they do there depends on all of them."""
        if not (self._touched.stages or self._touched.transitions or self._touched.agents):
            return set()
        now = self._both[1]
        chosen = {now.default_agent_id, *[rule.agent_id for rule in now.rules]}
        known = now.agents_by_id
        return {key for key in chosen if key is not None and key in known and known[key].cues}

    def _naming(self, others: Collection[str], stages: Collection[str]) -> list[str]:
        """The agents whose cues or instructions name any of the agents or stages."""
        if not (others or stages):
            return []
        agents = self._agents(others)
        names = {*others, *self._touched.stages}
        aliases = self._both[1].aliases.items()
        names.update([alias for alias, target in aliases if target in names])
        cued = names.union(stages)
        said = {spoken(name) for name in (*names, *(agent.name for agent in agents))}
        return [
            agent.id
            for agent in self._both[1].agents
            if (agent.cues and not cued.isdisjoint(names_in_cues(agent)))
            or (agent.instructions and not said.isdisjoint(told_of(agent.instructions)))
        ]

    def _agents(self, keys: Iterable[str]) -> list[Agent]:
        known = [definition.agents_by_id for definition in self._both]
        return [agents[key] for key in keys for agents in known if key in agents]

    def _asking(self, others: Collection[str]) -> list[str]:
        """The routing rules that ask for touched stages, or pick any of the agents."""
        names = {*others, *self._touched.stages}
        rules = self._both[1].rules if names else ()
        return [rule.id for rule in rules if _asks_for(rule, names)]


def _asks_for(rule: Rule, names: Collection[str]) -> bool:
    conditions = rule.conditions
    return bool(
        rule.agent_id in names
        or conditions.rows
        or (conditions.phases and not set(conditions.phases).isdisjoint(names))
    )
