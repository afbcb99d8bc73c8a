"""Modules of an exported project as text."""

from __future__ import annotations

import ast
import sys

import pytest

from orchestration.interchange.project.source import (
    HTTP_CALLS,
    MESSAGE_FILTERS,
    ROUTING,
    module,
)


def test_sections_of_a_module_have_two_blank_lines_between_them() -> None:
    assert module("a = 1\n", "", ["b = 2", "", "c = 3"]) == "a = 1\n\n\nb = 2\n\nc = 3\n"


@pytest.mark.parametrize("text", [HTTP_CALLS, MESSAGE_FILTERS, ROUTING])
def test_a_copied_module_runs_without_the_library(text: str) -> None:
    nodes = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.ImportFrom)]
    packages = {(each.module or "").split(".")[0] for each in nodes}
    assert packages <= sys.stdlib_module_names
