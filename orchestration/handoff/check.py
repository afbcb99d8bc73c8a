"""The check of a requested handoff (contract O-7 to O-9)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from orchestration.definition import HUMAN
from orchestration.handoff.tool_names import HANDOFF_TOOL_NAME
from orchestration.state import ConversationPhase, ConversationState
from orchestration.tools import describe_faults

MAX_SUMMARY = 4_000
"""Characters of a summary or reason that are kept: it is what a model wrote."""

CHANNELS = ("same", "voice", "email", "sms")

RejectionCode = Literal[
    "unknown_target",
    "not_allowed",
    "ambiguous",
    "not_serving",
    "handed_over",
    "filter_failed",
    "limit",
    "cycle",
]


class HandoffRequest(BaseModel):
    """The arguments of the handoff tool, as a model writes them."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    target: str = Field(min_length=1, max_length=200)
    reason: str = ""
    summary: str = ""
    next_phase: str | None = None
    channel_escalation: Literal["same", "voice", "email", "sms"] = "same"
    message: str = ""
    """The summary's name in the tool of a swarm (contract S-2)."""

    @field_validator("reason", "summary", "message", "channel_escalation", mode="before")
    @classmethod
    def _left_open(cls, value: object, info: ValidationInfo) -> object:
        """Drop arguments that a model sends as null or empty."""
        if value is None or value == "":
            return "same" if info.field_name == "channel_escalation" else ""
        return value

    @classmethod
    def parse(cls, arguments: str, tool: str = HANDOFF_TOOL_NAME) -> HandoffRequest | str:
        """Read a model's arguments, or say in a sentence what is wrong with them."""
        try:
            request = cls.model_validate_json(arguments or "{}")
        except ValidationError as error:
            return f"The arguments of {tool} are wrong: {describe_faults(error)}"
        summary = request.summary or request.message
        short = max(len(request.reason), len(summary)) <= MAX_SUMMARY
        if short and summary is request.summary:
            return request
        return request.model_copy(
            update={"reason": request.reason[:MAX_SUMMARY], "summary": summary[:MAX_SUMMARY]}
        )


class HandoffResult(msgspec.Struct, frozen=True):
    """Outcome of a handoff request."""

    accepted: bool
    before: ConversationState
    to_agent: str | None = None
    to_phase: str = ""
    """Empty where a request that was refused would have led nowhere."""
    code: RejectionCode = "not_allowed"
    why: str = ""
    """The refusal, in words the model can act on."""
    allowed: tuple[str, ...] = ()
    """The targets that would have been accepted."""
    reason: str = ""
    channel: str = "same"

    @property
    def state(self) -> ConversationState:
        """The state after it. A refusal has changed nothing: it is the one of before."""
        if not self.accepted:
            return self.before
        return self.before.transition(
            self.to_phase, self.to_agent, self.reason, channel=self.channel
        )

    def refused(self, code: RejectionCode, why: str) -> HandoffResult:
        """The same handoff, refused for another reason than its own."""
        return msgspec.structs.replace(self, accepted=False, code=code, why=why)


