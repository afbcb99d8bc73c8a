"""Limits of each kind of document.

They are set so that the largest allowed document of each kind loads within 250 ms
(`scripts/bench documents` measures it).
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.definition import MAX_TEXT

MAX_DIGITS = 100
"""Maximum number of characters of a whole number."""

MAX_FAULTS = 100
"""Maximum number of reported faults of a document."""

MAX_BYTES = 2 * 1024 * 1024
"""Maximum size of a definition in bytes."""
MAX_DEPTH = 32
"""Maximum depth of a definition's lists and objects, including the outermost."""
MAX_VALUES = 100_000
"""Maximum number of values of a definition."""

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """Limits of a document; all are checked before anything is built from it."""

    max_bytes: int
    max_values: int
    """Maximum number of values in lists and objects, including nested lists and objects."""
    max_depth: int = MAX_DEPTH
    """Maximum depth of nested lists and objects, including the outermost."""
    max_text: int = MAX_TEXT
    """Maximum length of a text or a key in characters."""
    max_integer: int = 10**MAX_DIGITS


DEFINITION = DocumentLimits(max_bytes=MAX_BYTES, max_values=MAX_VALUES)
"""A definition: a file, a template, the clipboard or a JSON field of a form."""

OPENAPI = DocumentLimits(max_bytes=2 * _MIB, max_values=50_000, max_depth=64, max_text=100_000)
"""An OpenAPI document as JSON or YAML."""

TRACE = DocumentLimits(max_bytes=8 * _MIB, max_values=200_000)
"""A trace file with all its lines."""

TRACE_HEAD = DocumentLimits(max_bytes=_MIB, max_values=MAX_VALUES, max_text=_MIB)
"""The first line of a trace file, with its definitions."""

TRACE_EVENT = DocumentLimits(
    max_bytes=_MIB, max_values=MAX_VALUES, max_text=_MIB, max_integer=2**53
)
"""An event of a trace file. Many programs round larger whole numbers."""

TOOL_LIST = DocumentLimits(max_bytes=_MIB, max_values=50_000, max_text=_MIB)
"""A list of tools that a server or a page sends."""

FORM_VALUES = DocumentLimits(max_bytes=4 * _MIB, max_values=50_000, max_text=4 * _MIB)
"""The values of a form as its page keeps them."""

TOOL_JSON = DocumentLimits(max_bytes=4 * _MIB, max_values=50_000, max_text=4 * _MIB)
"""Arguments or an answer of a tool as JSON."""

MESSAGE = DocumentLimits(max_bytes=64 * 1024, max_values=5_000, max_text=64 * 1024)
"""A message of a socket."""
