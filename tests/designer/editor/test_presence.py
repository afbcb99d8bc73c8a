"""Presence of people in a pipeline."""

from __future__ import annotations

from designer.editor.presence import MAX_TABS, People, Person, Tab

ADA, BOB, EVE = 1, 2, 3


def people() -> People:
    return People(own=ADA, silence=10, grace=2)


def tab(key: str, user_id: int, name: str, *at: str) -> Tab:
    return Tab(key, user_id, name, at)


def test_other_people_are_listed_once_by_name_with_their_selections() -> None:
    present = people()
    present.update(tab("1", EVE, "eve", "stage-a"), now=0)
    present.update(tab("2", BOB, "Bob"), now=0)
    present.update(tab("3", EVE, "eve", "stage-b", "stage-a"), now=0)
    assert present.list(now=1) == [
        Person(BOB, "Bob", ()),
        Person(EVE, "eve", ("stage-a", "stage-b")),
    ]


def test_other_tabs_of_the_same_person_are_not_listed() -> None:
    present = people()
    present.update(tab("1", ADA, "ada"), now=0)
    assert present.list(now=1) == []


def test_a_tab_without_messages_is_removed() -> None:
    present = people()
    present.update(tab("1", BOB, "bob"), now=0)
    present.update(tab("1", BOB, "bob"), now=8)
    assert present.list(now=17)
    assert present.list(now=18) == []


def test_a_closing_tab_loses_its_selection_and_is_removed_after_the_grace_period() -> None:
    present = people()
    present.update(tab("1", BOB, "bob", "stage-a"), now=0)
    present.remove("1", now=1)
    assert present.list(now=2) == [Person(BOB, "bob", ())]
    assert present.list(now=3) == []


def test_a_reloaded_page_stays_present() -> None:
    present = people()
    present.update(tab("1", BOB, "bob"), now=0)
    present.remove("1", now=1)
    present.update(tab("1", BOB, "bob", "stage-a"), now=2)
    assert present.list(now=9) == [Person(BOB, "bob", ("stage-a",))]


def test_an_unknown_tab_can_leave() -> None:
    present = people()
    present.remove("unknown", now=0)
    assert present.list(now=0) == []


def test_the_number_of_tabs_is_limited() -> None:
    present = people()
    for number in range(MAX_TABS + 5):
        present.update(tab(str(number), 10 + number, f"user {number}"), now=0)
    assert len(present.list(now=1)) == MAX_TABS
