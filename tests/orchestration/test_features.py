"""The README's table of what each provider can do: every cell has a test, and that runs for it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.features import FEATURES, PROVIDERS, VENDORS, Feature, table
from tests.orchestration.vendors import VENDORS as TESTED


def test_the_readme_shows_the_table_as_it_is_tested() -> None:
    readme = Path(__file__).parents[2] / "README.md"
    assert table() in readme.read_text()
    assert tuple(TESTED) == VENDORS


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_every_cell_has_a_test_that_runs_for_its_provider(feature: Feature, provider: str) -> None:
    if provider == "scripted":
        said, test = feature.scripted
        assert (said == "-") is (test == "")
        assert not test or found(test)
        return
    if feature.cell(provider) != "-":
        tests = [(name, found(name)) for name in feature.tests]
        assert any(provider in name or provider in told(test) for name, test in tests)


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
