"""Conversations, sockets and models that the tests of live rehearsals share."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from designer.asgi import application
from designer.core.database import in_database
from designer.models import Conversation, Pipeline
from designer.pipelines.actions import import_definition
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.live.providers import use_providers
from orchestration.definition import Agent, Group, PipelineDefinition, Stage
from orchestration.exceptions import ProviderError
from orchestration.loading import load_storable
from orchestration.providers.provider import Finished, ModelRequest, Piece, Retry, TextPiece
from tests.orchestration.conversations import Turn, four_stages

SAMPLES = Path(__file__).resolve().parents[2] / "designer" / "pipelines" / "samples"
ORIGIN = "http://127.0.0.1:8000"

# Seconds that a test waits for what must come: a busy machine is no failure.
PATIENCE = 60


def sample(name: str) -> PipelineDefinition:
    """One of the sample pipelines."""
    return load_storable((SAMPLES / f"{name}.json").read_bytes())


def make_pipeline(user: User, definition: PipelineDefinition | None = None) -> Pipeline:
    """A pipeline of the user's: triage → handler → reviewer ⇄ handler → resolver."""
    return import_definition(user=user, definition=definition or four_stages())


def make_conversation(user: User, definition: PipelineDefinition | None = None) -> Conversation:
    """A conversation that has not begun."""
    return start_conversation(pipeline=make_pipeline(user, definition), user=user)


class HeldProvider:
    """Says words one by one, each when the test lets it; counts how often it was asked."""

    name = "held"

    def __init__(self, *words: str | Retry) -> None:
        self.words = words
        self.asked = 0
        self.held = asyncio.Semaphore(0)

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def let(self, words: int) -> None:
        """Let this many more words be said."""
        for _ in range(words):
            self.held.release()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.asked += 1
        for word in self.words:
            await self.held.acquire()
            yield TextPiece(word) if isinstance(word, str) else word
        yield Finished(input_tokens=7, output_tokens=len(self.words))


def provide(*words: str | Retry) -> HeldProvider:
    """Have all agents speak these words, each when the test lets it."""
    provider = HeldProvider(*words)
    use_providers({"default": provider})
    return provider


class HeldTurns:
    """Answers with one given turn after the other, each when the test lets it."""

    name = "held"

    def __init__(self, *turns: Turn) -> None:
        self.turns = turns
        self.requests: list[ModelRequest] = []
        self.held = asyncio.Semaphore(0)

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def let(self, turns: int = 1) -> None:
        """Let this many more turns be answered."""
        for _ in range(turns):
            self.held.release()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.requests.append(request)
        turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
        await self.held.acquire()
        for part in turn:
            yield TextPiece(part) if isinstance(part, str) else part
        yield Finished(input_tokens=7, output_tokens=1)


def provide_turns(*turns: Turn) -> HeldTurns:
    """Have all agents answer with these turns, each when the test lets it; then with the last."""
    provider = HeldTurns(*turns)
    use_providers({"default": provider})
    return provider


class HeldAgents:
    """Each agent says its own words one by one, when the test lets it; at `FAILS` it fails."""

    FAILS = ""

    name = "held"

    def __init__(self, **words: Sequence[str]) -> None:
        self.words = words
        self.held = {agent_id: asyncio.Semaphore(0) for agent_id in words}

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def let(self, agent_id: str, words: int) -> None:
        """Let an agent say this many more words."""
        for _ in range(words):
            self.held[agent_id].release()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        for word in self.words[request.agent.id]:
            await self.held[request.agent.id].acquire()
            if word == self.FAILS:
                raise ProviderError("The connection broke off.")
            yield TextPiece(word)
        yield Finished(input_tokens=7, output_tokens=1)


def a_pair(**changes: Any) -> PipelineDefinition:
    """A group of two, `one` and `two`, that answer at once; nothing comes after it."""
    fields: dict[str, Any] = {
        "name": "A pair",
        "agents": [Agent(id="one", name="One"), Agent(id="two", name="Two")],
        "stages": [Stage(phase="both", kind="group", group=Group(agents=("one", "two")))],
        "entry": "both",
    }
    return PipelineDefinition.model_validate(fields | changes)


