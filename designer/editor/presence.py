"""Presence of people in a pipeline and their selections, from messages only; nothing is stored.

Every tab sends a message at regular intervals. A tab without messages counts as closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from designer.core import natural_key

MAX_TABS = 60
"""Maximum number of known tabs; further ones are not shown."""


class Tab(NamedTuple):
    """Presence message of one tab, as sent through the channel layer."""

    id: str
    user_id: int
    name: str
    at: tuple[str, ...]
    """Ids of the elements that are selected in the tab."""


@dataclass(frozen=True)
class Person:
    """Another person in the pipeline, with one or more tabs."""

    user_id: int
    name: str
    at: tuple[str, ...]


@dataclass
class People:
    """The other open tabs of a pipeline. Times are in seconds."""

    own: int
    """User id of the tab's own person, whose other tabs are not listed."""
    silence: float
    """Seconds without a message until a tab counts as closed."""
    grace: float
    """Seconds until a leaving tab is removed: a reloaded page returns at once."""
    _tabs: dict[str, tuple[Tab, float]] = field(default_factory=dict)

    def update(self, tab: Tab, now: float) -> None:
        """Record a message of an open tab."""
        if tab.id in self._tabs or len(self._tabs) < MAX_TABS:
            self._tabs[tab.id] = (tab, now + self.silence)

    def remove(self, tab_id: str, now: float) -> None:
        """Clear the selection of a closing tab, and remove it after the grace period."""
        if tab_id in self._tabs:
            tab, until = self._tabs[tab_id]
            self._tabs[tab_id] = (tab._replace(at=()), min(until, now + self.grace))

    def list(self, now: float) -> list[Person]:
        """Return the other people who are present, sorted by name."""
        self._tabs = {key: entry for key, entry in self._tabs.items() if entry[1] > now}
        tabs = [tab for tab, _ in self._tabs.values() if tab.user_id != self.own]
        users = dict.fromkeys(tab.user_id for tab in tabs)
        people = [_person([tab for tab in tabs if tab.user_id == user]) for user in users]
        return sorted(people, key=lambda person: (natural_key(person.name), person.user_id))


def _person(tabs: Iterable[Tab]) -> Person:
    first, *others = tabs
    at = dict.fromkeys([*first.at, *(element for tab in others for element in tab.at)])
    return Person(first.user_id, first.name, tuple(at))
