"""The check of a requested handoff (contract O-7 to O-9)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from orchestration.definition import HUMAN
from orchestration.events import HandoffAccepted, HandoffRejected
from orchestration.handoff.target_names import matching_targets, same_name
from orchestration.handoff.tool_names import HANDOFF_TOOL_NAME
from orchestration.hooks import Observer, report
from orchestration.names import names_of
from orchestration.state import SUMMARY, ConversationPhase, ConversationState
from orchestration.tools import HandoffOption, describe_faults

MAX_SUMMARY = 4_000
"""Maximum length of a summary or reason in characters; the rest is cut off."""

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
    """Name of the summary in the tool of a swarm (contract S-2)."""

    @field_validator("reason", "summary", "message", mode="before")
    @classmethod
    def _replace_null_text(cls, value: object) -> object:
        return "" if value is None else value

    @field_validator("channel_escalation", mode="before")
    @classmethod
    def _replace_empty_channel(cls, value: object) -> object:
        return "same" if value is None or value == "" else value

    @classmethod
    def parse(cls, arguments: str, tool: str = HANDOFF_TOOL_NAME) -> HandoffRequest | str:
        """Parse a model's arguments; return a sentence with the error if they are invalid.

        Models send null or empty text for arguments that they leave out.
        """
        try:
            request = cls.model_validate_json(arguments or "{}")
        except ValidationError as error:
            return f"The arguments of {tool} are wrong: {describe_faults(error)}"
        reason, summary = request.reason, request.summary or request.message
        fits = max(len(reason), len(summary)) <= MAX_SUMMARY
        if fits and summary is request.summary:
            return request
        return request.model_copy(
            update={"reason": reason[:MAX_SUMMARY], "summary": summary[:MAX_SUMMARY]}
        )


class HandoffResult(msgspec.Struct, frozen=True):
    """Outcome of a handoff request."""

    accepted: bool
    before: ConversationState
    to_agent: str | None = None
    to_phase: str = ""
    """Empty if a refused request has no target stage."""
    code: RejectionCode = "not_allowed"
    why: str = ""
    """Reason of the refusal, in words that the model can act on."""
    allowed: tuple[str, ...] = ()
    """Targets that would have been accepted."""
    reason: str = ""
    summary: str = ""
    channel: str = "same"

    @property
    def state(self) -> ConversationState:
        """State after the request; a refusal does not change it.

        The metadata of the new step contain the summary, for `HandoffMemoryProvider`.
        """
        if not self.accepted:
            return self.before
        metadata = {SUMMARY: self.summary} if self.summary else None
        return self.before.transition(
            self.to_phase, self.to_agent, self.reason, metadata, channel=self.channel
        )

    def refused(self, code: RejectionCode, why: str) -> HandoffResult:
        """Return the same handoff as a refusal with this reason."""
        return msgspec.structs.replace(self, accepted=False, code=code, why=why)


@dataclass(frozen=True, slots=True)
class HandoffHandler:
    """Check of handoff requests, used by all parts of the engine (contract O-7).

    `allowed_transitions=None` allows every phase. `stages` maps each phase to its agent, or to None
    for the human. With `stages`, a target may be the key of a phase, and the target agent must
    serve the target phase. `agents` are the participants; None accepts any agent. A target is
    accepted as an id, as the name in `names`, as an alias, and as a slug of these (contract D-8).
    """

    agents: Collection[str] | None = None
    agent_aliases: Mapping[str, str] = field(default_factory=dict)
    phase_map: Mapping[str, str] = field(default_factory=dict)
    allowed_transitions: Mapping[str, Collection[str]] | None = None
    stages: Mapping[str, str | None] | None = None
    allow_human: bool = True
    observers: Sequence[Observer] = ()
    """Functions that receive the outcome of each request that `handle` decides (contract O-5)."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of the agents by id, if they have other names."""
    _served: Mapping[tuple[str, str], tuple[str, ...]] = field(
        init=False, repr=False, compare=False
    )
    """Phases by source phase and serving agent, in order; used only with `stages`."""

    def __post_init__(self) -> None:
        names_of(self.agents or (), "agents")
        served: dict[tuple[str, str], tuple[str, ...]] = {}
        for source, targets in (self.allowed_transitions or {}).items():
            phases = names_of(targets, f"allowed_transitions[{source!r}]")
            for phase in sorted(set(phases)):
                key = source, self._owner(phase)
                served[key] = (*served.get(key, ()), phase)
        object.__setattr__(self, "_served", served)

    def decide(self, request: HandoffRequest, state: ConversationState) -> HandoffResult:
        """Check a request; return the new state or the refusal. Pure."""
        result = self.judge(request.target, request.next_phase, state)
        return msgspec.structs.replace(
            result,
            reason=request.reason,
            summary=(request.summary or request.message)[:MAX_SUMMARY],
            channel=request.channel_escalation,
        )

    async def handle(
        self, request: HandoffRequest, state: ConversationState, *, session_id: str = ""
    ) -> HandoffResult:
        """Check a request and call the observers with the outcome (contract O-5)."""
        result = self.decide(request, state)
        await self.report(request, result, session_id=session_id)
        return result

    async def report(
        self, request: HandoffRequest, result: HandoffResult, *, session_id: str = ""
    ) -> None:
        """Call the observers with the outcome of a request. Without a trace its `seq` is 0."""
        if self.observers:
            await report(self.observers, _outcome_event(request, result, session_id))

    def judge(self, name: str, next_phase: str | None, state: ConversationState) -> HandoffResult:
        """Check alias, target, phase and transition of a handoff to `name`. Pure."""
        matches = self.matches(name, state)
        if len(matches) > 1:
            choices = " or ".join(map(repr, matches))
            return self._refuse(state, "ambiguous", f"{name!r} can mean {choices}: use the id.")
        target, requested = self._target(matches[0] if matches else name, next_phase)
        if target == HUMAN:
            return self._to_human(state, requested)
        if self.agents is not None and target not in self.agents:
            return self._refuse(state, "unknown_target", f"There is no agent {name!r} here.")
        served = self._reachable(target, state)
        if requested is None and len(served) > 1:
            choices = ", ".join(map(repr, served))
            return self._refuse(
                state, "ambiguous", f"{target} serves {choices}: choose one as next_phase.", target
            )
        phase = requested or (served[0] if served else self._usual_phase(target))
        if self.stages is not None and self._owner(phase) != target:
            why = f"{target} does not serve stage {phase!r}."
            return self._refuse(state, "not_serving", why, target, phase)
        if not self._allows(state.phase, phase):
            why = (
                f"There is no transition from stage {state.phase!r} to stage {phase!r} ({target})."
            )
            return self._refuse(state, "not_allowed", why, target, phase)
        return HandoffResult(True, state, target, phase)

    def knows_targets(self, state: ConversationState) -> bool:
        """Report whether all targets of handoffs from this state are known."""
        if self.agents is not None or self._known_agents():
            return True
        return self.allowed_transitions is not None and not self._phases_after(state)

    def matches(self, name: str, state: ConversationState) -> tuple[str, ...]:
        """Return the targets that a name can mean, only the allowed ones if there are several."""
        if self.agents is not None and name in self.agents and name not in self.agent_aliases:
            return (name,)
        matches = matching_targets(
            name, self._known_agents(), self.names, self.agent_aliases, self.stages or ()
        )
        if len(matches) < 2:
            return matches
        allowed = self.allowed_targets(state)
        return tuple(target for target in matches if target in allowed) or matches

    def allowed_targets(self, state: ConversationState) -> tuple[str, ...]:
        """Return the targets that are allowed in this state, as far as they are known."""
        return tuple(sorted({target for target, _ in self._allowed_pairs(state)}))

    def options(self, state: ConversationState) -> tuple[HandoffOption, ...]:
        """Return the allowed targets in this state, each with its phases."""
        text = "A person takes over, and no agent answers any more."
        return tuple(
            HandoffOption(phase, None, "", "human", text)
            if target == HUMAN
            else HandoffOption(phase, target, self.names.get(target, ""))
            for target, phase in self._allowed_pairs(state)
        )

    def _allowed_pairs(self, state: ConversationState) -> list[tuple[str, str]]:
        """Return the allowed targets with their phases, the human last."""
        if self.allowed_transitions is not None and not self._phases_after(state):
            return []
        known = self._known_agents()
        if self.stages is not None:
            pairs = sorted((self._owner(phase), phase) for phase in self._phases_after(state))
            human = [pair for pair in pairs if pair[0] == HUMAN]
            pairs = [pair for pair in pairs if pair[0] in known and pair[0] != HUMAN]
        else:
            pairs, human = [(a, p) for a in sorted(known) for p in self._phases_of(a, state)], []
        if self.allow_human and not human:
            human = [(HUMAN, self._to_human(state, None).to_phase)]
        return [*pairs, *human]

    def _phases_of(self, agent_id: str, state: ConversationState) -> tuple[str, ...]:
        """Return the phases of an agent that a handoff can lead to, without known stages."""
        if self.allowed_transitions is not None:
            return self._reachable(agent_id, state)
        return getattr(self.phase_map, "all", {}).get(agent_id) or (self._usual_phase(agent_id),)

    def is_human_stage(self, phase: str) -> bool:
        """Report whether the human serves a stage."""
        return self._owner(phase) == HUMAN

    def _known_agents(self) -> Collection[str]:
        """Return the participants; without them the agents of the stages and the phase map."""
        if self.agents is not None:
            return self.agents
        owners = {owner for owner in (self.stages or {}).values() if owner}
        return {*self.phase_map, *owners, *self.agent_aliases.values()} - {HUMAN}

    def _phases_after(self, state: ConversationState) -> Collection[str]:
        """Return the known phases that may follow the state's."""
        if self.allowed_transitions is None:
            return self.stages or ()
        return self.allowed_transitions.get(state.phase, ())

    def _target(self, target: str, next_phase: str | None) -> tuple[str, str | None]:
        """Return the agent or the human of a target, and the requested phase."""
        phase = self._requested_phase(next_phase)
        known = self.agents is None or target in self.agents or target == HUMAN
        if not known and self.stages is not None and target in self.stages:
            return self._owner(target) or target, phase or target
        return target, phase

    def _requested_phase(self, name: str | None) -> str | None:
        """Return the phase that a name means; an unknown name stays unchanged."""
        if not name or self.stages is None or name in self.stages:
            return name or None
        matches = [phase for phase in self.stages if same_name(phase, name)]
        return matches[0] if len(matches) == 1 else name

    def _to_human(self, state: ConversationState, requested: str | None) -> HandoffResult:
        targets = self._phases_after(state)
        human_stages = sorted(phase for phase in targets if self._owner(phase) == HUMAN)
        if human_stages:
            phase = requested if requested in human_stages else human_stages[0]
        elif self.allow_human and (self.allowed_transitions is None or targets):
            phase = human_phase(state.phase, self._owner(ConversationPhase.ESCALATION.value))
        else:
            why = f"A handoff to the human is not allowed from stage {state.phase!r}."
            return self._refuse(state, "not_allowed", why)
        return HandoffResult(True, state, None, phase)

    def _reachable(self, agent_id: str, state: ConversationState) -> tuple[str, ...]:
        """Return the agent's phases that the current phase leads to, in order."""
        if self.allowed_transitions is None:
            return ()
        if self.stages is not None:
            return self._served.get((state.phase, agent_id), ())
        targets = self.allowed_transitions.get(state.phase, ())
        served = getattr(self.phase_map, "all", {}).get(agent_id)
        if served is None:
            served = (self._usual_phase(agent_id),)
        return tuple(phase for phase in served if phase in targets)

    def _owner(self, phase: str) -> str:
        """Return the agent of a stage, `human`, or an empty text."""
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
            else "No handoff is possible from this stage: answer yourself."
        )
        return HandoffResult(False, state, agent, phase, code, f"{why} {advice}", allowed)


