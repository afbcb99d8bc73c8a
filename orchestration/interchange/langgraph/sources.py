"""Modules of a project that are copied unchanged."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

RUNTIME = "orchestration.interchange.langgraph"


@cache
def runtime_module(name: str) -> str:
    """Return the text of a module of `runtime`, such as `handoffs.py`."""
    return files(RUNTIME).joinpath("runtime", name).read_text(encoding="utf-8")
