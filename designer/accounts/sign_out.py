"""The end of a session: whatever is open under it is told."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from designer.core import notify_signed_out


def end_session(*, request: HttpRequest, user: Any, **_: object) -> None:
    """End the session of somebody who signs out, and ring at once where that person reads.

    Django tells of it before it does it; whoever hears the bell must find it done.
    """
    request.session.flush()
    if user is not None:
        notify_signed_out(user.pk)
