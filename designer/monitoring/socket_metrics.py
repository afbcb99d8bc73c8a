"""Number of open websockets of this process."""

from __future__ import annotations

from typing import Any

from designer.monitoring.metrics import SOCKETS

PAGES = {"conversations": "rehearsal", "watch": "share link", "pipelines": "editor"}
"""Pages by the first part of a socket's path after `/ws/`."""


class CountedSockets:
    """ASGI middleware that counts websockets while they are open."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the websocket and count it."""
        _, _, name = scope["path"].partition("/ws/")
        page = PAGES.get(name.partition("/")[0], "other")
        with SOCKETS.labels(page).track_inprogress():
            await self.application(scope, receive, send)
