"""A rule about instructions: whom they tell an agent to hand over to, and where it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from orchestration.definition import HUMAN, Agent
from orchestration.validation.draft import Draft, answering
from orchestration.validation.issues import Issue, listed, warning

# "hand the caller over to the …", "transfers it to …", "escalate to …": the words of passing on, at
# most a few words, and the preposition before a name. Each part is bounded, so that a hostile text
# costs no more than it is long.
_PASSING = re.compile(
    r"\b(?:hand|pass|transfer|escalat|delegat|forward|redirect|refer|rout|send)\w{0,5}\b"
    r"(?:[ \t]{1,3}[\w'-]{1,30}){0,6}?[ \t]{1,3}(?:to|into)[ \t]{1,3}(?:the[ \t]{1,3})?"
    r"[\"'`\u201c\u2018]?(?P<rest>[^.!?;:,\n\"'`\u201d]{1,130})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")


def prompt_way_missing(draft: Draft) -> Iterator[Issue]:
    """Instructions name as the target of a handoff only whom the agent can hand over to.

    Meant are sentences such as "hand over to Billing" or "send it back to review", with the name,
    the id or the phase of someone of this pipeline. Agents that routing may put into any stage, and
    members of groups, are passed over.
    """
    if not draft.hands_over:
        return
    for index, agent in draft.agents:
        phases = draft.phases_of.get(agent.id, ())
        if not phases or agent.id in draft.roving or agent.id in draft.groups_of:
            continue
        missing = _missing(draft, agent, phases)
        if missing:
            yield warning(
                "prompt-way-missing",
                f"The instructions of {draft.called(agent.id)!r} tell it to hand over to"
                f" {listed(missing)}, and no transition leads there from {listed(phases)}.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].instructions",
            )


class _Names:
    """Who and what can be named in a text: by words, without their case."""

    def __init__(self, draft: Draft) -> None:
        self._meant: dict[tuple[str, ...], frozenset[str]] = {}
        definition = draft.definition
        for phase in definition.stages_by_phase:
            self._add(phase, {phase})
        for agent in definition.agents_by_id.values():
            phases = {*draft.phases_of.get(agent.id, ()), *draft.groups_of.get(agent.id, ())}
            for name in (agent.name, agent.id):
                self._add(name, phases)
        self._longest = max(map(len, self._meant), default=0)

    def _add(self, name: str, phases: set[str]) -> None:
        words = tuple(_WORD.findall(name.casefold()))
        if words and phases:
            self._meant[words] = self._meant.get(words, frozenset()) | phases

    def at_start_of(self, text: str) -> tuple[str, frozenset[str]] | None:
        """The longest name that the text begins with, and the phases that it stands for."""
        found = list(islice(_WORD.finditer(text), self._longest))
        words = tuple(match.group().casefold() for match in found)
        for length in range(len(words), 0, -1):
            phases = self._meant.get(words[:length])
            if phases is not None:
                return text[found[0].start() : found[length - 1].end()], phases
        return None


def _targets(agent: Agent, names: _Names) -> dict[str, frozenset[str]]:
    rests = _rests(agent.instructions)
    return dict(start for rest in rests if (start := names.at_start_of(rest)) is not None)


@lru_cache(maxsize=1_024)
def _rests(instructions: str) -> tuple[str, ...]:
    """What follows each "hand over to", once."""
    return tuple(dict.fromkeys(match["rest"] for match in _PASSING.finditer(instructions)))


@lru_cache(maxsize=1)
def _names(draft: Draft) -> _Names:
    return _Names(draft)


def missing_targets(draft: Draft, agent: Agent) -> dict[str, frozenset[str]]:
    """The targets that an agent's instructions name in vain, as written there: their phases."""
    return _missing(draft, agent, draft.phases_of.get(agent.id, ()))


def told_of(instructions: str) -> frozenset[str]:
    """The first word of each name that instructions may tell to hand over to."""
    return first_words(_rests(instructions))


def first_words(names: Iterable[str]) -> frozenset[str]:
    """The first word of each name, without its case."""
    return frozenset([found.group().casefold() for name in names if (found := _WORD.search(name))])


def _missing(draft: Draft, agent: Agent, phases: Sequence[str]) -> dict[str, frozenset[str]]:
    """The targets that none of the agent's stages leads to."""
    if not _rests(agent.instructions):
        return {}
    missing: dict[str, frozenset[str]] = {}
    near = {target for phase in phases for target in draft.graph.succ.get(phase, ())}
    stages = draft.definition.stages_by_phase
    takers = {answering(stages[phase]) for phase in near}
    for name, meant in _targets(agent, _names(draft)).items():
        owners = {answering(stages[phase]) for phase in meant}
        if meant & near or owners & takers or agent.id in owners:
            continue
        if HUMAN in owners and draft.definition.allow_human and near:
            continue
        missing[name] = meant
    return missing
