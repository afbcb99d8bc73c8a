"""End of a session, announced to its open pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from designer.core import notify_signed_out


def end_session(*, request: HttpRequest, user: Any, **_: object) -> None:
    """End the session of a user who signs out, and notify the user's open pages.

    Django sends its signal before it ends the session, but receivers of the notification must
    find the session ended.
    """
    request.session.flush()
    if user is not None:
        notify_signed_out(user.pk)
