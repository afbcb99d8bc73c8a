"""The import map: the hashed name of every ES module.

It is the only inline script of a page. The content security policy allows it by its hash.
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
    """Return the text of the import map, or "" during development, when names are not hashed."""
    text: str = getattr(staticfiles_storage, "import_map", "")
    return text


@cache
def source_of(text: str) -> str:
    """Return the name of an inline script in a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class PolicyMiddleware(CSPMiddleware):
    """Send the content security policy of the settings, extended by the import map."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Add the hash of the import map to the allowed scripts."""
        parts = super().get_policy_parts(request, response, report_only)
        if text := import_map():
            parts.update = {**(parts.update or {}), "script-src": [source_of(text)]}
        return parts