@dataclass(frozen=True, slots=True)
class HandoffHandler:
    """Decides on handoffs: the only place that does (contract O-7).

    `allowed_transitions=None` allows every phase. `stages` (phase → its agent, None the human)
    makes it know who serves what: then a target may be a phase's key, and a phase must be served
    by the agent that is to enter it. `agents` are the ones in the room; None: whoever is named.
    """

    agents: Collection[str] | None = None
    agent_aliases: Mapping[str, str] = field(default_factory=dict)
    phase_map: Mapping[str, str] = field(default_factory=dict)
    allowed_transitions: Mapping[str, Collection[str]] | None = None
    stages: Mapping[str, str | None] | None = None
    allow_human: bool = True
    _served: Mapping[tuple[str, str], tuple[str, ...]] = field(
        init=False, repr=False, compare=False
    )
    """The phases of an agent that a phase leads to, in order, where it is known who serves what."""

    def __post_init__(self) -> None:
        served: dict[tuple[str, str], tuple[str, ...]] = {}
        for source, ways in (self.allowed_transitions or {}).items():
            for phase in sorted(set(ways)):
                key = source, self._owner(phase)
                served[key] = (*served.get(key, ()), phase)
        object.__setattr__(self, "_served", served)

    def decide(self, request: HandoffRequest, state: ConversationState) -> HandoffResult:
        """The judgement of what is asked for; then the new state or the refusal. Pure."""
        result = self.judge(request.target, request.next_phase, state)
        return msgspec.structs.replace(
            result, reason=request.reason, channel=request.channel_escalation
        )

    def judge(self, named: str, next_phase: str | None, state: ConversationState) -> HandoffResult:
        """Alias, target, phase, transition: where a handoff to `named` leads, or why not. Pure."""
        target, wanted = self._target(named, next_phase)
        if target == HUMAN:
            return self._to_human(state, wanted)
        if self.agents is not None and target not in self.agents:
            return self._refuse(state, "unknown_target", f"There is no agent {named!r} here.")
        served = self._reachable(target, state)
        if wanted is None and len(served) > 1:
            choices = ", ".join(map(repr, served))
            return self._refuse(
                state, "ambiguous", f"{target} serves {choices}: say which as next_phase.", target
            )
        phase = wanted or (served[0] if served else self._usual_phase(target))
        if self.stages is not None and self._owner(phase) != target:
            why = f"{target} does not serve stage {phase!r}."
            return self._refuse(state, "not_serving", why, target, phase)
        if not self._allows(state.phase, phase):
            why = f"From stage {state.phase!r} there is no way to stage {phase!r} ({target})."
            return self._refuse(state, "not_allowed", why, target, phase)
        return HandoffResult(True, state, target, phase)

    def allowed_targets(self, state: ConversationState) -> tuple[str, ...]:
        """The targets that a request from here could name."""
        if self.allowed_transitions is None:
            return tuple(sorted(self.agents or ()))
        phases = self.allowed_transitions.get(state.phase, ())
        if not phases:
            return ()
        if self.stages is None:
            owners = {
                agent for agent in self.agents or self.phase_map if self._reachable(agent, state)
            }
        else:
            owners = {owner for phase in phases if (owner := self._owner(phase))}
        if self.allow_human:
            owners.add(HUMAN)
        return tuple(sorted(owners))

    def _target(self, named: str, next_phase: str | None) -> tuple[str, str | None]:
        """Resolve a request's target and phase: by id, alias, or phase."""
        target = self.agent_aliases.get(named, named)
        known = self.agents is None or target in self.agents or target == HUMAN
        if not known and self.stages is not None and target in self.stages:
            return self._owner(target) or target, next_phase or target
        return target, next_phase or None

    def _to_human(self, state: ConversationState, wanted: str | None) -> HandoffResult:
        ways = (self.allowed_transitions or {}).get(state.phase, ())
        staffed = sorted(phase for phase in ways if self._owner(phase) == HUMAN)
        if staffed:
            phase = wanted if wanted in staffed else staffed[0]
        elif self.allow_human and (self.allowed_transitions is None or ways):
            phase = human_phase(state.phase, self._owner(ConversationPhase.ESCALATION.value))
        else:
            why = "Here nobody may hand the conversation to the human."
            return self._refuse(state, "not_allowed", why)
        return HandoffResult(True, state, None, phase)

    def _reachable(self, agent_id: str, state: ConversationState) -> tuple[str, ...]:
        """The phases of an agent that the present one leads to, in order."""
        if self.allowed_transitions is None:
            return ()
        if self.stages is not None:
            return self._served.get((state.phase, agent_id), ())
        ways = self.allowed_transitions.get(state.phase, ())
        served = getattr(self.phase_map, "all", {}).get(agent_id)
        if served is None:
            served = (self._usual_phase(agent_id),)
        return tuple(phase for phase in served if phase in ways)

    def _owner(self, phase: str) -> str:
        """Return the server of a stage as text: an agent, the human, or nobody."""
        owner = (self.stages or {}).get(phase, "")
        return HUMAN if owner is None else owner

    def _usual_phase(self, agent_id: str) -> str:
        return self.phase_map.get(agent_id, ConversationPhase.HANDLING.value)

    def _allows(self, source: str, phase: str) -> bool:
        if self.allowed_transitions is None:
            return True
        return phase in self.allowed_transitions.get(source, ())

    def _refuse(
        self,
        state: ConversationState,
        code: RejectionCode,
        why: str,
        agent: str | None = None,
        phase: str = "",
    ) -> HandoffResult:
        allowed = self.allowed_targets(state)
        advice = (
            f"You can hand over to: {', '.join(allowed)}."
            if allowed
            else ("Nobody can take over from here: answer yourself.")
        )
        return HandoffResult(False, state, agent, phase, code, f"{why} {advice}", allowed)


def human_phase(present: str, owner: str | None) -> str:
    """The phase of a conversation with the human where no stage is drawn for it (contract O-9).

    It is "escalation", unless that is the stage of an agent, `owner`: no way leads there, and a
    human would stand in the agent's place. Then the conversation stays where it is.
    """
    return ConversationPhase.ESCALATION.value if owner in (None, "", HUMAN) else present


def find_loop(path: Sequence[str]) -> tuple[str, ...] | None:
    """Return the cycle at the end of a path, or None (contract S-5).

    >>> find_loop(["a", "b", "c", "a", "b", "c"])
    ('a', 'b', 'c')
    >>> find_loop(["a", "b", "a"]) is None
    True
    """
    for length in range(2, len(path) // 2 + 1):
        if path[-length:] == path[-2 * length : -length]:
            return tuple(path[-length:])
    return None
