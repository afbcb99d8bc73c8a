"""What a pipeline is: the one currency of Baton.

The editor edits a `PipelineDefinition`, the rules check it, the engine runs it, and the file holds
it. It is frozen and hashable where its parts are, so a change is always a new value. It may be
*wrong* (a transition to a stage that is not there): that is for `orchestration.validation` to say.
It is never *malformed*: unknown fields, over-long strings and over-full lists are refused here.

Every collection has a canonical order, so that a diff in Git shows only what changed. Only inside
free JSON (a tool's parameters, a call's arguments) the author's order stays: a model writes its
arguments in the order in which the schema names them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)

FORMAT: Final = "baton.pipeline"
VERSION: Final = 1

HUMAN = "human"
"""The handoff target that is nobody's agent (row O-9). No agent may take this key."""

KEY_PATTERN = r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$"
TOOL_NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$"

MAX_AGENTS = 500
MAX_STAGES = 2_000
MAX_TRANSITIONS = 8_000
MAX_RULES = 500
MAX_TOOLS = 500
MAX_CUES = 100
MAX_GROUP = 50
MAX_NOTES = 500
MAX_COMPARISONS = 50
MAX_TEXT = 32_000

Key = Annotated[str, StringConstraints(pattern=KEY_PATTERN)]
"""A slug a person can read (`agent-triage`, `intake`): 1 to 64 of a-z, 0-9, `-` and `_`."""

ToolName = Annotated[str, StringConstraints(pattern=TOOL_NAME_PATTERN)]
"""A tool's name as models accept it: 1 to 64 letters, digits, `_` and `-`."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Line = Annotated[str, StringConstraints(max_length=500)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]


def _plain_number(number: float) -> float | int:
    return int(number) if number.is_integer() else number


Coordinate = Annotated[
    float,
    Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False),
    PlainSerializer(_plain_number, return_type=float | int, when_used="json"),
]
"""CSS pixels; a whole number is written as one (`60`, not `60.0`)."""

NoteWidth = Annotated[
    float,
    Field(ge=40, le=2_000, allow_inf_nan=False),
    PlainSerializer(_plain_number, return_type=float | int, when_used="json"),
]

Part = TypeVar("Part")


def in_order(key: Callable[[Any], Any]) -> AfterValidator:
    """A validator that puts a tuple into its canonical order, by `key`."""

    def arrange(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(sorted(parts, key=key))

    return AfterValidator(arrange)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _by_key(entries: dict[str, Part]) -> dict[str, Part]:
    return dict(sorted(entries.items()))


Keys = Annotated[tuple[Key, ...], Field(max_length=500), AfterValidator(_distinct)]
Words = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=120)], ...],
    Field(max_length=200),
    AfterValidator(_distinct),
]


Topology = Literal["pipeline", "workflow", "team", "swarm"]


class Frozen(BaseModel):
    """A value: immutable, and closed to fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class CueCall(Frozen):
    """A tool call that a scripted agent makes."""

    tool: ToolName
    arguments: dict[str, Any] = Field(default_factory=dict)


class CueHandoff(Frozen):
    """A handoff that a scripted agent asks for."""

    target: Key
    """An agent's id, an alias, or `human`."""
    phase: Key | None = None
    """The stage meant, where the target serves several."""
    reason: Line = ""
    summary: Line = ""


class Cue(Frozen):
    """What a scripted agent does when a message matches: say, call a tool, hand over.

    The first cue that matches plays. `when` holds words or phrases, any of which must occur in the
    message as whole words, whatever their case; none at all means any message. A cue with
    `after_handoff_from` plays only when the conversation has just come from that agent.
    """

    when: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    after_handoff_from: Key | None = None
    in_phase: Key | None = None
    """Only while the agent serves this stage."""
    say: Text = ""
    call: CueCall | None = None
    hand_over: CueHandoff | None = None


class Agent(Frozen):
    """Who answers: a name, instructions, a provider and model, tools."""

    id: Key
    name: Name
    instructions: Text = ""
    provider: Key = "default"
    """The name of a provider on the server; `default` is the one the server was started with."""
    model: Annotated[str, StringConstraints(max_length=200)] = ""
    """The vendor's name of the model; empty: the provider's own default."""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    tools: Annotated[
        tuple[ToolName, ...], Field(max_length=MAX_TOOLS), AfterValidator(_distinct)
    ] = ()
    cues: Annotated[tuple[Cue, ...], Field(max_length=MAX_CUES)] = ()
    """How the scripted provider plays the agent, in order of precedence."""


class Group(Frozen):
    """Several agents that serve one stage together (row H-9)."""

    agents: Annotated[
        tuple[Key, ...], Field(min_length=1, max_length=MAX_GROUP), AfterValidator(_once)
    ]
    """Its members in the order of registration, each once."""
    parallel: bool = True
    """Whether all answer the same input at once; else each in its turn."""
    dependencies: Annotated[
        dict[Key, Keys], Field(max_length=MAX_GROUP), AfterValidator(_by_key)
    ] = Field(default_factory=dict)
    """For a member, the members whose outputs it is given: they answer before it."""


