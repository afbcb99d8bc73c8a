"""Users who talk in a conversation and reconnect to any server after each lost connection."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from tests.serving import BatonServer
from tests.socket_client import SocketClient, SocketGoneError

MESSAGES = (
    "I was charged twice for order A-1043. I want one of them back.",
    "Yes, please do.",
    "My parcel is late.",
)

CONNECT_SECONDS = 15.0
"""Maximum seconds for a connection, which may be refused while Redis or PostgreSQL is away."""

EVENT = re.compile(r'id="event-(\d+)"[^>]*data-type="([a-z.]+)"( data-depth="\d+")?')
CURSOR = re.compile(r'id="cursor"[^>]* value="(\d+)"')
MARK = re.compile(r'name="n" value="(\d+)"')


@dataclass(eq=False)
class ChatUser:
    """User of one conversation, who sends the next message after the answer to the previous one."""

    servers: Sequence[BatonServer]
    session: str
    conversation: int
    chance: random.Random
    sent: int = 0
    cursor: int = 0
    events: list[tuple[int, str]] = field(default_factory=list)
    """Numbers and types of the received events, in order of their arrival."""
    arrivals: list[float] = field(default_factory=list)
    """Monotonic time of each frame with events."""
    is_waiting: bool = False
    """True while an answer is missing."""
    connected_to: BatonServer | None = None
    sent_to: BatonServer | None = None
    """Server that received the last message, which drives its run unless it was stopped."""

    @property
    def ends(self) -> int:
        """Number of ended runs."""
        return sum(kind in ("run.completed", "run.failed") for _, kind in self.events)

    def depends_on(self, server: BatonServer) -> bool:
        """Report whether a stop of the server affects the user."""
        return server in (self.connected_to, self.sent_to)

    async def talk(self, is_over: asyncio.Event) -> None:
        """Send one message after the other until the campaign is over."""
        while not is_over.is_set():
            self.sent += 1
            self.is_waiting = True
            while self.ends < self.sent:
                await self._exchange()
            self.is_waiting = False
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))

    async def _exchange(self) -> None:
        """Connect to any server, repeat the last message, and read until its run has ended."""
        server = self.chance.choice(self.servers)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                socket = await self._connect(server)
        except (SocketGoneError, TimeoutError):
            await asyncio.sleep(self.chance.uniform(0.1, 0.5))
            return
        self.connected_to = self.sent_to = server
        try:
            socket.send(json.dumps({"op": "resume", "after": str(self.cursor)}))
            text = MESSAGES[self.sent % len(MESSAGES)]
            socket.send(json.dumps({"op": "say", "id": f"message-{self.sent}", "text": text}))
            while self.ends < self.sent:
                self._receive(socket, await socket.receive())
        except SocketGoneError:
            await asyncio.sleep(self.chance.uniform(0.1, 0.5))
        finally:
            self.connected_to = None
            socket.drop()

    async def _connect(self, server: BatonServer) -> SocketClient:
        headers = {"Origin": server.origin, "Cookie": f"sessionid={self.session}"}
        url = f"{server.websocket_url}/ws/conversations/{self.conversation}/"
        return await SocketClient.connect(url, headers)

    def _receive(self, socket: SocketClient, frame: str) -> None:
        if events := EVENT.findall(frame):
            self.arrivals.append(monotonic())
            self.events += [(int(number), kind) for number, kind, _ in events]
        if cursors := CURSOR.findall(frame):
            self.cursor = int(cursors[-1])
        for mark in MARK.findall(frame):
            socket.send(json.dumps({"op": "seen", "n": mark}))
