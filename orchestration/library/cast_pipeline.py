"""The pipeline of a cast, in which agents and stages have the caller's names (contract D-8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestration.definition import Group, PipelineDefinition, Stage
from orchestration.events import Event
from orchestration.handoff import Filters
from orchestration.library.agent_set import Cast
from orchestration.messages import Message
from orchestration.state import ConversationState

_KEY_FIELDS = ("agent_id", "phase", "from_agent", "to_agent", "to_phase", "title")
"""Fields of events that contain keys of agents or stages."""


@dataclass(frozen=True)
class CastPipeline:
    """A pipeline to run, with the filters of its handoffs by source and target."""

    cast: Cast
    definition: PipelineDefinition
    """The definition with names. A name may be no valid key of a file."""
    filters: Filters
    _keyed: tuple[PipelineDefinition, Filters]
    """The definition with keys, for conversations recorded with keys."""

    @classmethod
    def of(
        cls, cast: Cast, definition: PipelineDefinition, filters: Filters | None = None
    ) -> CastPipeline:
        """Return the pipeline of a definition with keys."""
        keyed_filters = filters or {}
        named_filters = {
            (cast.name(source), cast.name(target)): filter_
            for (source, target), filter_ in keyed_filters.items()
        }
        named = with_names(definition, cast.names)
        return cls(cast, named, named_filters, (definition, keyed_filters))

    def for_recording(
        self,
        events: Sequence[Event],
        messages: Iterable[Message] = (),
        state: ConversationState | None = None,
    ) -> tuple[PipelineDefinition, Filters]:
        """Return the definition and filters that fit to a recorded conversation.

        Conversations that were recorded with keys in place of names continue with keys.
        """
        keys = self.cast.names.keys() - self.cast.agents.keys()
        if keys and _contains(keys, events, messages, state):
            return self._keyed
        return self.definition, self.filters


def with_names(definition: PipelineDefinition, names: Mapping[str, str]) -> PipelineDefinition:
    """Return a definition in which agents and stages have the names of their keys.

    The keys become aliases, so that a handoff to a key is accepted.
    """
    aliases = {key: name for key, name in names.items() if key != name}
    if not aliases:
        return definition

    def name(key: str) -> str:
        return names.get(key, key)

    return definition.model_copy(
        update={
            "agents": tuple(
                agent.model_copy(update={"id": name(agent.id)}) for agent in definition.agents
            ),
            "stages": tuple(_named_stage(stage, names) for stage in definition.stages),
            "transitions": tuple(
                each.model_copy(update={"source": name(each.source), "target": name(each.target)})
                for each in definition.transitions
            ),
            "entry": name(definition.entry or "") or None,
            "aliases": aliases,
        }
    )


def _named_stage(stage: Stage, names: Mapping[str, str]) -> Stage:
    agent_id = stage.agent_id and names.get(stage.agent_id, stage.agent_id)
    update = {"phase": names.get(stage.phase, stage.phase), "agent_id": agent_id}
    if stage.group is None:
        return stage.model_copy(update=update)
    return stage.model_copy(update=update | {"group": _named_group(stage.group, names)})


def _named_group(group: Group, names: Mapping[str, str]) -> Group:
    dependencies = {
        names[key]: tuple(names[member] for member in members)
        for key, members in group.dependencies.items()
    }
    agents = tuple(names[key] for key in group.agents)
    return group.model_copy(update={"agents": agents, "dependencies": dependencies})


def _contains(
    keys: Iterable[str],
    events: Sequence[Event],
    messages: Iterable[Message],
    state: ConversationState | None,
) -> bool:
    """Report whether a recorded conversation contains one of the keys."""
    old = set(keys)
    if state is not None and not old.isdisjoint((state.phase, state.active_agent_id)):
        return True
    if any(message.agent_id in old for message in messages):
        return True
    return any(getattr(event, field, None) in old for event in events for field in _KEY_FIELDS)
