"""Modules of an exported project as text."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Final

from orchestration.interchange.project.runtime import http_calls, message_filters, routing

HTTP_CALLS: Final = inspect.getsource(http_calls)
"""Module `http_calls.py` of a project with HTTP tools."""

MESSAGE_FILTERS: Final = inspect.getsource(message_filters)
"""Module `message_filters.py` of a project with filters."""

ROUTING: Final = inspect.getsource(routing)
"""The fixed part of the module `route.py`."""


def module(*sections: str | Iterable[str]) -> str:
    """Return a module with two blank lines between its sections; empty sections are left out.

    A section is a text, or blocks with one blank line between them.
    """
    texts = [
        each if isinstance(each, str) else "\n\n".join(filter(None, each)) for each in sections
    ]
    return "\n\n\n".join(text.strip("\n") for text in texts if text.strip()) + "\n"