def _outcome_event(
    request: HandoffRequest, result: HandoffResult, session_id: str
) -> HandoffAccepted | HandoffRejected:
    """Return the event of a decided request. Without a trace its `seq` is 0."""
    before = result.before
    source = before.active_agent_id
    head = (0, datetime.now(UTC), session_id, "", before.phase, source)
    if result.accepted:
        return HandoffAccepted(
            *head,
            call_id="",
            from_agent=source,
            to_agent=result.to_agent,
            from_phase=before.phase,
            to_phase=result.to_phase,
            reason=request.reason,
            summary=request.summary or request.message,
            hop=before.handoff_count + 1,
            hop_limit=0,
            channel_escalation=request.channel_escalation,
        )
    return HandoffRejected(
        *head,
        call_id="",
        target=request.target,
        to_agent=result.to_agent,
        to_phase=result.to_phase or None,
        why=result.why,
        code=result.code,
        reason=request.reason,
        allowed=result.allowed,
    )


def human_phase(current: str, owner: str | None) -> str:
    """Return the phase of a conversation with the human without a human stage (contract O-9).

    This is `escalation`. If an agent, `owner`, serves a stage of that name, the human must not take
    its place, so the conversation stays in its current phase.
    """
    return ConversationPhase.ESCALATION.value if owner in (None, "", HUMAN) else current


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