class FlakyLayer(InMemoryChannelLayer):
    """A channel layer whose server is gone while `is_down`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.is_down = False
        self.lost = asyncio.Event()

    async def send(self, channel: str, message: Any) -> None:
        self._arrive()
        await super().send(channel, message)

    async def group_send(self, group: str, message: Any) -> None:
        self._arrive()
        await super().group_send(group, message)

    async def group_discard(self, group: str, channel: str) -> None:
        self._arrive()
        await super().group_discard(group, channel)

    def _arrive(self) -> None:
        if self.is_down:
            self.lost.set()
            raise ConnectionError("Connection refused.")


def flaky_layer(settings: Any) -> FlakyLayer:
    """The channel layer of this process from now on; `settings` is pytest-django's fixture."""
    path = f"{FlakyLayer.__module__}.{FlakyLayer.__name__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    layer = get_channel_layer()
    if not isinstance(layer, FlakyLayer):
        raise TypeError(f"The channel layer is {layer!r}.")
    return layer


class Reader:
    """A page's socket: sends operations, and keeps what it was sent."""

    def __init__(self, client: Client, conversation_id: int, path: str = "") -> None:
        cookies = "; ".join(f"{key}={one.value}" for key, one in client.cookies.items())
        headers = [
            (b"host", b"127.0.0.1:8000"),
            (b"origin", ORIGIN.encode()),
            (b"cookie", cookies.encode()),
        ]
        self.conversation_id = conversation_id
        self.path = path or f"/ws/conversations/{conversation_id}/"
        self.socket = WebsocketCommunicator(application, self.path, headers=headers)
        self.frames: list[str] = []

    async def connect(self) -> bool:
        connected, _ = await self.socket.connect(timeout=PATIENCE)
        return bool(connected)

    async def ask(self, **operation: Any) -> None:
        await self.socket.send_to(text_data=json.dumps(operation))

    async def resume(self, after: int = 0) -> None:
        await self.ask(op="resume", after=str(after))

    async def say(self, text: str, message_id: str = "", **fields: Any) -> str:
        message_id = message_id or uuid.uuid4().hex
        await self.ask(op="say", id=message_id, text=text, **fields)
        return message_id

    async def receive(self) -> str:
        frame: str = await self.socket.receive_from(timeout=PATIENCE)
        self.frames.append(frame)
        return frame

    async def until(self, pattern: str) -> str:
        """Receive until a frame matches; return that frame."""
        while not re.search(pattern, frame := await self.receive()):
            pass
        return frame

    async def until_run_ends(self) -> None:
        """Receive until the conversation's own run is over; a subtask's ends with a depth."""
        await self.until(r'data-type="run\.(completed|failed)"><')

    def last(self, pattern: str) -> str:
        """The last frame it was sent that matches."""
        return next(frame for frame in reversed(self.frames) if re.search(pattern, frame))

    async def closed(self) -> int:
        """Receive until the socket is closed; the code."""
        while (sent := await self.socket.receive_output(PATIENCE))["type"] != "websocket.close":
            self.frames.append(sent.get("text", ""))
        return int(sent["code"])

    async def leave(self) -> None:
        await self.socket.disconnect(timeout=PATIENCE)

    @property
    def seen(self) -> list[int]:
        """The numbers of the events it was sent, in order."""
        return [int(number) for number in re.findall(r'id="event-(\d+)"', "".join(self.frames))]

    @property
    def cursor(self) -> int:
        return int(re.findall(r'id="cursor"[^>]* value="(\d+)"', "".join(self.frames))[-1])

    def streamed(self, of: str = "") -> str:
        """The text of the answers under way, as the page would show it; of one run, or of all."""
        text = ""
        for how, piece in re.findall(
            rf'hx-swap-oob="(innerHTML|beforeend):#turn-[^"]*{of}[^"]*-text">(.*?)</span>',
            "\n".join(self.frames),
            re.DOTALL,
        ):
            text = piece if how == "innerHTML" else text + piece
        return text


async def recorded(conversation_id: int) -> list[tuple[int, str]]:
    """The journal: number and type of every event."""
    return await in_database(_recorded, conversation_id)


def _recorded(conversation_id: int) -> list[tuple[int, str]]:
    rows = Conversation.objects.get(pk=conversation_id).recorded_events.order_by("seq")
    return list(rows.values_list("seq", "type"))