class Stage(Frozen):
    """A place in the design, which an agent, a group or the human serves. Its key is the phase."""

    phase: Key
    kind: Literal["agent", "group", "human"] = "agent"
    agent_id: Key | None = None
    """Who serves an `agent` stage; None while nobody is chosen yet. Others have none."""
    group: Group | None = None
    """Who serves a `group` stage; None while nobody is chosen yet. Others have none."""
    description: Text = ""

    @property
    def agent_ids(self) -> tuple[str, ...]:
        """Every agent that serves it: the one, all of the group, or none."""
        match self.kind:
            case "agent":
                return (self.agent_id,) if self.agent_id is not None else ()
            case "group":
                return self.group.agents if self.group is not None else ()
            case "human":
                return ()


class InputFilter(Frozen):
    """What the target of a handoff is shown of the conversation so far (row S-4)."""

    keep: Literal["full", "last", "summary", "no_tools", "matching"] = "full"
    """All of it; the last messages; only the user's question and the handoff's own words; all
    but tools' calls and results; or the messages for which `expression` holds."""
    count: Annotated[int, Field(ge=1, le=1_000)] = 10
    """How many messages `last` keeps."""
    expression: Annotated[str, StringConstraints(max_length=1_000)] | None = None
    """For `matching`: a CEL expression over `message`, `payload` and `state`."""


class Transition(Frozen):
    """An allowed edge from stage to stage: the one `next`, or a `return` (`can_return_to`)."""

    source: Key
    target: Key
    kind: Literal["next", "return"] = "next"
    description: Line = ""
    """When to take it: part of the handoff tool the model sees."""
    input_schema: dict[str, Any] | None = None
    """A JSON Schema of what the target needs to be told (row S-3). With one, the transition has a
    tool of its own, whose arguments are checked against it; None: the one tool of all handoffs."""
    tool_name: ToolName | None = None
    """The name of that tool; None: `transfer_to_` and the target's key."""
    input_filter: InputFilter = InputFilter()


ComparedField = Literal[
    "event.text",
    "event.channel_type",
    "event.intent",
    "event.source_channel_id",
    "conversation.messages",
    "state.phase",
    "state.active_agent_id",
    "state.handoff_count",
    "state.channel",
]
"""What a comparison may look at. `conversation.messages` and `state.handoff_count` are numbers."""

Operator = Literal[
    "is", "is_not", "contains", "starts_with", "ends_with", "one_of", "at_least", "at_most"
]


class Comparison(Frozen):
    """One row of a condition: a field, an operator, a value."""

    field: ComparedField
    operator: Operator = "is"
    value: Line | int | Words = ""
    """A text, a whole number for the numeric fields, or for `one_of` a list of texts. Words are
    compared without their case."""


class Conditions(Frozen):
    """What a routing rule asks, ANDed (row O-4). None: any. Empty: never."""

    phases: Keys | None = None
    channel_types: Words | None = None
    intents: Words | None = None
    source_channel_ids: Words | None = None
    match: Literal["all", "any", "not"] = "all"
    """How many of the rows must hold: all of them, any, or none."""
    rows: Annotated[tuple[Comparison, ...], Field(max_length=MAX_COMPARISONS)] = ()
    """Comparisons; without any, nothing is compared."""
    custom: Annotated[str, StringConstraints(max_length=1_000)] | None = None
    """A CEL expression over `event`, `conversation` and `state`, asked last."""


class Rule(Frozen):
    """A routing rule: the agent that answers where the conditions hold. Lowest priority first."""

    id: Key
    agent_id: Key
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    conditions: Conditions = Conditions()


class ToolExample(Frozen):
    """One answer of a stand-in tool: given when a call has at least these arguments."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Text


class Tool(Frozen):
    """A tool that agents may call. To a model all kinds look alike (row T-8)."""

    name: ToolName
    kind: Literal["function", "subtask", "user_input"] = "function"
    """What answers a call: a function, whose examples stand in until it exists; another pipeline,
    in a conversation of its own (row T-9); or the user, who is asked (row T-10)."""
    description: Line = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """A JSON Schema of the arguments."""
    pipeline: Name | None = None
    """The name of the pipeline that answers a subtask; None: the one its hints match best."""
    template_hints: Words = ()
    """Words by which a pipeline for the subtask is found, where it is not named."""
    examples: Annotated[tuple[ToolExample, ...], Field(max_length=100)] = ()


class Limits(Frozen):
    """What one run may spend. A limit of N allows exactly N (rows T-4 and decision 1)."""

    max_turns: Annotated[int, Field(ge=1, le=1_000)] = 24
    max_handoffs: Annotated[int, Field(ge=0, le=1_000)] = 8
    max_context_tokens: Annotated[int, Field(ge=100, le=10_000_000)] = 128_000
    count_handoffs: Literal["completed", "requested"] = "completed"
    """Which handoffs count: the completed ones, or every request, so that the last is refused."""
    detect_cycles: bool | None = None
    """Whether a run ends where handoffs go in a circle (row S-5); None: in a swarm only."""


class Position(Frozen):
    """Where a stage's card stands on the canvas, its top left corner in CSS pixels."""

    x: Coordinate
    y: Coordinate


