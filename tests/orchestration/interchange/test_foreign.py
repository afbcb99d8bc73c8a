"""Values of a foreign document: those of another type become losses with their path."""

from __future__ import annotations

import math

import pytest

from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.reading import Reading


@pytest.fixture
def document() -> ForeignDocument:
    return ForeignDocument(Reading("other"))


def lost(document: ForeignDocument) -> dict[str, str]:
    """The consequences of the losses by path."""
    return {place: each.consequence for each in document.reading.rows for place in each.places}


def test_an_object_or_a_list_of_another_type_is_empty_and_a_loss(
    document: ForeignDocument,
) -> None:
    assert document.fields({"a": 1}, ("x",)) == {"a": 1}
    assert document.items([1, None], ("x",)) == [1, None]
    assert (document.fields(None, ("x",)), document.items(None, ("x",))) == ({}, [])
    assert lost(document) == {}
    assert document.fields([], ("agents", 0)) == {}
    assert document.items("ab", ("agents", 1, "tool names")) == []
    assert lost(document) == {
        "$.agents[0]": "An object is expected here.",
        "$.agents[1]['tool names']": "A list is expected here.",
    }


def test_each_text_of_a_list_has_its_own_place(document: ForeignDocument) -> None:
    found = list(document.texts(["a", 3, "", None], ("names",)))
    assert found == [("a", ("names", 0)), ("", ("names", 2))]
    assert set(lost(document)) == {"$.names[1]", "$.names[3]"}


@pytest.mark.parametrize("value", [0, 2, 1.5, None])
def test_a_number_within_its_limits_is_kept(document: ForeignDocument, value: object) -> None:
    assert document.number(value, ("temperature",), 0, 2) == value
    assert lost(document) == {}


@pytest.mark.parametrize("value", [True, "1", -0.1, 2.1, math.nan, math.inf, [1], 10**400])
def test_another_number_is_a_loss_with_its_value(document: ForeignDocument, value: object) -> None:
    assert document.number(value, ("temperature",), 0, 2) is None
    (row,) = document.reading.rows
    assert (row.places, row.consequence) == (
        ("$.temperature",),
        "A number from 0 to 2 is expected here.",
    )
    assert row.description.endswith("left out")
    assert len(row.description) < 100


def test_a_whole_number_has_no_fraction(document: ForeignDocument) -> None:
    assert document.number(3, ("turns",), 1, 9, whole=True) == 3
    assert document.number(3.0, ("turns",), 1, 9, whole=True) is None
    assert set(lost(document)) == {"$.turns"}


def test_unknown_fields_with_a_value_are_losses(document: ForeignDocument) -> None:
    value = {"name": "a", "hooks": {"on": 1}, "empty": {}, "none": None, "off": False, "zero": 0}
    document.unknown(value, ("agents", 2), ("name",), "An agent of Baton")
    assert lost(document) == {
        f"$.agents[2].{key}": "An agent of Baton has no counterpart of it."
        for key in ("hooks", "off", "zero")
    }
