"""Property of the queue: commands, withdrawals and dead processes leave a consistent journal."""

from __future__ import annotations

import asyncio
import importlib
import random
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from django.utils import timezone

import designer
from designer.core.database import in_database
from designer.models import Command, Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.break_points import Point
from designer.rehearsal.actions.commands import QueueFullError
from designer.rehearsal.live.providers import use_providers
from orchestration.control import (
    ApproveCall,
    ChangeCall,
    GoOn,
    HandBack,
    HandOver,
    Pause,
    RefuseCall,
    Reply,
    SendNote,
    TakeOver,
)
from orchestration.definition import PipelineDefinition, Tool, ToolExample
from orchestration.exceptions import BatonError
from orchestration.messages import InboundMessage
from orchestration.providers.provider import ModelRequest
from orchestration.runtime import Session
from tests.designer.live_conversations import make_conversation
from tests.designer.live_waits import reloaded, until
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    four_stages,
    handing_over,
)

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = 40
AGENTS = [TRIAGE, HANDLER, REVIEWER, RESOLVER]
PLACES: list[Point] = ["intake", "handling", ("intake", "handling"), ("handling", "review")]


def as_in_another_process() -> tuple[ModuleType, ModuleType]:
    """Import the modules that drive runs again, with their own state and providers."""
    kept = {
        name: module
        for name, module in sys.modules.items()
        if name.startswith("designer.rehearsal.live")
    }
    for name in kept:
        del sys.modules[name]
    try:
        other = importlib.import_module("designer.rehearsal.live")
        return other, sys.modules["designer.rehearsal.live.providers"]
    finally:
        for name in [name for name in sys.modules if name.startswith("designer.rehearsal.live")]:
            del sys.modules[name]
        sys.modules.update(kept)
        designer.rehearsal.live = kept["designer.rehearsal.live"]


@dataclass
class People:
    """Sent commands by their ids."""

    said: set[str] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    number: int = 0

    def next_id(self) -> str:
        self.number += 1
        return f"command-{self.number:04}"


@dataclass
class World:
    """One conversation, two processes that drive it, and people who steer it."""

    conversation: Conversation
    processes: list[ModuleType]
    chance: random.Random
    people: People = field(default_factory=People)

    async def move(self) -> None:
        """Perform a random step."""
        moves = [self.say, self.say, self.ask, self.ask, self.decide, self.decide]
        moves += [self.withdraw, self.mark, self.die]
        await self.chance.choice(moves)()
        for _ in range(self.chance.randrange(12)):
            await asyncio.sleep(0)
        for process in self.processes:
            process.wake()

    async def say(self) -> None:
        message = InboundMessage(id=self.people.next_id(), text="Hello")
        self.people.said.add(message.id)
        process = self.chance.choice(self.processes)
        for _ in range(self.chance.choice([1, 1, 2])):
            await process.say(self.conversation.pk, message)

    async def ask(self) -> None:
        kind: Any = self.chance.choice(
            [Pause, GoOn, GoOn, SendNote, HandOver, HandOver, TakeOver, Reply, HandBack, HandBack]
        )
        fields: dict[Any, dict[str, Any]] = {
            GoOn: {"step": self.chance.random() < 0.5},
            SendNote: {"text": "Be kind."},
            HandOver: {
                "target": self.chance.choice([*AGENTS, "human"]),
                "past_check": self.chance.random() < 0.5,
            },
            Reply: {"text": "I am a person."},
            HandBack: {"target": self.chance.choice(AGENTS)},
        }
        await self.command(kind, **fields.get(kind, {}))

    async def decide(self) -> None:
        """Decide a pending approval, sometimes twice or too late."""
        for asked in await in_database(self._asked):
            kind: Any = self.chance.choice([ApproveCall, ChangeCall, RefuseCall])
            fields: dict[Any, dict[str, str]] = {
                ChangeCall: {"arguments": '{"amount": 5}'},
                RefuseCall: {"reason": "No."},
            }
            await self.command(kind, asked=asked, **fields.get(kind, {}))

    def _asked(self) -> list[int]:
        rows = self.conversation.recorded_events.filter(type="approval.requested")
        return list(rows.order_by("-seq").values_list("seq", flat=True)[:2])

    async def command(self, kind: Any, **fields: Any) -> None:
        command = kind(id=self.people.next_id(), by="ada", **fields)
        with suppress(BatonError, QueueFullError):  # said to whoever asked
            await self.chance.choice(self.processes).command(self.conversation.pk, command)

    async def withdraw(self) -> None:
        keys = await in_database(self._waiting)
        if keys:
            key = self.chance.choice(keys)
            if await self.chance.choice(self.processes).withdraw(self.conversation.pk, key):
                self.people.withdrawn.add(key)

    async def mark(self) -> None:
        point, on = self.chance.choice(PLACES), self.chance.random() < 0.5
        await self.chance.choice(self.processes).set_break_point(self.conversation.pk, point, on=on)

    async def die(self) -> None:
        """Replace a process after its leases have expired."""
        await self.chance.choice(self.processes).shut_down()
        rows = Conversation.objects.filter(pk=self.conversation.pk, lease_until__isnull=False)
        await in_database(rows.update, lease_until=timezone.now(), attempts=1)

    async def come_to_rest(self) -> None:
        """Process everything that is pending, without further commands or failures."""
        for place in PLACES:
            await live.set_break_point(self.conversation.pk, place, on=False)
        await until(self.rests)

    async def rests(self) -> bool:
        for process in self.processes:
            await process.process_queue(self.conversation.pk)
            process.wake()
        waiting = await in_database(self._waiting)  # first: what waits no more has begun by then
        row = await reloaded(self.conversation)
        if row.is_paused:
            await self.command(GoOn)
            await self.decide()
        return not row.run_id and not waiting

    def _waiting(self) -> list[str]:
        rows = Command.objects.filter(conversation=self.conversation, refusal="")
        return list(rows.values_list("key", flat=True))


