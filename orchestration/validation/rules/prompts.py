"""A rule about targets of handoffs in the instructions of agents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from orchestration.definition import HUMAN, Agent
from orchestration.validation.draft import Draft, server_of
from orchestration.validation.fix_steps import Fix, connect_stages
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch

# "hand the caller over to the …", "transfers it to …", "escalate to …": a verb, at most a few
# words, and the preposition before a name. Each part is limited, so matching takes linear time.
_HANDOFF_PHRASE = re.compile(
    r"\b(?:hand|pass|transfer|escalat|delegat|forward|redirect|refer|rout|send)\w{0,5}\b"
    r"(?:[ \t]{1,3}[\w'-]{1,30}){0,6}?[ \t]{1,3}(?:to|into)[ \t]{1,3}(?:the[ \t]{1,3})?"
    r"[\"'`\u201c\u2018]?(?P<rest>[^.!?;:,\n\"'`\u201d]{1,130})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")


def prompt_transition_missing(draft: Draft) -> Iterator[Issue]:
    """Require a transition to each target that the instructions name.

    This finds sentences such as "hand over to Billing" or "send it back to review", with the name
    or id of an agent, or a phase. Agents that routing may select in any stage and members of groups
    are not checked.
    """
    if not draft.hands_over:
        return
    for index, agent in draft.agents:
        phases = draft.phases_of.get(agent.id, ())
        if not phases or agent.id in draft.routed_agents or agent.id in draft.groups_of:
            continue
        missing = _missing(draft, agent, phases)
        if missing:
            yield warning(
                "prompt-way-missing",
                f"The instructions of {draft.agent_label(agent.id)!r} tell it to hand over to"
                f" {listed(missing)}, and no transition leads there from {listed(phases)}.",
                "agent",
                (agent.id,),
                f"$.agents[{index}].instructions",
            )


class _Names:
    """Names of agents and stages in a text, compared without case."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._agent_ids: dict[str, list[str]] = {}
        for agent in draft.definition.agents_by_id.values():
            self._agent_ids.setdefault(normal_name(agent.name), []).append(agent.id)

    def at_start_of(self, text: str) -> tuple[str, frozenset[str]] | None:
        """Return the longest name at the start of the text, and its phases."""
        matches = list(_WORD.finditer(text))
        words = " ".join(match.group().casefold() for match in matches)
        for match in reversed(matches):
            if phases := self._phases_of(words):
                return text[matches[0].start() : match.end()], phases
            words = words.rpartition(" ")[0]
        return None

    def _phases_of(self, words: str) -> frozenset[str]:
        """Return the phases of a name: the stage with this phase, and the stages of its agents."""
        draft = self._draft
        agents = [*self._agent_ids.get(words, ()), *((words,) if self._is_agent(words) else ())]
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
    return tuple(dict.fromkeys(match["rest"] for match in _HANDOFF_PHRASE.finditer(instructions)))


@lru_cache(maxsize=1)
def _names(draft: Draft) -> _Names:
    return _Names(draft)


def missing_targets(draft: Draft, agent: Agent) -> dict[str, frozenset[str]]:
    """Return the unreachable targets in an agent's instructions, with their phases."""
    return _missing(draft, agent, draft.phases_of.get(agent.id, ()))


@lru_cache(maxsize=1_024)
def named_targets(instructions: str) -> frozenset[str]:
    """Return all possible names of targets in the instructions, normalised."""
    names: set[str] = set()
    for rest in _rests(instructions):
        words = normal_name(rest)
        while words:
            names.add(words)
            words = words.rpartition(" ")[0]
    return frozenset(names)


@lru_cache(maxsize=4_096)
def normal_name(name: str) -> str:
    """Return the words of a name in lower case."""
    return " ".join(_WORD.findall(name.casefold()))


def _missing(draft: Draft, agent: Agent, phases: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the targets to which none of the agent's stages leads."""
    if not _rests(agent.instructions):
        return {}
    missing: dict[str, frozenset[str]] = {}
    neighbours = {target for phase in phases for target in draft.graph.succ.get(phase, ())}
    stages = draft.definition.stages_by_phase
    takers = {server_of(stages[phase]) for phase in neighbours}
    for name, named_phases in _targets(agent, _names(draft)).items():
        owners = {server_of(stages[phase]) for phase in named_phases}
        if named_phases & neighbours or owners & takers or agent.id in owners:
            continue
        if HUMAN in owners and draft.definition.allow_human and neighbours:
            continue
        missing[name] = named_phases
    return missing


def _connect_for_prompt(draft: Draft, issue: Issue) -> Fix | None:
    definition = draft.definition
    (key,) = issue.where.keys
    source = draft.phases_of[key][0]
    targets = next(iter(missing_targets(draft, definition.agents_by_id[key]).values()), None)
    return connect_stages(definition, source, min(targets)) if targets else None


HELP: Mapping[str, RuleHelp] = {
    "prompt-way-missing": RuleHelp(
        "Instructions with an unreachable target",
        "The instructions name a target for a handoff, but no transition leads there. The model's"
        " handoff would be rejected.",
        "Draw the transition, or change the instructions.",
        sketch(
            "intake > review, review > reply",
            agents={
                "agent-intake": {"instructions": "When it is urgent, hand over to Reply."},
                "agent-review": {"instructions": "Check the order."},
                "agent-reply": {"instructions": "Answer the customer."},
            },
        ),
        _connect_for_prompt,
    ),
}
"""Help of the rules, by the code of the issue."""
