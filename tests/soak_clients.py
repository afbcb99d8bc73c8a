"""Readers of conversations whose sockets drop at random, and what they have seen in the end."""

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
    """Where the readers go: a server, somebody's session, and conversations."""

    server: BatonServer
    session: str
    conversations: list[int]

    @classmethod
    def of(cls, server: BatonServer, count: int) -> Desk:
        """So many new conversations of somebody new."""
        code = PIPELINE.format(count=count)
        session, *rows = server.manage("shell", "--no-imports", "-c", code).split()
        return cls(server, session, [int(row) for row in rows])

    async def connect(self, conversation: int) -> SocketClient:
        """A socket of a conversation."""
        headers = {"Origin": self.server.origin, "Cookie": f"sessionid={self.session}"}
        url = f"{self.server.websocket_url}/ws/conversations/{conversation}/"
        return await SocketClient.connect(url, headers)


@dataclass
class Soaked:
    """One reader: comes again whenever its socket is gone, and goes on where it was."""

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
        """How many runs it has seen the end of."""
        return self.kinds.count("run.completed") + self.kinds.count("run.failed")

    async def until(self, ends: int) -> None:
        """Until it has seen the end of so many runs."""
        while self.ends < ends:
            self.news.clear()
            await self.news.wait()

    async def read(self, *, steady: asyncio.Event) -> None:
        """Read along; drop the socket at random until `steady` is set."""
        await asyncio.sleep(self.chance.uniform(0, 1.5))  # nobody comes at the same moment
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
        patience = None if steady.is_set() else self.chance.expovariate(1 / 3)
        try:
            async with asyncio.timeout(patience):
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
        """Keep what a frame tells of the trace."""
        for number, kind in re.findall(r'id="event-(\d+)"[^>]*data-type="([a-z.]+)"', frame):
            self.seen.append(int(number))
            self.kinds.append(kind)
        if found := re.findall(r'id="cursor"[^>]* value="(\d+)"', frame):
            self.cursor = int(found[-1])
        self.news.set()


async def talk(desk: Desk, conversation: int, chance: random.Random, over: asyncio.Event) -> int:
    """Say one thing after the other until it is over; return how many were taken."""
    number = 0
    while not over.is_set():
        number += 1
        await _say(desk, conversation, number)
        await asyncio.sleep(chance.uniform(0.5, 2.0))
    return number


async def _say(desk: Desk, conversation: int, number: int) -> None:
    """Say something; what nobody said yes to is sent again, with the same id."""
    text = MESSAGES[number % len(MESSAGES)]
    message = {"op": "say", "id": f"message-{number}", "text": text}
    after = 2**30  # only what is new
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
                return await _until_taken(socket, message["id"])
        except (SocketGoneError, TimeoutError):
            after = 0  # it may have been taken before the connection was lost
        finally:
            socket.drop()


async def _until_taken(socket: SocketClient, message_id: str) -> None:
    """Until the message waits or is part of the conversation."""
    marks = (f'data-message="{message_id}"', f'waiting-{message_id}"')
    frame = ""
    while not any(mark in frame for mark in marks):
        frame = await socket.receive()
        for mark in re.findall(r'name="n" value="(\d+)"', frame):
            socket.send(json.dumps({"op": "seen", "n": mark}))


@dataclass
class Soak:
    """Readers of some conversations in which something is said all the time."""

    desk: Desk
    readers: list[Soaked]
    steady: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, desk: Desk, sockets: int, seed: int) -> Soak:
        """So many readers, as many of each conversation."""
        chance = random.Random(seed)  # noqa: S311 - to be repeated
        rows = desk.conversations
        return cls(
            desk,
            [
                Soaked(desk, rows[number % len(rows)], random.Random(chance.random()))  # noqa: S311
                for number in range(sockets)
            ],
        )

    async def go(self, seconds: float, disturb: Callable[[], None]) -> dict[int, int]:
        """Let it go on for a while, with a disturbance in the middle; how often was what said.

        Returns when every reader has seen the end of every run.
        """
        reading = [asyncio.create_task(one.read(steady=self.steady)) for one in self.readers]
        talking = {
            row: asyncio.create_task(talk(self.desk, row, random.Random(row), self.over))  # noqa: S311
            for row in self.desk.conversations
        }
        try:
            await asyncio.sleep(seconds / 2)
            await asyncio.to_thread(disturb)
            await asyncio.sleep(seconds / 2)
            self.over.set()
            said = {row: await task for row, task in talking.items()}
            self.steady.set()
            async with asyncio.timeout(120):
                await asyncio.gather(*(one.until(said[one.conversation]) for one in self.readers))
            return said
        finally:
            for task in [*reading, *talking.values()]:
                task.cancel()
            await asyncio.gather(*reading, *talking.values(), return_exceptions=True)
