"""A rule about instructions: whom they tell an agent to hand over to, and where it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from orchestration.definition import HUMAN, Agent
from orchestration.validation.draft import Draft, answering
from orchestration.validation.fix_steps import Fix, connect_stages
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch

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
    """Names of agents and stages in a text, compared without case."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._bearers: dict[str, list[str]] = {}
        for agent in draft.definition.agents_by_id.values():
            self._bearers.setdefault(spoken(agent.name), []).append(agent.id)

    def at_start_of(self, text: str) -> tuple[str, frozenset[str]] | None:
        """The longest name that the text begins with, and the phases that it stands for."""
        found = list(_WORD.finditer(text))
        words = " ".join(match.group().casefold() for match in found)
        for match in reversed(found):
            if phases := self._meant(words):
                return text[found[0].start() : match.end()], phases
            words = words.rpartition(" ")[0]
        return None

    def _meant(self, words: str) -> frozenset[str]:
        """The phases that words stand for: one of that name, and those of agents of that name."""
        draft = self._draft
        agents = [*self._bearers.get(words, ()), *((words,) if self._is_agent(words) else ())]
        served = (phases.get(key, ()) for phases in _serving(draft) for key in agents)
        own = (words,) if words in draft.definition.stages_by_phase else ()
        return frozenset(own).union(*served)

    def _is_agent(self, words: str) -> bool:
        return words in self._draft.definition.agents_by_id


def _serving(draft: Draft) -> tuple[Mapping[str, Sequence[str]], ...]:
    return draft.phases_of, draft.groups_of


def _targets(agent: Agent, names: _Names) -> dict[str, frozenset[str]]:
    rests = _rests(agent.instructions)
    return dict(start for rest in rests if (start := names.at_start_of(rest)) is not None)


@lru_cache(maxsize=1_024)
def _rests(instructions: str) -> tuple[str, ...]:
    """Return the distinct texts after each "hand over to"."""
    return tuple(dict.fromkeys(match["rest"] for match in _PASSING.finditer(instructions)))


@lru_cache(maxsize=1)
def _names(draft: Draft) -> _Names:
    return _Names(draft)


def missing_targets(draft: Draft, agent: Agent) -> dict[str, frozenset[str]]:
    """The targets that an agent's instructions name in vain, as written there: their phases."""
    return _missing(draft, agent, draft.phases_of.get(agent.id, ()))


@lru_cache(maxsize=1_024)
def told_of(instructions: str) -> frozenset[str]:
    """Every name that instructions may tell to hand over to, as it is spoken."""
    found: set[str] = set()
    for rest in _rests(instructions):
        words = spoken(rest)
        while words:
            found.add(words)
            words = words.rpartition(" ")[0]
    return frozenset(found)


@lru_cache(maxsize=4_096)
def spoken(name: str) -> str:
    """The words of a name, without their case."""
    return " ".join(_WORD.findall(name.casefold()))


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


def _connect_for_prompt(draft: Draft, issue: Issue) -> Fix | None:
    definition = draft.definition
    (key,) = issue.where.keys
    source = draft.phases_of[key][0]
    targets = next(iter(missing_targets(draft, definition.agents_by_id[key]).values()), None)
    return connect_stages(definition, source, min(targets)) if targets else None


HELP: Mapping[str, RuleHelp] = {
    "prompt-way-missing": RuleHelp(
        "Instructions that name a target without a way",
        "The instructions tell the agent to hand over to somebody, and no transition leads there."
        " The model would try, and be refused.",
        "Draw the transition, or change the instructions.",
        sketch(
            "intake > review, review > reply",
            agents={"agent-intake": {"instructions": "When it is urgent, hand over to Reply."}},
        ),
        _connect_for_prompt,
    ),
}
"""Help of the rules, by the code of the issue."""
