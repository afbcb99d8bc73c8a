"""Bells: the channel layer tells that something is new, and never what it is.

Whoever hears one reads the database. The layer may lose any of them, and may be gone altogether:
nothing fails with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

PUBLISH_SECONDS = 2.0
"""How long the channel layer may take over one message before it counts as lost."""

log = logging.getLogger(__name__)

Bell = dict[str, Any]

LOOK_AROUND: Bell = {"type": "reader.check"}
"""Asks to see what is new, and whether one may still read."""


def readers_of(pipeline_id: int) -> str:
    """The channel layer's group of everyone who has a pipeline open in the editor."""
    return f"pipeline.{pipeline_id}"


def conversing(conversation_id: int) -> str:
    """The channel layer's group of everyone who reads a conversation."""
    return f"conversation.{conversation_id}"


def rights_in(pipeline_id: int) -> str:
    """The channel layer's group of everyone who reads what the pipeline gives the right to."""
    return f"rights.{pipeline_id}"


def sessions_of(user_id: int) -> str:
    """The channel layer's group of everyone who reads anything as a person who is signed in."""
    return f"sessions.{user_id}"


def ring_changed(pipeline_id: int, version: int, label: str, user_id: int, name: str) -> None:
    """Tell everyone who has a pipeline open that it has another version, and by whom."""
    message = {
        "type": "pipeline.changed",
        "version": version,
        "label": label[:120],
        "user": user_id,
        "name": name,
    }
    async_to_sync(publish)(readers_of(pipeline_id), message)


def ring_shared(pipeline_id: int) -> None:
    """Tell everyone who has a pipeline or its conversations open to see whether they still may."""
    for group in (readers_of(pipeline_id), rights_in(pipeline_id)):
        async_to_sync(publish)(group, {"type": "reader.check"})


def ring_checked(conversation_id: int) -> None:
    """Tell everyone who reads a conversation to see whether they still may."""
    async_to_sync(publish)(conversing(conversation_id), {"type": "reader.check"})


def ring_signed_out(user_id: int) -> None:
    """Tell everyone who reads as a person that one of that person's sessions is over."""
    async_to_sync(publish)(sessions_of(user_id), {"type": "session.ended", "user": user_id})


async def publish(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group of the channel layer."""
    layer = get_channel_layer()
    if layer is not None:
        await lossy(layer.group_send(group, message))


async def tell(channel_name: str, message: dict[str, Any]) -> None:
    """Send a message to one reader."""
    layer = get_channel_layer()
    if layer is not None:
        await lossy(layer.send(channel_name, message))


async def join(group: str, channel_name: str) -> None:
    """Let a reader hear what is sent to a group."""
    layer = get_channel_layer()
    if layer is not None:
        await lossy(layer.group_add(group, channel_name))


async def leave(group: str, channel_name: str) -> None:
    """Take a reader that is gone out of a group."""
    layer = get_channel_layer()
    if layer is not None:
        await lossy(layer.group_discard(group, channel_name))


@asynccontextmanager
async def listening(groups: Sequence[str]) -> AsyncIterator[Callable[[float], Awaitable[Bell]]]:
    """Hear the bells of some groups one by one; where none rings for so many seconds, look around.

    What waits for the next bell is never given up but at the end: a layer may lose what comes to
    a channel at that moment, and the one over Redis does.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel()
    coming: list[asyncio.Task[Bell]] = []

    async def hear(seconds: float) -> Bell:
        if not coming:
            coming.append(asyncio.create_task(layer.receive(channel)))
        done, _ = await asyncio.wait(coming, timeout=seconds)
        return coming.pop().result() if done else LOOK_AROUND

    try:
        for group in groups:
            await join(group, channel)
        yield hear
    finally:
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        for group in groups:
            await leave(group, channel)


async def lossy(sending: Awaitable[object]) -> None:
    """Hand something to the channel layer; where that fails, it is lost, and nothing else."""
    try:
        async with asyncio.timeout(PUBLISH_SECONDS):
            await sending
    except Exception as error:  # noqa: BLE001 - each backend has errors of its own
        log.warning("The channel layer lost a message: %s: %s", type(error).__name__, error)


async def request_check(channel_name: str) -> None:
    """Ask one reader to check its permissions and the newest rows."""
    await tell(channel_name, {"type": "reader.check"})
