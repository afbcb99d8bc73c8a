"""Conversations, sockets and models for tests of live rehearsals."""

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

MAX_WAIT = 60
"""Seconds that a test waits for an expected message on a busy machine."""


def sample(name: str) -> PipelineDefinition:
    """Return a sample pipeline."""
    return load_storable((SAMPLES / f"{name}.json").read_bytes())


def make_pipeline(user: User, definition: PipelineDefinition | None = None) -> Pipeline:
    """Create a pipeline of a user: triage → handler → reviewer ⇄ handler → resolver."""
    return import_definition(user=user, definition=definition or four_stages())


def make_conversation(user: User, definition: PipelineDefinition | None = None) -> Conversation:
    """Create a conversation without events."""
    return start_conversation(pipeline=make_pipeline(user, definition), user=user)


class HeldProvider:
    """Model that streams its words one by one as the test releases them, and counts its calls."""

    name = "held"

    def __init__(self, *words: str | Retry) -> None:
        self.words = words
        self.calls = 0
        self.held = asyncio.Semaphore(0)

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def release(self, words: int) -> None:
        """Release a number of words."""
        for _ in range(words):
            self.held.release()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.calls += 1
        for word in self.words:
            await self.held.acquire()
            yield TextPiece(word) if isinstance(word, str) else word
        yield Finished(input_tokens=7, output_tokens=len(self.words))


def provide(*words: str | Retry) -> HeldProvider:
    """Use a model for all agents that streams these words as the test releases them."""
    provider = HeldProvider(*words)
    use_providers({"default": provider})
    return provider


class HeldTurns:
    """Model that answers with one turn after the other as the test releases them."""

    name = "held"

    def __init__(self, *turns: Turn) -> None:
        self.turns = turns
        self.requests: list[ModelRequest] = []
        self.held = asyncio.Semaphore(0)

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def release(self, turns: int = 1) -> None:
        """Release a number of turns."""
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
    """Use a model for all agents that answers with these turns; the last one is repeated."""
    provider = HeldTurns(*turns)
    use_providers({"default": provider})
    return provider


class HeldAgents:
    """Model with words for each agent, streamed as the test releases them; it fails at `FAILS`."""

    FAILS = ""

    name = "held"

    def __init__(self, **words: Sequence[str]) -> None:
        self.words = words
        self.held = {agent_id: asyncio.Semaphore(0) for agent_id in words}

    def model_of(self, request: ModelRequest) -> str:
        return "held-1"

    def release(self, agent_id: str, words: int) -> None:
        """Release a number of an agent's words."""
        for _ in range(words):
            self.held[agent_id].release()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        for word in self.words[request.agent.id]:
            await self.held[request.agent.id].acquire()
            if word == self.FAILS:
                raise ProviderError("The connection broke off.")
            yield TextPiece(word)
        yield Finished(input_tokens=7, output_tokens=1)


def pair_pipeline(**changes: Any) -> PipelineDefinition:
    """Return a pipeline with one group of two agents, `one` and `two`, that answer in parallel."""
    fields: dict[str, Any] = {
        "name": "A pair",
        "agents": [Agent(id="one", name="One"), Agent(id="two", name="Two")],
        "stages": [Stage(phase="both", kind="group", group=Group(agents=("one", "two")))],
        "entry": "both",
    }
    return PipelineDefinition.model_validate(fields | changes)


class FlakyLayer(InMemoryChannelLayer):
    """Channel layer with a server that does not respond while `is_down`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.is_down = False
        self.lost = asyncio.Event()

    async def send(self, channel: str, message: Any) -> None:
        self._check_server()
        await super().send(channel, message)

    async def group_send(self, group: str, message: Any) -> None:
        self._check_server()
        await super().group_send(group, message)

    async def group_discard(self, group: str, channel: str) -> None:
        self._check_server()
        await super().group_discard(group, channel)

    def _check_server(self) -> None:
        if self.is_down:
            self.lost.set()
            raise ConnectionError("Connection refused.")


def flaky_layer(settings: Any) -> FlakyLayer:
    """Replace the channel layer of this process; `settings` is pytest-django's fixture."""
    path = f"{FlakyLayer.__module__}.{FlakyLayer.__name__}"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": path}}
    layer = get_channel_layer()
    if not isinstance(layer, FlakyLayer):
        raise TypeError(f"The channel layer is {layer!r}.")
    return layer


class Reader:
    """Socket of a page, which sends operations and keeps the received frames."""

    def __init__(self, client: Client, conversation_id: int, path: str = "") -> None:
        cookies = "; ".join(f"{key}={cookie.value}" for key, cookie in client.cookies.items())
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
        connected, _ = await self.socket.connect(timeout=MAX_WAIT)
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
        frame: str = await self.socket.receive_from(timeout=MAX_WAIT)
        self.frames.append(frame)
        return frame

    async def until(self, pattern: str) -> str:
        """Receive until a frame matches; return that frame."""
        while not re.search(pattern, frame := await self.receive()):
            pass
        return frame

    async def until_run_ends(self) -> None:
        """Receive until the main run is over; the end of a subtask's run has a depth."""
        await self.until(r'data-type="run\.(completed|failed)"><')

    def last(self, pattern: str) -> str:
        """Return the last received frame that matches."""
        return next(frame for frame in reversed(self.frames) if re.search(pattern, frame))

    async def closed(self) -> int:
        """Receive until the socket is closed, and return the code."""
        while (output := await self.socket.receive_output(MAX_WAIT))["type"] != "websocket.close":
            self.frames.append(output.get("text", ""))
        return int(output["code"])

    async def leave(self) -> None:
        await self.socket.disconnect(timeout=MAX_WAIT)

    @property
    def seen(self) -> list[int]:
        """Numbers of the received events, in order."""
        return [int(number) for number in re.findall(r'id="event-(\d+)"', "".join(self.frames))]

    @property
    def cursor(self) -> int:
        return int(re.findall(r'id="cursor"[^>]* value="(\d+)"', "".join(self.frames))[-1])

    def streamed(self, of: str = "") -> str:
        """Return the streamed text as the page would show it, of one run or of all."""
        text = ""
        for swap, part in re.findall(
            rf'hx-swap-oob="(innerHTML|beforeend):#turn-[^"]*{of}[^"]*-text">(.*?)</span>',
            "\n".join(self.frames),
            re.DOTALL,
        ):
            text = part if swap == "innerHTML" else text + part
        return text


async def recorded(conversation_id: int) -> list[tuple[int, str]]:
    """Return the number and the type of every event in the journal."""
    return await in_database(_recorded, conversation_id)


def _recorded(conversation_id: int) -> list[tuple[int, str]]:
    rows = Conversation.objects.get(pk=conversation_id).recorded_events.order_by("seq")
    return list(rows.values_list("seq", "type"))
