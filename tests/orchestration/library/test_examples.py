"""The examples in the docstrings of the library, run."""

import doctest
import importlib
import pkgutil

import pytest

import orchestration

MODULES = [
    module.name for module in pkgutil.walk_packages(orchestration.__path__, "orchestration.")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_docstring_examples_of_a_module_are_correct(name):
    module = importlib.import_module(name)
    done = doctest.testmod(module)
    assert done.failed == 0, f"{done.failed} of {done.attempted} examples of {name} are wrong"
