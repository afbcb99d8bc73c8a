"""Changed parts of a definition, and the parts that the rules must check again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

Ends = tuple[str, str]


@dataclass(frozen=True)
class ChangedParts:
    """Keys of the added, changed and deleted parts, and names of the changed settings."""

    agents: Collection[str] = ()
    stages: Collection[str] = ()
    transitions: Collection[Ends] = ()
    """Source and target of each transition."""
    rules: Collection[str] = ()
    tools: Collection[str] = ()
    settings: Collection[str] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of the changed parts."""
        return frozenset(name for name, keys in vars(self).items() if keys)


@dataclass
class Focus:
    """Keys of the parts to check. A stage includes all transitions from it."""

    agents: set[str] = field(default_factory=set)
    stages: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
