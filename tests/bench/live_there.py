"""The server of `scripts/bench live`: Baton's own, with a model that stamps its words.

Each word of an answer carries its place and its time (`7:1234567890`, in nanoseconds of a clock
that all processes of a machine share), so that a reader can calculate its delay. Beside Baton's
sockets there are bare ones for comparison.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, ClassVar

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import CookieMiddleware
from django.contrib.auth.models import User
from django.urls import path

from designer.asgi import pages
from designer.core.consumer import SocketReader
from designer.management.commands.demo import find_or_create_user, migrate
from designer.pipelines.actions import import_definition
from designer.pipelines.traces import open_trace
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.actions.share_links import create_share_link
from designer.rehearsal.live.providers import use_providers
from designer.routing import websocket_urlpatterns
from orchestration.providers.provider import Finished, ModelRequest, Piece, TextPiece
from orchestration.providers.scripted import TOKENS_PER_SECOND
from tests.long_trace import long_trace, one_agent
from tests.people import sign_in_people

WORDS = int(os.environ.get("BENCH_WORDS", "400"))
"""Number of words of an answer: eight seconds at 50 words a second."""


class StampingProvider:
    """A provider that stamps each word with its time, 50 words a second."""

    name = "stamping"

    def model_of(self, request: ModelRequest) -> str:
        return "stamping"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        begun = time.monotonic()
        for place in range(WORDS):
            await asyncio.sleep(begun + place / TOKENS_PER_SECOND - time.monotonic())
            yield TextPiece(f"{place}:{time.monotonic_ns()} ")
        yield Finished(input_tokens=10, output_tokens=WORDS)


class Echo(AsyncWebsocketConsumer):
    """A bare consumer of Channels that returns each message."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        message = json.loads(text_data or "{}")
        await self.send(json.dumps(message))


class BatonEcho(SocketReader):
    """A consumer on the common base class of Baton's consumers that returns each message."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "websocket.connect":
                await self.accept_reader()
            case "websocket.receive":
                await self.send_html(json.dumps(json.loads(message["text"])))
            case "websocket.disconnect":
                await self.websocket_disconnect(message)

    async def leave(self) -> None:
        pass


class Stream(AsyncWebsocketConsumer):
    """A bare consumer of Channels that streams the same words, each in a frame of its own."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.task = asyncio.create_task(self.speak())

    async def speak(self) -> None:
        request: Any = None
        with suppress(Exception):  # the reader has left
            async for piece in StampingProvider().stream(request):
                if isinstance(piece, TextPiece):
                    await self.send(piece.text)


class Hub(AsyncWebsocketConsumer):
    """A bare consumer in an in-process hub: each message goes unchanged to everyone.

    The minimum of a fan-out: it has its own loop, checks no permissions, reads and stores nothing.
    """

    everyone: ClassVar[set[Hub]] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.base_send = send
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if message["type"] == "websocket.connect":
                    self.everyone.add(self)
                    await send({"type": "websocket.accept"})
                    continue
                for one in list(self.everyone):
                    await one.send(message["text"])
        finally:
            self.everyone.discard(self)


bare = [
    path("bare/hub/", Hub.as_asgi()),
    path("bare/echo/", Echo.as_asgi()),
    path("bare/reader/", BatonEcho.as_asgi()),
    path("bare/stream/", Stream.as_asgi()),
]
router = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": CookieMiddleware(URLRouter([*bare, *websocket_urlpatterns])),
    }
)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer as Baton does; its agents are played by the stamping provider."""
    use_providers({"default": StampingProvider()})
    await router(scope, receive, send)


def prepare(conversations: int, events: int) -> dict[str, Any]:
    """Create the data: a signed-in user, conversations, a long trace and a share link."""
    migrate()
    [name, session] = next(sign_in_people(0, 1, samples=True)).split()
    user: User = find_or_create_user(name)
    pipeline = import_definition(user=user, definition=one_agent())
    made = [start_conversation(pipeline=pipeline, user=user) for _ in range(conversations)]
    return {
        "session": session,
        "conversations": [one.pk for one in made],
        "trace": open_trace(user=user, trace=long_trace(events)).pk,
        "watched": made[0].pk,
        "token": create_share_link(conversation=made[0], user=user),
        "page": f"/pipelines/{pipeline.pk}/",
    }
