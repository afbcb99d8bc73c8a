"""Every row of the engine's contract, and every decision, is proven by a test that names it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
LENGTHS = {"H": 9, "E": 3, "T": 12, "O": 14, "S": 8}
ROWS = [f"{part}-{row}" for part, length in LENGTHS.items() for row in range(1, length + 1)]
DECISIONS = [f"decision {number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def proven() -> list[str]:
    """What the tests say that they prove."""
    found = []
    for path in TESTS.rglob("test_*.py"):
        for part in ast.walk(ast.parse(path.read_text("utf-8"))):
            match part:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    if name.startswith("test_"):
                        found.append((ast.get_docstring(part) or "").casefold())
    return found


@pytest.mark.parametrize("row", [*ROWS, *DECISIONS])
def test_a_test_names_what_it_proves(row: str, proven: list[str]) -> None:
    name = re.compile(rf"(?<![\w-]){re.escape(row.casefold())}(?![\w-])")
    assert any(name.search(said) for said in proven)
