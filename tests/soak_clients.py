"""Readers of conversations whose sockets drop at random."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.serving import BatonServer
from tests.socket_client import SocketClient, SocketGoneError

PIPELINE = """
from designer.rehearsal.actions.conversations import start_conversation
from designer.pipelines.sample_pipelines import create_samples
from designer.models import Pipeline
from tests.people import sign_in_people
[person] = sign_in_people(0, 1, samples=True)
pipeline = Pipeline.objects.get(owner__username="ada-0", name="Customer support")
user = pipeline.owner
rows = [start_conversation(pipeline=pipeline, user=user) for _ in range({count})]
print(person.split()[1], *(row.pk for row in rows))
"""

MESSAGES = (
    "I was charged twice for order A-1043. I want one of them back.",
    "Yes, please do.",
    "My parcel is late.",
)


@dataclass
class Desk:
    """Server, session and conversations of the readers."""

    server: BatonServer
    session: str
    conversations: list[int]

    @classmethod
    def of(cls, server: BatonServer, count: int) -> Desk:
        """Create a user with this many conversations."""
        code = PIPELINE.format(count=count)
        session, *rows = server.manage("shell", "--no-imports", "-c", code).split()
        return cls(server, session, [int(row) for row in rows])

    async def connect(self, conversation: int) -> SocketClient:
        """Open a socket of a conversation."""
        headers = {"Origin": self.server.origin, "Cookie": f"sessionid={self.session}"}
        url = f"{self.server.websocket_url}/ws/conversations/{conversation}/"
        return await SocketClient.connect(url, headers)


@dataclass
class SoakReader:
    """A reader that reconnects at its position whenever its socket is lost."""

    desk: Desk
    conversation: int
    chance: random.Random
    seen: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    cursor: int = 0
    drops: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ends(self) -> int:
        """Number of runs whose end the reader has received."""
        return self.kinds.count("run.completed") + self.kinds.count("run.failed")

    async def until(self, ends: int) -> None:
        """Wait until the reader has received the end of this many runs."""
        while self.ends < ends:
            self.news.clear()
            await self.news.wait()

    async def read(self, *, steady: asyncio.Event) -> None:
        """Read events; drop the socket at random until `steady` is set."""
        await asyncio.sleep(self.chance.uniform(0, 1.5))  # readers start at different times
        while True:
            try:
                socket = await self.desk.connect(self.conversation)
            except SocketGoneError:
                await asyncio.sleep(self.chance.uniform(0.1, 1.0))
                continue
            try:
                await self._follow(socket, steady)
            except SocketGoneError:
                pass
            finally:
                socket.drop()
            self.drops += 1

    async def _follow(self, socket: SocketClient, steady: asyncio.Event) -> None:
        socket.send(json.dumps({"op": "resume", "after": str(self.cursor)}))
        self.take(await socket.receive())
        timeout = None if steady.is_set() else self.chance.expovariate(1 / 3)
        try:
            async with asyncio.timeout(timeout):
                while True:
                    frame = await socket.receive()
                    self.take(frame)
                    for mark in re.findall(r'name="n" value="(\d+)"', frame):
                        socket.send(json.dumps({"op": "seen", "n": mark}))
                    if self.chance.random() < 0.02:
                        await asyncio.sleep(self.chance.uniform(0, 0.5))  # reads slowly
        except TimeoutError:
            return

    def take(self, frame: str) -> None:
        """Record the events and the position of a frame."""
        for number, kind in re.findall(r'id="event-(\d+)"[^>]*data-type="([a-z.]+)"', frame):
            self.seen.append(int(number))
            self.kinds.append(kind)
        if found := re.findall(r'id="cursor"[^>]* value="(\d+)"', frame):
            self.cursor = int(found[-1])
        self.news.set()


async def talk(desk: Desk, conversation: int, chance: random.Random, over: asyncio.Event) -> int:
    """Send messages until `over` is set; return the number of accepted messages."""
    number = 0
    while not over.is_set():
        number += 1
        await _say(desk, conversation, number)
        await asyncio.sleep(chance.uniform(0.5, 2.0))
    return number


async def _say(desk: Desk, conversation: int, number: int) -> None:
    """Send a message; repeat it with the same id until it is accepted."""
    text = MESSAGES[number % len(MESSAGES)]
    message = {"op": "say", "id": f"message-{number}", "text": text}
    after = 2**30  # only new events
    while True:
        try:
            socket = await desk.connect(conversation)
        except SocketGoneError:
            await asyncio.sleep(0.2)
            continue
        try:
            socket.send(json.dumps({"op": "resume", "after": str(after)}))
            socket.send(json.dumps(message))
            async with asyncio.timeout(10):
                return await _wait_until_accepted(socket, message["id"])
        except (SocketGoneError, TimeoutError):
            after = 0  # it may have been accepted before the connection was lost
        finally:
            socket.drop()


async def _wait_until_accepted(socket: SocketClient, message_id: str) -> None:
    """Wait until the message is pending or part of the conversation."""
    marks = (f'data-message="{message_id}"', f'waiting-{message_id}"')
    frame = ""
    while not any(mark in frame for mark in marks):
        frame = await socket.receive()
        for mark in re.findall(r'name="n" value="(\d+)"', frame):
            socket.send(json.dumps({"op": "seen", "n": mark}))


@dataclass
class Soak:
    """Readers of conversations with continuous messages."""

    desk: Desk
    readers: list[SoakReader]
    steady: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, desk: Desk, sockets: int, seed: int) -> Soak:
        """Create this many readers, distributed over the conversations."""
        chance = random.Random(seed)  # noqa: S311 - reproducible
        rows = desk.conversations
        return cls(
            desk,
            [
                SoakReader(desk, rows[number % len(rows)], random.Random(chance.random()))  # noqa: S311
                for number in range(sockets)
            ],
        )

    async def go(self, seconds: float, disturb: Callable[[], None]) -> dict[int, int]:
        """Run for a while with a disturbance in the middle; return the messages per conversation.

        Wait until every reader has received the end of every run.
        """
        reading = [asyncio.create_task(reader.read(steady=self.steady)) for reader in self.readers]
        talking = {
            row: asyncio.create_task(talk(self.desk, row, random.Random(row), self.over))  # noqa: S311
            for row in self.desk.conversations
        }
        try:
            await asyncio.sleep(seconds / 2)
            await asyncio.to_thread(disturb)
            await asyncio.sleep(seconds / 2)
            self.over.set()
            counts = {row: await task for row, task in talking.items()}
            self.steady.set()
            async with asyncio.timeout(120):
                await asyncio.gather(
                    *(reader.until(counts[reader.conversation]) for reader in self.readers)
                )
            return counts
        finally:
            for task in [*reading, *talking.values()]:
                task.cancel()
            await asyncio.gather(*reading, *talking.values(), return_exceptions=True)
