"""The pipeline of a cast, in which agents and stages have the caller's names (contract D-8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition
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
    """The definition with names. A name may be no valid key of a file, which then has the key."""
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
        named = _with_names(definition, cast.names)
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


def _with_names(definition: PipelineDefinition, names: Mapping[str, str]) -> PipelineDefinition:
    """Return a definition in which agents and stages have the names of their keys.

    The keys become aliases, so that a handoff to a key is accepted.
    """
    aliases = {key: name for key, name in names.items() if key != name}
    if not aliases:
        return definition
    return definition.with_names(names).model_copy(update={"aliases": aliases})


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
