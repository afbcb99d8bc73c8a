"""The README's table of what each provider can do: every cell has a test, and that runs for it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.features import FEATURES, PROVIDERS, VENDORS, Feature, table
from tests.orchestration.test_scripted_features import CELLS
from tests.orchestration.vendors import VENDORS as TESTED


def test_the_readme_shows_the_table_as_it_is_tested() -> None:
    readme = Path(__file__).parents[2] / "README.md"
    assert table() in readme.read_text()
    assert tuple(TESTED) == VENDORS


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_every_cell_has_a_test_that_runs_for_its_provider(feature: Feature, provider: str) -> None:
    said = feature.cell(provider)
    if provider == "scripted":
        assert CELLS[feature.name][0] == said
        return
    names = feature.tests if said != "-" else (feature.dash,)
    assert any(provider in name or provider in told(found(name)) for name in names)


def test_every_cell_of_the_scripted_provider_is_one_that_the_table_has() -> None:
    assert list(CELLS) == [feature.name for feature in FEATURES]


def found(name: str) -> Any:
    module, _, test = name.partition("::")
    return getattr(import_module(f"tests.orchestration.{module}"), test)


def told(test: Any) -> set[str]:
    """All words in the parameters of a test, and the names of its cells."""
    return {
        word
        for mark in getattr(test, "pytestmark", ())
        if mark.name == "parametrize"
        for word in words_in([mark.args[1:], mark.kwargs.get("ids")])
    }


def words_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif hasattr(value, "values") and not callable(value.values):  # a `pytest.param`
        yield from words_in(value.values)
    elif isinstance(value, dict | list | tuple) or value.__class__.__name__ == "dict_values":
        for one in value:
            yield from words_in(one)
