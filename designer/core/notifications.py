"""Notifications over the channel layer: they announce a change without its content.

Receivers read the database. The layer may lose notifications or be unavailable; nothing depends on
their delivery.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from time import monotonic
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from designer.core.per_event_loop import PerEventLoop
from orchestration.cancellation import end_tasks, restored_cancellation

PUBLISH_SECONDS = 2.0
"""Maximum seconds for a message to the channel layer; a slower one counts as lost."""

PAUSE_SECONDS = 5.0
"""Seconds without messages to a channel layer that did not respond, so that runs do not wait."""

log = logging.getLogger(__name__)

_PAUSED_UNTIL: PerEventLoop[float] = PerEventLoop(float)
"""Monotonic time until which no message is sent."""

Notification = dict[str, Any]

CHECK: Notification = {"type": "reader.check"}
"""Request to read new rows and to check permissions."""


class ChannelLayerError(Exception):
    """The channel layer fails or does not respond."""


def editor_group(pipeline_id: int) -> str:
    """Return the group of all open editors of a pipeline."""
    return f"pipeline.{pipeline_id}"


def conversation_group(conversation_id: int) -> str:
    """Return the group of all readers of a conversation."""
    return f"conversation.{conversation_id}"


def permission_group(pipeline_id: int) -> str:
    """Return the group of all readers whose access depends on a pipeline."""
    return f"rights.{pipeline_id}"


def variants_group(session_id: str) -> str:
    """Return the group of all readers of a conversation and its forks, by the engine's session."""
    return f"variants.{sha256(session_id.encode()).hexdigest()[:32]}"


def session_group(user_id: int) -> str:
    """Return the group of all readers of one signed-in user."""
    return f"sessions.{user_id}"


def notify_changed(pipeline_id: int, version: int, label: str, user_id: int, name: str) -> None:
    """Announce a new version of a pipeline and its author to all open editors."""
    message = {
        "type": "pipeline.changed",
        "version": version,
        "label": label[:120],
        "user": user_id,
        "name": name,
    }
    async_to_sync(send_to_group)(editor_group(pipeline_id), message)


def notify_shared(pipeline_id: int) -> None:
    """Ask all readers of a pipeline and its conversations to check their permissions."""
    for group in (editor_group(pipeline_id), permission_group(pipeline_id)):
        async_to_sync(send_to_group)(group, {"type": "reader.check"})


def notify_conversation(conversation_id: int) -> None:
    """Ask all readers of a conversation to check their permissions."""
    async_to_sync(send_to_group)(conversation_group(conversation_id), {"type": "reader.check"})


def notify_signed_out(user_id: int) -> None:
    """Announce the end of one of a user's sessions to all readers of the user."""
    async_to_sync(send_to_group)(session_group(user_id), {"type": "session.ended", "user": user_id})


async def send_to_group(group: str, message: dict[str, Any]) -> None:
    """Send a message to a group of the channel layer."""
    layer = get_channel_layer()
    if layer is not None and monotonic() >= _PAUSED_UNTIL.get():
        await without_layer_errors(layer.group_send(group, message))


async def send_to_channel(channel_name: str, message: dict[str, Any]) -> None:
    """Send a message to one reader."""
    layer = get_channel_layer()
    if layer is not None and monotonic() >= _PAUSED_UNTIL.get():
        await without_layer_errors(layer.send(channel_name, message))


async def open_channel() -> str:
    """Open a channel for one reader of this process and return its name.

    Raises `ChannelLayerError` if the layer fails or does not respond.
    """
    try:
        async with asyncio.timeout(PUBLISH_SECONDS):
            channel: str = await get_channel_layer().new_channel()
    except Exception as error:  # each backend raises its own errors
        raise ChannelLayerError(
            f"the channel layer does not work ({type(error).__name__}). Check REDIS_URL and its "
            "server."
        ) from error
    return channel


async def join_group(group: str, channel_name: str) -> None:
    """Add a reader to a group."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.group_add(group, channel_name))


async def leave_group(group: str, channel_name: str) -> None:
    """Remove a reader from a group."""
    layer = get_channel_layer()
    if layer is not None:
        await without_layer_errors(layer.group_discard(group, channel_name))


@asynccontextmanager
async def listen(
    groups: Sequence[str],
) -> AsyncIterator[Callable[[float], Awaitable[Notification]]]:
    """Yield a function that waits for the next notification of some groups.

    After the given seconds without a notification it returns `CHECK`. A pending receive is never
    cancelled before the end: the Redis layer loses a message that arrives at that moment.
    """
    layer = get_channel_layer()
    channel = await open_channel()
    pending: list[asyncio.Task[Notification]] = []

    async def receive(seconds: float) -> Notification:
        if not pending:
            pending.append(asyncio.create_task(layer.receive(channel)))
        done, _ = await asyncio.wait(pending, timeout=seconds)
        return pending.pop().result() if done else CHECK

    try:
        for group in groups:
            await join_group(group, channel)
        yield receive
    finally:
        await end_tasks(pending)
        for group in groups:
            await leave_group(group, channel)


async def without_layer_errors(operation: Awaitable[object]) -> None:
    """Await an operation of the channel layer; log a failure and continue.

    The backend may swallow the cancellation of the current task, which is therefore restored.
    """
    try:
        with restored_cancellation():
            async with asyncio.timeout(PUBLISH_SECONDS):
                await operation
    except Exception as error:  # noqa: BLE001 - each backend raises its own errors
        if isinstance(error, TimeoutError):
            _PAUSED_UNTIL.set(monotonic() + PAUSE_SECONDS)
        log.warning("The channel layer lost a message: %s: %s", type(error).__name__, error)


async def request_check(channel_name: str) -> None:
    """Ask one reader to check its permissions and the newest rows."""
    await send_to_channel(channel_name, {"type": "reader.check"})
