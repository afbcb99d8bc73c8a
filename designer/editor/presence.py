"""Presence of people in a pipeline and their selections, from messages only; nothing is stored.

Every tab says of itself that it is there, again and again; one that falls silent is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_TABS = 60
"""Maximum number of known tabs; further ones are not shown."""


class Tab(NamedTuple):
    """Presence message of one tab, as sent through the channel layer."""

    id: str
    user_id: int
    name: str
    at: tuple[str, ...]
    """The elements that are selected there, by id."""


@dataclass(frozen=True)
class Person:
    """Someone else who is here, in one tab or several."""

    user_id: int
    name: str
    at: tuple[str, ...]


@dataclass
class People:
    """The other tabs of a pipeline, as one tab has heard of them. Times are in seconds."""

    own: int
    """The person whose tab this is: their other tabs are no news to them."""
    silence: float
    """Seconds without a message before a tab counts as gone."""
    grace: float
    """Seconds before a leaving tab is removed: a reloaded page comes back."""
    _tabs: dict[str, tuple[Tab, float]] = field(default_factory=dict)

    def heard(self, tab: Tab, now: float) -> None:
        """A tab said that it is there."""
        if tab.id in self._tabs or len(self._tabs) < MAX_TABS:
            self._tabs[tab.id] = (tab, now + self.silence)

    def left(self, tab_id: str, now: float) -> None:
        """A tab took leave."""
        if tab_id in self._tabs:
            tab, until = self._tabs[tab_id]
            self._tabs[tab_id] = (tab._replace(at=()), min(until, now + self.grace))

    def here(self, now: float) -> list[Person]:
        """The others who are here, by name."""
        self._tabs = {key: one for key, one in self._tabs.items() if one[1] > now}
        tabs = [tab for tab, _ in self._tabs.values() if tab.user_id != self.own]
        users = dict.fromkeys(tab.user_id for tab in tabs)
        found = [_person([tab for tab in tabs if tab.user_id == user]) for user in users]
        return sorted(found, key=lambda person: (person.name.casefold(), person.user_id))


def _person(tabs: Iterable[Tab]) -> Person:
    first, *others = tabs
    at = dict.fromkeys([*first.at, *(one for tab in others for one in tab.at)])
    return Person(first.user_id, first.name, tuple(at))
