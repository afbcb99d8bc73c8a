"""The one inline script of a page: the map of our modules' names to the hashed ones.

It runs nothing. The content security policy allows this very text, by its hash, and no other.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from csp.middleware import CSPMiddleware, PolicyParts
from django.contrib.staticfiles.storage import staticfiles_storage

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponseBase


def import_map() -> str:
    """Return the map's text, or nothing where files keep their own names, as while developing."""
    text: str = getattr(staticfiles_storage, "import_map", "")
    return text


@cache
def source_of(text: str) -> str:
    """Return how a policy names this text as a source of scripts."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class PolicyMiddleware(CSPMiddleware):
    """Sends the policy of the settings, which it has allow the import map."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Add the map's hash to the sources of scripts, where there is a map."""
        parts = super().get_policy_parts(request, response, report_only)
        if text := import_map():
            parts.update = {**(parts.update or {}), "script-src": [source_of(text)]}
        return parts
