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
"""Maximum seconds for a message to the channel layer; a slower one counts as lost."""

log = logging.getLogger(__name__)

Notification = dict[str, Any]

CHECK: Notification = {"type": "reader.check"}
"""Asks to see what is new, and whether one may still read."""


def editor_group(pipeline_id: int) -> str:
    """The channel layer's group of everyone who has a pipeline open in the editor."""
    return f"pipeline.{pipeline_id}"


def conversation_group(conversation_id: int) -> str:
    """The channel layer's group of everyone who reads a conversation."""
    return f"conversation.{conversation_id}"


def permission_group(pipeline_id: int) -> str:
    """The channel layer's group of everyone who reads what the pipeline gives the right to."""
    return f"rights.{pipeline_id}"


def session_group(user_id: int) -> str:
    """The channel layer's group of everyone who reads anything as a person who is signed in."""
    return f"sessions.{user_id}"


def notify_changed(pipeline_id: int, version: int, label: str, user_id: int, name: str) -> None:
    """Tell everyone who has a pipeline open that it has another version, and by whom."""
    message = {
        "type": "pipeline.changed",
        "version": version,
        "label": label[:120],
        "user": user_id,
        "name": name,
    }
    async_to_sync(send_to_group)(editor_group(pipeline_id), message)


def notify_shared(pipeline_id: int) -> None:
    """Tell everyone who has a pipeline or its conversations open to see whether they still may."""
    for group in (editor_group(pipeline_id), permission_group(pipeline_id)):
        async_to_sync(send_to_group)(group, {"type": "reader.check"})


def notify_conversation(conversation_id: int) -> None:
    """Tell everyone who reads a conversation to see whether they still may."""
    async_to_sync(send_to_group)(conversation_group(conversation_id), {"type": "reader.check"})


def notify_signed_out(user_id: int) -> None:
    """Tell everyone who reads as a person that one of that person's sessions is over."""
    async_to_sync(send_to_group)(session_group(user_id), {"type": "session.ended", "user": user_id})


async def send_to_group(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group of the channel layer."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.group_send(group, message))


async def send_to_channel(channel_name: str, message: dict[str, Any]) -> None:
    """Send a message to one reader."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.send(channel_name, message))


async def join_group(group: str, channel_name: str) -> None:
    """Let a reader hear what is sent to a group."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.group_add(group, channel_name))


async def leave_group(group: str, channel_name: str) -> None:
    """Take a reader that is gone out of a group."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.group_discard(group, channel_name))


@asynccontextmanager
async def listen(
    groups: Sequence[str],
) -> AsyncIterator[Callable[[float], Awaitable[Notification]]]:
    """Hear the bells of some groups one by one; where none rings for so many seconds, look around.

    What waits for the next bell is never given up but at the end: a layer may lose what comes to
    a channel at that moment, and the one over Redis does.
    """
    layer = get_channel_layer()
    channel = await layer.new_channel()
    coming: list[asyncio.Task[Notification]] = []

    async def hear(seconds: float) -> Notification:
        if not coming:
            coming.append(asyncio.create_task(layer.receive(channel)))
        done, _ = await asyncio.wait(coming, timeout=seconds)
        return coming.pop().result() if done else CHECK

    try:
        for group in groups:
            await join_group(group, channel)
        yield hear
    finally:
        for task in coming:
            task.cancel()
        await asyncio.gather(*coming, return_exceptions=True)
        for group in groups:
            await leave_group(group, channel)


async def without_layer_errors(sending: Awaitable[object]) -> None:
    """Hand something to the channel layer; where that fails, it is lost, and nothing else."""
    try:
        async with asyncio.timeout(PUBLISH_SECONDS):
            await sending
    except Exception as error:  # noqa: BLE001 - each backend has errors of its own
        log.warning("The channel layer lost a message: %s: %s", type(error).__name__, error)


async def request_check(channel_name: str) -> None:
    """Ask one reader to check its permissions and the newest rows."""
    await send_to_channel(channel_name, {"type": "reader.check"})
