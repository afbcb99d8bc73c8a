"""Failures of a model or of the server, with a real daphne and a real socket."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import (
    BROKEN,
    DROP,
    HOLD,
    NOTHING,
    SILENCE,
    Call,
    Failure,
    OpenAIServer,
    Piece,
    Script,
)
from tests.prepared import Prepared
from tests.serving import BatonServer
from tests.soak_clients import Desk
from tests.socket_client import SocketClient, SocketGoneError

pytestmark = pytest.mark.server

MAX_WAIT = 60
"""Seconds for what must come: a busy machine is no failure."""

SET_UP = """
from designer.rehearsal.actions.conversations import start_conversation
from designer.pipelines.actions import import_definition
from django.contrib.auth.models import User
from tests.orchestration.conversations import with_tools
from tests.people import sign_in_people
[person] = sign_in_people(0, 1, samples=False)
user = User.objects.get(username="ada-0")
pipeline = import_definition(user=user, definition=with_tools("look_up"))
rows = [start_conversation(pipeline=pipeline, user=user).pk for _ in range(3)]
print(person.split()[1], *rows)
"""

FAILED = r"The run failed\.</b> .*"

TABLE: dict[str, tuple[Sequence[Piece] | Failure, int, str]] = {
    "429 with Retry-After": (
        Failure(429, headers=(("Retry-After", "1"),)),
        1,
        r"received too many requests, .* Again in 1 s\.",
    ),
    "500": (Failure(500), 1, r"had an internal error \(status 500\)\. .* Again in 0\.5 s\."),
    "times out": ([SILENCE], 1, r"did not answer within .* Again in 0\.5 s\."),
    "nothing at all": ([NOTHING], 1, r"broke the connection off before it .* Again in 0\.5 s\."),
    "half a stream": (["Half of ", DROP], 0, FAILED + r" broke off during the answer"),
    "broken JSON": (["Half of ", BROKEN, "it."], 0, FAILED + r" sent an event that is not JSON"),
    "an empty answer": ([], 0, FAILED + r" returned an empty answer"),
}
"""By what a model does: its first answer, how often it is asked again, and what the page says."""


@dataclass
class Page:
    """Page with its received frames."""

    desk: Desk
    conversation: int
    seen: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    frames: str = ""
    """All that came, one after the other."""
    socket: SocketClient | None = None

    async def come(self) -> None:
        """Connect, with repeated attempts, and resume at the last position."""
        async with asyncio.timeout(MAX_WAIT):
            while True:
                try:
                    self.socket = await self.desk.connect(self.conversation)
                    break
                except SocketGoneError:
                    await asyncio.sleep(0.1)
        self.ask("resume", after=str(len(self.seen)))

    def ask(self, op: str, **fields: Any) -> None:
        assert self.socket is not None
        self.socket.send(json.dumps({"op": op, **fields}))

    def say(self, number: int) -> None:
        self.ask("say", id=f"message-{number}", text=f"Message {number}")

    async def read(self) -> str:
        """Return the next frame."""
        assert self.socket is not None
        async with asyncio.timeout(MAX_WAIT):
            frame = await self.socket.receive()
        self.frames += frame
        for number, kind in re.findall(r'id="event-(\d+)"[^>]*data-type="([a-z.]+)"', frame):
            self.seen.append(int(number))
            self.kinds.append(kind)
        return frame

    async def until(self, text: str) -> None:
        """Read until a frame contains a text."""
        while text not in await self.read():
            pass

    async def until_there_are(self, count: int, *kinds: str) -> None:
        """Read until there is a number of events of these types."""
        while sum(self.kinds.count(kind) for kind in kinds) < count:
            await self.read()

    def leave(self) -> None:
        if self.socket is not None:
            self.socket.drop()


def first_of(answer: Sequence[Piece] | Failure) -> Script:
    """Return a failing answer, followed by a successful one."""
    answers = [answer]

    def script(_: dict[str, Any]) -> Sequence[Piece] | Failure:
        return answers.pop() if answers else ["All is well."]

    return script


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def desk(
    model: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, prepared: Prepared
) -> Iterator[Desk]:
    """Server for these tests, which one of them kills."""
    folder: Path = tmp_path_factory.mktemp("faults")
    environment = {
        **model.environment,
        "OPENAI_MODEL": "tiny",
        "BATON_LEASE_SECONDS": "1",
        "BATON_FIRST_BYTE_SECONDS": "1",
    }
    server = BatonServer(folder, static_root=prepared.static_root, environment=environment)
    shutil.copytree(prepared.empty_data, server.data_dir)
    server.start()
    session, *rows = server.manage("shell", "--no-imports", "-c", SET_UP).split()
    yield Desk(server, session, [int(row) for row in rows])
    server.stop()
    assert not server.errors()


async def test_each_fault_of_a_model_is_shown_and_retried_and_the_chat_continues(
    desk: Desk, model: OpenAIServer
) -> None:
    page = Page(desk, desk.conversations[0])
    await page.come()
    for number, (fault, (answer, retries, words)) in enumerate(TABLE.items(), start=1):
        model.script = first_of(answer)
        asked, before, page.frames = len(model.requests), len(page.kinds), ""
        page.say(number)
        await page.until_there_are(number, "run.completed", "run.failed")
        run = page.kinds[before:]
        assert run.count("turn.retried") == retries, fault
        assert run[-1] == ("run.completed" if retries else "run.failed"), fault
        shown = " ".join(page.frames.split())
        assert re.search(f'class="ended"(?:(?!class="ended").)*{words}', shown), fault
        assert ("All is well." in page.frames) == bool(retries), fault
        assert len(model.requests) - asked == 1 + retries, fault
        for _ in range(answer == [SILENCE]):
            model.release()
    page.say(100)
    await page.until_there_are(len(TABLE) + 1, "run.completed", "run.failed")
    assert page.kinds[-2:] == ["message.completed", "run.completed"]
    assert page.seen == list(range(1, len(page.seen) + 1))
    page.leave()


@pytest.mark.long
async def test_a_server_killed_in_a_turn_repeats_no_call_and_keeps_its_queue(
    desk: Desk, model: OpenAIServer
) -> None:
    def answer(request: dict[str, Any]) -> Sequence[Piece]:
        last = request["messages"][-1]
        if last["role"] == "tool":
            return ["It is ", HOLD, "on its way."]
        return [Call("look_up", {"order": 7})] if "Message 1" in last["content"] else ["Yes."]

    model.script = answer
    page, paused = (Page(desk, row) for row in desk.conversations[1:])
    await paused.come()
    paused.ask("break_point", stage="intake", on=True)
    paused.say(3)
    await paused.until_there_are(1, "run.paused")
    asked = len(model.requests)
    await page.come()
    page.say(1)
    await page.until("It is ")
    page.say(2)
    await page.until('waiting-message-2"')

    desk.server.kill()
    page.leave()
    paused.leave()
    model.release()  # what was under way, and what is asked again
    model.release()
    await asyncio.to_thread(desk.server.start)
    await page.come()
    await page.until_there_are(2, "run.completed")
    assert page.seen == list(range(1, len(page.seen) + 1))
    assert page.kinds.count("tool.called") == page.kinds.count("tool.returned") == 1
    assert page.kinds.count("turn.started") == page.kinds.count("message.completed") == 3
    assert page.kinds.count("message.received") == page.kinds.count("run.completed") == 2
    assert len(model.requests) - asked == 4, "only the turn that was under way is asked again"

    # A run that stands still is left alone by a server that comes back.
    await paused.come()
    paused.ask("go_on")
    await paused.until_there_are(1, "run.completed")
    assert paused.kinds[-4:] == [
        "run.resumed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert paused.seen == list(range(1, len(paused.seen) + 1))
    assert len(model.requests) - asked == 5
    page.leave()
    paused.leave()
