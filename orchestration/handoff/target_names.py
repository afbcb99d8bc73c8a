"""Names by which models refer to agents and stages (contract D-8).

A model may write the id of an agent, its name, an alias, or a slug of any of them. The most exact
match counts, so an id is never taken for the name of another agent.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from functools import lru_cache

from orchestration.definition import HUMAN
from orchestration.handoff.tool_names import snake_case


@lru_cache(maxsize=4_096)
def plain_name(name: str) -> str:
    """Return the form in which names are compared, without case, spaces and hyphens.

    >>> plain_name("Billing Desk") == plain_name("billing-desk") == plain_name("billing_desk")
    True
    >>> plain_name("Présentation 2"), plain_name("请求 A")
    ('presentation_2', '请求_a')
    """
    letters = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return snake_case(plain) if plain.isascii() else "_".join(plain.casefold().split())


def same_name(name: str, other: str) -> bool:
    """Report whether two texts are the same name, or one is a slug of the other."""
    return name == other or (bool(form := plain_name(name)) and form == plain_name(other))


def matching_targets(
    text: str,
    agents: Collection[str],
    names: Mapping[str, str],
    aliases: Mapping[str, str],
    phases: Collection[str] = (),
) -> tuple[str, ...]:
    """Return the targets that a text may mean: ids of agents, phases, or `human`.

    `names` are the agents' names by id. Several targets mean that the text is ambiguous.

    >>> names = {"agent-a": "Billing Desk", "agent-b": "Desk", "agent-c": "Desk"}
    >>> matching_targets("billing_desk", names, names, {})
    ('agent-a',)
    >>> matching_targets("Desk", names, names, {})
    ('agent-b', 'agent-c')
    """
    if text in aliases:
        return (aliases[text],)
    if text in agents or text == HUMAN or text in phases:
        return (text,)
    named = [agent for agent in agents if names.get(agent) == text]
    form = plain_name(text)
    if not named and form:
        named = [
            agent
            for agent in agents
            if form in (plain_name(agent), plain_name(names.get(agent, "")))
        ]
        named += [target for alias, target in aliases.items() if plain_name(alias) == form]
    if not named and form == HUMAN:
        return (HUMAN,)
    if not named and form:
        named = [phase for phase in phases if plain_name(phase) == form]
    return tuple(sorted(set(named)))
