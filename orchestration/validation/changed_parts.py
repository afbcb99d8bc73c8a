"""Changed parts of a definition, and the parts that the rules must check again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

Ends = tuple[str, str]


@dataclass(frozen=True)
class Touched:
    """The keys of the parts that are others, came or went, and the names of settings."""

    agents: Collection[str] = ()
    stages: Collection[str] = ()
    transitions: Collection[Ends] = ()
    """By source and target."""
    rules: Collection[str] = ()
    tools: Collection[str] = ()
    settings: Collection[str] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of the touched parts."""
        return frozenset(name for name, keys in vars(self).items() if keys)


@dataclass
class Focus:
    """The keys of the parts to look at. With a stage, all transitions from it are meant."""

    agents: set[str] = field(default_factory=set)
    stages: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
