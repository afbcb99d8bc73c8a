"""Random definitions with few names, and random changes, for property tests."""

from __future__ import annotations

from random import Random
from typing import Any

from orchestration.definition import (
    HUMAN,
    Agent,
    Comparison,
    Conditions,
    Cue,
    CueCall,
    CueHandoff,
    Group,
    Limits,
    PipelineDefinition,
    Rule,
    Stage,
    Supervision,
    Tool,
    Transition,
)
from orchestration.validation import ChangedParts

PHASES = ("desk", "billing", "review", "end", "ada", "loop")
AGENTS = ("ada", "bob", "cy", "dee")
NAMES = ("Ada", "Bob", "Billing", "End of day")
TOOLS = ("lookup", "handoff_conversation", "transfer_to_ada", "transfer_to_bob", "delegate_to_cy")
ANYONE = (*PHASES, *AGENTS, *NAMES, HUMAN, "friend")

KINDS = ("agents", "stages", "transitions", "rules", "tools")


def key_of(kind: str, part: Any) -> Any:
    """Return the key of a part."""
    match kind:
        case "stages":
            return part.phase
        case "transitions":
            return (part.source, part.target)
        case "tools":
            return part.name
        case _:
            return part.id


def some_part(kind: str, random: Random) -> Any:
    """Return a random part with frequent names."""
    pick = random.choice
    match kind:
        case "agents":
            return Agent(
                id=pick(AGENTS),
                name=pick(NAMES),
                instructions=pick(("", f"When done, hand over to {pick(ANYONE)}.", "A {{plan}}")),
                tools=tuple(random.sample(TOOLS, random.randrange(3))),
                cues=tuple(_cue(random) for _ in range(random.choice((0, 0, 1, 2)))),
            )
        case "stages":
            agent_id = pick((None, *AGENTS))
            form = pick(("agent", "agent", "agent", "group", "human"))
            alone = form == "agent" or random.random() < 0.1
            grouped = form == "group" or random.random() < 0.05
            return Stage(
                phase=pick(PHASES),
                kind=form,
                agent_id=agent_id if alone else None,
                group=_group(random) if grouped else None,
            )
        case "transitions":
            return Transition(
                source=pick(PHASES),
                target=pick(PHASES),
                kind=pick(("next", "return")),
                input_schema=pick((None, {"type": "object"}, {"type": "nothing"})),
                tool_name=pick((None, None, *TOOLS)),
            )
        case "rules":
            row = Comparison(field="state.phase", operator="is", value=pick(PHASES))
            agent_row = Comparison(field="state.active_agent_id", operator="is", value=pick(ANYONE))
            phases = pick((None, None, (), (pick(PHASES), pick(PHASES))))
            variable_row = Comparison(field="variables.plan", value="pro")
            rows = pick(((), (row,), (agent_row,), (variable_row,)))
            return Rule(
                id=pick(("r1", "r2", "r3")),
                agent_id=pick(AGENTS),
                priority=random.randrange(3),
                conditions=Conditions(phases=phases, rows=rows),
            )
        case _:
            form = pick(("function", "subtask"))
            return Tool(name=pick(TOOLS), kind=form, pipeline=pick((None, "Other")))


def some_definition(random: Random) -> PipelineDefinition:
    """Return a random definition with unique keys and possibly missing references."""
    parts = {kind: [some_part(kind, random) for _ in range(8)] for kind in KINDS}
    distinct = {k: {key_of(k, part): part for part in entries} for k, entries in parts.items()}
    return PipelineDefinition(
        name="Some",
        **{kind: tuple(entries.values()) for kind, entries in distinct.items()},
        **{name: some(random) for name, some in _SETTINGS.items()},
    )


def changed(
    definition: PipelineDefinition, random: Random
) -> tuple[PipelineDefinition, ChangedParts]:
    """Return the definition with a few random changes, and the changed parts."""
    fields = {name: getattr(definition, name) for name in PipelineDefinition.model_fields}
    touched: dict[str, set[Any]] = {}
    for _ in range(random.randrange(1, 4)):
        if random.random() < 0.15:
            name = random.choice(tuple(_SETTINGS))
            fields[name] = _SETTINGS[name](random)
            touched.setdefault("settings", set()).add(name)
            continue
        kind = random.choice(KINDS)
        parts = {key_of(kind, part): part for part in fields[kind]}
        if parts and random.random() < 0.4:
            key = random.choice(tuple(parts))
            del parts[key]
        else:
            part = some_part(kind, random)
            key = key_of(kind, part)
            parts[key] = part
        fields[kind] = tuple(parts.values())
        touched.setdefault(kind, set()).add(key)
    return PipelineDefinition(**fields), ChangedParts(**touched)


def _cue(random: Random) -> Cue:
    pick = random.choice
    handoff = CueHandoff(
        target=pick((*ANYONE[:10], *NAMES[:4], "friend", HUMAN)), phase=pick((None, *PHASES))
    )
    return Cue(
        after_handoff_from=pick((None, *PHASES, *AGENTS)),
        in_phase=pick((None, *PHASES)),
        call=pick((None, CueCall(tool=pick(TOOLS)))),
        hand_over=pick((None, handoff)),
    )


def _group(random: Random) -> Group:
    members = tuple(random.sample(AGENTS, random.randrange(1, 4)))
    dependencies = {
        random.choice(AGENTS): (random.choice(AGENTS),) for _ in range(random.randrange(3))
    }
    return Group(agents=members, dependencies=dependencies)


SUPERVISIONS = (
    None,
    Supervision(),
    Supervision(ask_at=("run_end",)),
    Supervision(ask_at=("handoff",), may=("note", "redirect")),
)

_SETTINGS: dict[str, Any] = {
    "topology": lambda random: random.choice(("pipeline", "pipeline", "swarm", "workflow", "team")),
    "entry": lambda random: random.choice((None, *PHASES)),
    "default_agent_id": lambda random: random.choice((None, None, *AGENTS)),
    "supervisor_id": lambda random: random.choice((None, None, *AGENTS)),
    "supervision": lambda random: random.choice(SUPERVISIONS),
    "variables": lambda random: random.choice(({}, {"plan": "basic"})),
    "aliases": lambda random: random.choice(({}, {"friend": random.choice(AGENTS)})),
    "allow_human": lambda random: random.random() < 0.7,
    "limits": lambda random: Limits(max_handoffs=random.randrange(4)),
    "handoff_tool_name": lambda random: random.choice((None, None, *TOOLS)),
}
