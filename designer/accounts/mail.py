"""Sending of mails after the response, so that its time does not tell whether a mail is sent."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from django.core.mail import EmailMessage

_SENDER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")

log = logging.getLogger(__name__)


def send_later(send: Callable[[], None]) -> Future[None]:
    """Call `send` in a thread, after earlier calls; the process ends after the last one.

    `send` uses no database, logs its failures, and has a time limit (the mail server's).
    """
    return _SENDER.submit(copy_context().run, send)


def send_message_later(message: EmailMessage) -> None:
    """Send a message in a thread; a failure is logged."""
    send_later(partial(_send, message))


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except OSError as error:  # SMTP errors are OS errors
        log.error("A mail was not sent: %s. Check BATON_MAIL_URL.", error)
