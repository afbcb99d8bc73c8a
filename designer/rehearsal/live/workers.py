"""Messages from the servers to the workers, over the channel layer.

Each message is for all workers. A lost one costs time or text, never an event: the sweep finds
queued runs, a worker reads its instructions with each event, and a stopped run ends without the
text of an unfinished answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from channels.layers import get_channel_layer

from designer.core import ChannelLayerError, open_channel, send_to_channel
from orchestration.cancellation import end_tasks

WORKERS_CHANNEL = "baton.runs"
"""Channel of all workers."""

REPLY_SECONDS = 1.0
"""Maximum seconds for the reply of a worker, which may be dead or frozen."""


async def notify_workers() -> None:
    """Notify all workers that runs are queued."""
    await send_to_channel(WORKERS_CHANNEL, {"type": "runs.queued"})


async def notify_updated(conversation_id: int) -> None:
    """Ask the worker of a run to apply the new instructions at once."""
    await _send("run.updated", conversation_id)


async def notify_reader(conversation_id: int) -> None:
    """Ask the worker of a run to publish its answers in progress as a whole, for a new reader."""
    await _send("answers.requested", conversation_id)


async def take_answers(conversation_id: int, fence: int) -> dict[str, str]:
    """Stop the worker that had this fence; return the texts of its unfinished answers by run.

    Empty if it does not reply in time.
    """
    try:
        channel = await open_channel()
    except ChannelLayerError:
        return {}
    reply = asyncio.create_task(get_channel_layer().receive(channel))
    try:
        await asyncio.sleep(0)  # the receiver is ready first: layers keep nothing for others
        await _send("run.taken", conversation_id, fence=fence, reply=channel)
        await asyncio.wait([reply], timeout=REPLY_SECONDS)
        return _texts(reply.result()) if reply.done() and not reply.exception() else {}
    finally:
        await end_tasks([reply])


async def reply_answers(channel: str, answers: Mapping[str, str]) -> None:
    """Send the texts of unfinished answers to the server that stops their run."""
    await send_to_channel(channel, {"type": "answers.taken", "answers": dict(answers)})


async def _send(kind: str, conversation_id: int, **fields: Any) -> None:
    message = {"type": kind, "conversation": conversation_id, **fields}
    await send_to_channel(WORKERS_CHANNEL, message)


def _texts(message: Mapping[str, Any]) -> dict[str, str]:
    return {str(run_id): str(text) for run_id, text in message["answers"].items()}
