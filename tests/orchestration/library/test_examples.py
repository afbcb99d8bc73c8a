"""The examples in the docstrings of the library, run."""

import doctest
import importlib
import pkgutil
import re

import pytest

import orchestration

NEED_THEIR_LIBRARY = re.compile(r"interchange\.(langgraph|openai_agents|roomkit)\.runtime")
"""Modules of exported projects, which only their own environments can import: tests/slow."""

MODULES = [
    module.name
    for module in pkgutil.walk_packages(orchestration.__path__, "orchestration.")
    if not NEED_THEIR_LIBRARY.search(module.name)
]


@pytest.mark.parametrize("name", MODULES)
def test_the_docstring_examples_of_a_module_are_correct(name):
    module = importlib.import_module(name)
    done = doctest.testmod(module)
    assert done.failed == 0, f"{done.failed} of {done.attempted} examples of {name} are wrong"
