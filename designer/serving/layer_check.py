"""Check of the channel layer at the start of a process."""

from __future__ import annotations

import logging

from designer.monitoring.health import check_channel_layer, within_limit

log = logging.getLogger(__name__)


async def channel_layer_problem() -> str:
    """Return a sentence about a channel layer that cannot be used, with the next step, or empty."""
    result = await within_limit("channel layer", check_channel_layer())
    return "" if result.is_ok else f"Redis or Valkey cannot be used. {result.text}"


async def warn_about_channel_layer() -> None:
    """Log that open pages get no updates, if the channel layer cannot be used."""
    if problem := await channel_layer_problem():
        log.warning("%s Until it responds, websockets are refused.", problem)
