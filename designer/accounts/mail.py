"""Sending of mails after the response, so that its time does not tell whether a mail is sent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context

_SENDER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


def send_later(send: Callable[[], None]) -> Future[None]:
    """Call `send` in a thread, after earlier calls; the process ends after the last one.

    `send` uses no database, logs its failures, and has a time limit (the mail server's).
    """
    return _SENDER.submit(copy_context().run, send)
