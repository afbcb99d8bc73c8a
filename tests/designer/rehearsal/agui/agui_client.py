"""A front end that reads the AG-UI stream of a conversation."""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.test import Client

from designer.asgi import application
from tests.designer.live_conversations import MAX_WAIT


class Stream:
    """Request of a front end, handled by the application itself: GET, or POST with a body."""

    def __init__(
        self, client: Client, path: str, after: str = "", body: dict[str, Any] | None = None
    ) -> None:
        cookies = "; ".join(f"{key}={one.value}" for key, one in client.cookies.items())
        headers = [(b"host", b"127.0.0.1"), (b"cookie", cookies.encode())]
        self.body = json.dumps(body).encode() if body is not None else b""
        headers += [(b"accept-encoding", b"gzip"), (b"last-event-id", after.encode())]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET" if body is None else "POST",
            "path": path,
            "query_string": b"",
            "headers": headers if after else headers[:-1],
        }
        self.response = ApplicationCommunicator(application, scope)
        self.text = ""

    async def open(self) -> dict[bytes, bytes]:
        """Send the request, and return the headers of the response."""
        await self.response.send_input({"type": "http.request", "body": self.body})
        start = await self.response.receive_output(timeout=MAX_WAIT)
        assert start["status"] == 200
        return dict(start["headers"])

    async def status(self) -> int:
        """Send the request, and return the status of the response."""
        await self.response.send_input({"type": "http.request", "body": self.body})
        start = await self.response.receive_output(timeout=MAX_WAIT)
        status: int = start["status"]
        return status

    async def until_it_ends(self, most: int) -> None:
        """Read until the stream is over or has a number of events."""
        more = True
        while more and len(self.events) < most:
            message = await self.response.receive_output(timeout=MAX_WAIT)
            self.text += message.get("body", b"").decode()
            more = message.get("more_body", False)

    async def rest(self) -> list[dict[str, Any]]:
        """Read until the stream ends, and return all events."""
        more = True
        while more:
            message = await self.response.receive_output(timeout=MAX_WAIT)
            self.text += message.get("body", b"").decode()
            more = message.get("more_body", False)
        return self.events

    async def until(self, word: str) -> None:
        """Read until the stream contains a text."""
        while word not in self.text:
            message = await self.response.receive_output(timeout=MAX_WAIT)
            self.text += message["body"].decode()

    async def leave(self) -> None:
        """Disconnect, as a browser does."""
        await self.response.send_input({"type": "http.disconnect"})
        await self.response.wait(timeout=MAX_WAIT)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Received events."""
        lines = self.text.splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]

    @property
    def last_id(self) -> str:
        """Last received position."""
        return [line[4:] for line in self.text.splitlines() if line.startswith("id: ")][-1]