@pytest.mark.parametrize("seed", range(4))
async def test_the_journal_is_consistent_after_any_events(user, settings, seed):
    settings.LEASE_SECONDS = 5.0
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    other, providers = as_in_another_process()

    def turn(request: ModelRequest) -> Turn:
        if chance.random() < 0.3:
            return [calling(name, amount=7) for name in chance.sample(["pay", "look", "pay"], 2)]
        if chance.random() < 0.4 and request.tools:
            return ("One moment.", handing_over(chance.choice([*AGENTS, "human"])))
        return ("It is ", "done.")

    model = PlayedModel(turn)
    use_providers({"default": model})
    providers.use_providers({"default": model})
    world = World(await in_database(make_conversation, user, paying()), [live, other], chance)
    try:
        for _ in range(MOVES):
            await world.move()
        await world.come_to_rest()
    finally:
        for process in world.processes:
            await process.shut_down()
    await in_database(check, world)


def paying() -> PipelineDefinition:
    """Return a pipeline with agents that may look, and pay after an approval."""
    seen = ToolExample(result="Done.")
    tools = [
        Tool(name="look", examples=(seen,)),
        Tool(name="pay", approval=True, examples=(seen,)),
    ]
    agents = [agent.model_copy(update={"tools": ("look", "pay")}) for agent in four_stages().agents]
    return four_stages(tools=tools, agents=agents)


def check(world: World) -> None:
    """Check the journal: no event is lost, duplicated or out of order, and runs do not overlap."""
    row = Conversation.objects.get(pk=world.conversation.pk)
    events: list[Any] = row.events()
    kinds = [event.type for event in events]
    assert [event.seq for event in events] == list(range(1, row.last_seq + 1))
    assert (row.run_id, row.is_paused, row.lease_until) == ("", False, None)
    assert row.approvals == 0

    is_on, stands = False, False
    for event in events:
        match event.type:
            case "run.started":
                assert not is_on
                is_on = True
            case "run.completed" | "run.failed":
                assert is_on
                is_on = stands = False
            case "run.paused":
                assert is_on
                assert not stands
                stands = True
            case "run.resumed":
                assert stands
                stands = False
            case "turn.started" | "message.completed" | "message.received":
                assert is_on
                assert not stands
    assert "run.failed" not in kinds

    asked = [event.seq for event in events if event.type == "approval.requested"]
    decided = [(event.run_id, event.call_id) for event in events if event.type == "approval.given"]
    assert len(decided) <= len(asked)

    received = [event.message.id for event in events if event.type == "message.received"]
    assert len(received) == len(set(received))
    assert set(received) == world.people.said - world.people.withdrawn

    commands = [getattr(event, "command_id", "") for event in events]
    assert not world.people.withdrawn.intersection(commands)
    for command_id in filter(None, dict.fromkeys(commands)):
        first = commands.index(command_id)
        last = len(commands) - commands[::-1].index(command_id)
        others = {one for one in commands[first:last] if one not in ("", command_id)}
        assert not others, "what one command became stands together"
        assert row.recorded_events.filter(key=f"command:{command_id}").count() == 1

    again = Session(row.snapshot(), events, session_id=row.session_id, providers={})
    assert again.seq == row.last_seq
    assert not again.unfinished
    assert again.state.with_human == (row.waits_for_human or row.taken_by_id is not None)
    assert (again.human is not None) == (row.taken_by_id is not None)
