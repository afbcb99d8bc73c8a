"""Checks of the channel layer, of waiting runs and of the mail server."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.core.mail import get_connection
from django.db import connection
from django.utils import timezone

from designer.accounts import OpenIdProviderError, fetch_metadata
from designer.doctor.findings import Finding, error, ok, warning
from designer.models import Conversation
from designer.rehearsal import find_workers, run_queue

LAYER_SECONDS = 5.0
LONG_WITHOUT_PROCESS = 60
"""Seconds after which a run should have been continued by another process."""


def check_channel_layer() -> Finding:
    """Send a message through the channel layer and receive it."""
    is_shared = settings.CHANNEL_LAYERS["default"]["BACKEND"].startswith("channels_redis.")
    if not is_shared and connection.vendor == "postgresql":
        text = "It reaches one process only, but PostgreSQL allows several."
        return warning("Channel layer", text, "Set REDIS_URL before starting a second process.")
    try:
        async_to_sync(_send_and_receive)()
    except Exception as reason:  # noqa: BLE001 - each client of Redis has its own errors
        text = " ".join(str(reason).split()) or type(reason).__name__
        fix = "Start Redis or Valkey, or check REDIS_URL."
        return error("Channel layer", f"No message passes through it: {text}", fix)
    return ok("Channel layer", "Redis" if is_shared else "Within the server process")


async def _send_and_receive() -> None:
    layer = get_channel_layer()
    async with asyncio.timeout(LAYER_SECONDS):
        name = await layer.new_channel()
        await layer.group_add(name.replace("!", "."), name)
        await layer.group_send(name.replace("!", "."), {"type": "doctor"})
        await layer.receive(name)
        await layer.group_discard(name.replace("!", "."), name)


def check_runs() -> Finding:
    """Look for live workers, if they drive the runs, and for runs that no process continues."""
    if settings.RUNS == "workers" and not find_workers():
        return error("Runs", "No worker was seen.", "Start `manage.py work`, or the unit.")
    limit = timezone.now() - timedelta(seconds=LONG_WITHOUT_PROCESS)
    runs = Conversation.objects.exclude(run_id="").filter(is_paused=False, lease_until__lt=limit)
    if count := runs.count():
        text = f"{count} runs have had no process for more than {LONG_WITHOUT_PROCESS} seconds."
        return warning("Runs", text, "Start a server or a worker: it continues them.")
    if (queue := run_queue()).length:
        text = f"{queue.length} wait for a process, the oldest for {queue.seconds:.0f} s."
        return ok("Runs", text)
    return ok("Runs", "No run waits for a process.")


def check_mail() -> Finding:
    """Connect to the mail server, and sign in."""
    if not settings.MAIL_ENABLED:
        text = "No mail server: people cannot reset their passwords themselves."
        return warning("Mail", text, "Set BATON_MAIL_URL and BATON_MAIL_FROM.")
    try:
        mail = get_connection()
        mail.open()
        mail.close()
    except OSError as reason:
        fix = "Check BATON_MAIL_URL, and that the mail server allows this machine."
        return error("Mail", f"The mail server cannot be used: {reason}", fix)
    return ok("Mail", f"From {settings.DEFAULT_FROM_EMAIL}")


def check_openid_provider() -> Finding:
    """Fetch the description of the OpenID Connect provider."""
    provider = settings.OPENID_PROVIDER
    if provider is None:
        return ok("OpenID Connect", "Not used: people sign in by password.")
    try:
        fetch_metadata(provider.issuer)
    except OpenIdProviderError as reason:
        return error("OpenID Connect", str(reason), "Check BATON_OIDC_ISSUER and the provider.")
    who = "everyone of the provider" if provider.is_open else "invited people only"
    return ok("OpenID Connect", f"{provider.issuer}, for {who}")
