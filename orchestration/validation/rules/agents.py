"""Rules about agents and their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import (
    Fix,
    Step,
    agent_names,
    choose_none,
    connect_stages,
    describe_object,
    pointing,
    removing,
)
from orchestration.validation.issues import Issue, error, json_path, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import SCHEMA, sketch


def agent_duplicate(draft: Draft) -> Iterator[Issue]:
    """Require unique ids of agents."""
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
    """Reserve the id of the human (contract O-9)."""
    for index, agent in draft.agents:
        if agent.id == HUMAN:
            yield error(
                "agent-reserved",
                f"The id {HUMAN!r} is reserved for the human: give the agent {agent.name!r}"
                " another id.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].id",
            )


def agent_idle(draft: Draft) -> Iterator[Issue]:
    """Require a stage, a routing rule or a role in the whole pipeline for every agent."""
    definition = draft.definition
    serving = draft.phases_of.keys() | draft.groups_of.keys()
    busy = serving | draft.routed_agents | {definition.supervisor_id}
    for index, agent in draft.agents:
        if agent.id not in busy:
            yield warning(
                "agent-idle",
                f"The agent {draft.agent_label(agent.id)!r} serves no stage"
                f"{', and no routing rule selects it' if draft.hands_over else ''}.",
                "agent",
                (agent.id,),
                f"$.agents[{index}]",
            )


def agent_name_shared(draft: Draft) -> Iterator[Issue]:
    """Require a name of its own for every agent; the first agent with a name keeps it."""
    for index, agent in draft.agents:
        first = draft.first_with_name[agent.name]
        if first != agent.id:
            yield warning(
                "agent-name-shared",
                f"The agents {first!r} and {agent.id!r} are both named {agent.name!r}, so people"
                " cannot distinguish them: rename one.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].name",
            )


def agent_uninstructed(draft: Draft) -> Iterator[Issue]:
    """Require instructions for every agent of a stage, once at least half of them have some.

    Before that, the pipeline is still being drawn, and its agents are not forgotten.
    """
    definition = draft.definition
    missing = frozenset(uninstructed_agents(definition))
    serving = draft.phases_of.keys() | draft.groups_of.keys()
    if len(missing) * 2 > len(serving & definition.agents_by_id.keys()):
        return
    for index, agent in enumerate(definition.agents):
        if agent.id in missing:
            yield warning(
                "agent-uninstructed",
                f"The agent {draft.agent_label(agent.id)!r} has no instructions, so its model does"
                " not know its task.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].instructions",
            )


def uninstructed_agents(definition: PipelineDefinition) -> list[str]:
    """Return the agents of stages that have no instructions, in order."""
    serving = {agent for stage in definition.stages for agent in stage.agent_ids}
    return [
        agent.id
        for agent in definition.agents
        if agent.id in serving and not agent.instructions.strip()
    ]


def response_schema_invalid(draft: Draft) -> Iterator[Issue]:
    """Require a response schema to be a JSON Schema of an object."""
    for index, agent in draft.agents:
        schema = agent.response_schema
        fault = None if schema is None else schema_fault(schema)
        if fault is not None:
            yield error(
                "response-schema-invalid",
                f"The response schema of {draft.agent_label(agent.id)!r} is wrong: {fault}",
                "agent",
                (agent.id,),
                f"$.agents[{index}].response_schema",
            )


def supervisor_unknown(draft: Draft) -> Iterator[Issue]:
    """Require the supervisor to be an agent of the pipeline."""
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
    """Require the default agent to be an agent of the pipeline."""
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
    """Require an alias to refer to an agent of the pipeline or to the human."""
    known = draft.definition.agents_by_id
    for alias, target in draft.definition.aliases.items():
        if target != HUMAN and target not in known:
            yield error(
                "alias-unknown",
                f"The alias {alias!r} refers to {target!r}, and there is no such agent.",
                "pipeline",
                (),
                json_path("aliases", alias),
            )


def _choose_no_supervisor(draft: Draft, issue: Issue) -> Fix:
    """Choose no supervisor, and end its supervision."""
    steps: list[Step] = [("set", issue.where.path, None)]
    if draft.definition.supervision is not None:
        steps.append(("set", "$.supervision", None))
    return Fix("Choose none", tuple(steps))


def _add_stage(draft: Draft, issue: Issue) -> Fix:
    """Add a stage that the agent serves, named after it: the entry, or after the entry."""
    (key,) = issue.where.keys
    definition, number = draft.definition, 1
    stem = key.removeprefix("agent-").lstrip("-_")[:56]
    phase = stem = "stage" if stem.isdecimal() else stem or "stage"
    taken = definition.stages_by_phase.keys() | (definition.agents_by_id.keys() - {key}) | {HUMAN}
    while phase in taken:
        number += 1
        phase = f"{stem}-{number}"
    steps: list[Step] = [("append", "$.stages", {"phase": phase, "agent_id": key})]
    if definition.entry is None:
        steps.append(("set", "$.entry", phase))
    else:
        connection = connect_stages(definition, definition.entry, phase)
        steps += connection.steps if connection else ()
    return Fix(f"Add the stage “{phase}”", tuple(steps))


def _number_name(draft: Draft, issue: Issue) -> Fix:
    """Add the next free number to the name of the agent."""
    (key,) = issue.where.keys
    stem, number = draft.agent_names[key][:110].rstrip(), 2
    while (name := f"{stem} {number}") in draft.first_with_name:
        number += 1
    return Fix(f"Rename it to “{name}”", (("set", issue.where.path, name),))


HELP: Mapping[str, RuleHelp] = {
    "agent-duplicate": RuleHelp(
        "Two agents with one id",
        "Stages, rules and handoffs refer to an agent by its id. Two agents with the same id cannot"
        " be distinguished.",
        "Give each agent its own id.",
        sketch("intake > review").model_copy(
            update={"agents": sketch("intake > review").agents + sketch("review").agents}
        ),
    ),
    "agent-reserved": RuleHelp(
        "An agent called human",
        "The id 'human' is reserved for the person who can take over. An agent with that id could"
        " never be reached.",
        "Give the agent another id.",
        sketch(
            "intake", stages={"intake": {"agent_id": "human"}}, agents={"human": {"name": "Clerk"}}
        ),
    ),
    "response-schema-invalid": RuleHelp(
        "An invalid response schema",
        "Each answer is checked against this JSON Schema. With a wrong schema every turn of the"
        " agent would fail.",
        "Correct the schema at the place in the message, or leave it empty for free text.",
        sketch("intake", agents={"agent-intake": {"response_schema": SCHEMA | {"type": "objekt"}}}),
        describe_object,
    ),
    "supervisor-unknown": RuleHelp(
        "A supervisor that does not exist",
        "The supervisor observes every message. This pipeline has no agent with that id.",
        "Choose another supervisor in the pipeline's settings, or none.",
        sketch("intake > review", supervisor_id="unknown"),
        pointing(agent_names, _choose_no_supervisor),
    ),
    "default-agent-unknown": RuleHelp(
        "A default agent that does not exist",
        "The default agent answers if no rule matches. This pipeline has no agent with that id.",
        "Choose another default agent in the pipeline's settings, or none.",
        sketch("intake > review", default_agent_id="unknown"),
        pointing(agent_names, choose_none),
    ),
    "alias-unknown": RuleHelp(
        "An alias without an agent",
        "An alias is another name for an agent or the human. This alias refers to neither.",
        "Delete the alias, or choose an agent for it.",
        sketch("intake > review", aliases={"refunds": "unknown"}),
        pointing(agent_names, removing("Delete the alias")),
    ),
    "agent-idle": RuleHelp(
        "An agent with nothing to do",
        "It serves no stage, no routing rule selects it, and it is not the supervisor.",
        "Give it a stage, or delete it.",
        sketch("intake > review", agents={"agent-spare": {"name": "Spare"}}),
        _add_stage,
        can_fix_all=True,
    ),
    "agent-name-shared": RuleHelp(
        "Two agents with one name",
        "Cards, lists and transcripts show agents by their names. Two agents with the same name"
        " cannot be told apart.",
        "Give each agent its own name.",
        sketch(
            "intake > review",
            agents={"agent-intake": {"name": "Clerk"}, "agent-review": {"name": "Clerk"}},
        ),
        _number_name,
    ),
    "agent-uninstructed": RuleHelp(
        "An agent without instructions",
        "Its model receives no task: it only sees the conversation, its tools and its handoffs.",
        "Write the agent's task in its instructions.",
        sketch("intake > review", agents={"agent-intake": {"instructions": "Greet the customer."}}),
        field="instructions",
    ),
}
"""Help of the rules, by the code of the issue."""
