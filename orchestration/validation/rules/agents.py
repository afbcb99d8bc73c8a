"""Rules about agents, and the names by which they are reached."""

from __future__ import annotations

from collections.abc import Iterator

from orchestration.definition import HUMAN
from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, error, json_path, warning


def agent_duplicate(draft: Draft) -> Iterator[Issue]:
    """An id belongs to one agent."""
    seen: set[str] = set()
    for index, agent in draft.agents:
        if agent.id in seen:
            yield error(
                "agent-duplicate",
                f"More than one agent has the id {agent.id!r}: give each its own.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].id",
            )
        seen.add(agent.id)


def agent_reserved(draft: Draft) -> Iterator[Issue]:
    """No agent goes by the name of the human (contract O-9)."""
    for index, agent in draft.agents:
        if agent.id == HUMAN:
            yield error(
                "agent-reserved",
                f"The id {HUMAN!r} stands for the human: give the agent {agent.name!r} another.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].id",
            )


def agent_idle(draft: Draft) -> Iterator[Issue]:
    """Every agent has something to do: a stage, a rule, or a duty for the whole pipeline."""
    definition = draft.definition
    serving = draft.phases_of.keys() | draft.groups_of.keys()
    busy = serving | draft.roving | {definition.supervisor_id}
    for index, agent in draft.agents:
        if agent.id not in busy:
            yield warning(
                "agent-idle",
                f"The agent {draft.called(agent.id)!r} serves no stage"
                f"{', and no routing rule names it' if draft.hands_over else ''}.",
                "agent",
                (agent.id,),
                f"$.agents[{index}]",
            )


def response_schema_invalid(draft: Draft) -> Iterator[Issue]:
    """Require a response schema to be a JSON Schema of an object."""
    for index, agent in draft.agents:
        schema = agent.response_schema
        fault = None if schema is None else schema_fault(schema)
        if fault is not None:
            yield error(
                "response-schema-invalid",
                f"The schema that the answers of {draft.called(agent.id)!r} follow is wrong:"
                f" {fault}",
                "agent",
                (agent.id,),
                f"$.agents[{index}].response_schema",
            )


def supervisor_unknown(draft: Draft) -> Iterator[Issue]:
    """The supervisor is an agent of this pipeline."""
    supervisor = draft.definition.supervisor_id
    if supervisor is not None and supervisor not in draft.definition.agents_by_id:
        yield error(
            "supervisor-unknown",
            f"The supervisor is {supervisor!r}, and there is no such agent.",
            "pipeline",
            (),
            "$.supervisor_id",
        )


def default_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """The default agent is an agent of this pipeline."""
    default = draft.definition.default_agent_id
    if default is not None and default not in draft.definition.agents_by_id:
        yield error(
            "default-agent-unknown",
            f"The default agent is {default!r}, and there is no such agent.",
            "pipeline",
            (),
            "$.default_agent_id",
        )


def alias_unknown(draft: Draft) -> Iterator[Issue]:
    """An alias stands for an agent of this pipeline, or for the human."""
    known = draft.definition.agents_by_id
    for alias, target in draft.definition.aliases.items():
        if target != HUMAN and target not in known:
            yield error(
                "alias-unknown",
                f"The alias {alias!r} stands for {target!r}, and there is no such agent.",
                "pipeline",
                (),
                json_path("aliases", alias),
            )