class Note(Frozen):
    """A slip of paper on the canvas: text for people, its top left corner in CSS pixels."""

    id: Key
    text: Text
    x: Coordinate
    y: Coordinate
    width: NoteWidth | None = None
    """In CSS pixels; None: as wide as notes are."""


class Layout(Frozen):
    """How the pipeline is drawn. The engine never reads it."""

    stages: Annotated[
        dict[Key, Position], Field(max_length=MAX_STAGES), AfterValidator(_by_key)
    ] = Field(default_factory=dict)
    hues: Annotated[
        dict[Key, Annotated[int, Field(ge=0, lt=360)]],
        Field(max_length=MAX_AGENTS),
        AfterValidator(_by_key),
    ] = Field(default_factory=dict)
    """An agent's own hue in degrees, the same on canvas, in chat and in the trace."""
    supervisor: Position | None = None
    notes: Annotated[tuple[Note, ...], Field(max_length=MAX_NOTES), in_order(lambda n: n.id)] = ()


class PipelineDefinition(Frozen):
    """The whole design, in its serialisable form."""

    format: Literal["baton.pipeline"] = FORMAT
    version: Literal[1] = VERSION
    name: Name
    description: Text = ""
    topology: Topology = "pipeline"
    """How the conversation passes on. In a pipeline and in a swarm by handoffs along the
    transitions; in a workflow each stage's answer is the input of its `next`; in a team the
    agent of the entry delegates to the stages it leads to, and its own answer is the last."""
    agents: Annotated[
        tuple[Agent, ...], Field(max_length=MAX_AGENTS), in_order(lambda a: a.id)
    ] = ()
    stages: Annotated[
        tuple[Stage, ...], Field(max_length=MAX_STAGES), in_order(lambda s: s.phase)
    ] = ()
    transitions: Annotated[
        tuple[Transition, ...],
        Field(max_length=MAX_TRANSITIONS),
        in_order(lambda t: (t.source, t.kind, t.target)),
    ] = ()
    rules: Annotated[
        tuple[Rule, ...], Field(max_length=MAX_RULES), in_order(lambda r: (r.priority, r.id))
    ] = ()
    tools: Annotated[tuple[Tool, ...], Field(max_length=MAX_TOOLS), in_order(lambda t: t.name)] = ()
    limits: Limits = Limits()
    entry: Key | None = None
    """The phase in which a conversation begins."""
    default_agent_id: Key | None = None
    """Who answers where no rule matches; None: the agent of the entry stage."""
    supervisor_id: Key | None = None
    """An agent that receives every event (row O-5)."""
    aliases: Annotated[dict[Key, Key], Field(max_length=MAX_AGENTS), AfterValidator(_by_key)] = (
        Field(default_factory=dict)
    )
    """Friendly names for handoff targets, each for an agent's id or `human`."""
    on_handoff: Literal["continue", "wait"] = "continue"
    """Whether the target answers at once, or the next message (decision 5)."""
    allow_human: bool = True
    """Whether any agent may hand over to the human (row O-9)."""
    layout: Layout = Layout()

    @cached_property
    def agents_by_id(self) -> Mapping[str, Agent]:
        """Every agent under its id; of two with one id (an issue) the last."""
        return {agent.id: agent for agent in self.agents}

    @cached_property
    def stages_by_phase(self) -> Mapping[str, Stage]:
        """Every stage under its phase; of two with one phase (an issue) the last."""
        return {stage.phase: stage for stage in self.stages}

    @cached_property
    def tools_by_name(self) -> Mapping[str, Tool]:
        """Every tool under its name; of two with one name (an issue) the last."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def transitions_from(self) -> Mapping[str, tuple[Transition, ...]]:
        """The ways on from every phase that has one, in canonical order: `next` first."""
        ways: dict[str, list[Transition]] = {}
        for transition in self.transitions:
            ways.setdefault(transition.source, []).append(transition)
        return {source: tuple(found) for source, found in ways.items()}

    def __copy__(self) -> Self:
        """Copy the fields alone: what was derived from them is derived anew.

        `model_copy(update=…)` comes by here; it would otherwise keep look-ups of the old value.
        """
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied

    def without_layout(self) -> Self:
        """The same pipeline, undrawn: what the engine runs."""
        return self.model_copy(update={"layout": Layout()})

    def dump(self) -> str:
        """The definition as its JSON file: canonical order, two spaces, defaults left out."""
        head = {"format": self.format, "version": self.version}
        body = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(head | body, indent=2, ensure_ascii=False) + "\n"
