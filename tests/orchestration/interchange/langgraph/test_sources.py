"""Modules of a project that are copied unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.interchange.langgraph.sources import runtime_module

RUNTIME = Path("orchestration/interchange/langgraph/runtime")


@pytest.mark.parametrize("path", sorted(RUNTIME.glob("[a-z]*.py")), ids=lambda each: each.stem)
def test_a_module_is_copied_with_every_character(path: Path) -> None:
    assert runtime_module(path.name).encode() == path.read_bytes()


def test_a_module_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        runtime_module("unknown.py")
