"""Error reports to Sentry, or to a server with its protocol (extra `sentry`).

The SDK reads its usual variables: SENTRY_DSN, SENTRY_ENVIRONMENT and SENTRY_RELEASE.

A report contains the traceback, the logger, the machine's name, the id of the request and the
pattern of its address.
It contains no values: no arguments of the message, texts of exceptions, local variables, headers,
bodies or addresses, because they may contain keys, links and conversations.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from designer.instrumentation import current_request

if TYPE_CHECKING:
    from sentry_sdk.types import Event

FLUSH_SECONDS = 2.0
"""Maximum time that the end of a process waits for its last reports."""


class SentryHandler(logging.Handler):
    """Handler that reports errors in a thread of the SDK; a failed report is dropped."""

    def __init__(self, dsn: str) -> None:
        """Prepare the client for a valid address."""
        from sentry_sdk import Client

        self._client = Client(
            dsn=dsn,
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,
        )
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record."""
        if not record.name.startswith(("sentry_sdk", "urllib3")):  # its own failures
            self._client.capture_event(self._event(record))

    def close(self) -> None:
        """Send the last reports."""
        self._client.close(timeout=FLUSH_SECONDS)
        super().close()

    def _event(self, record: logging.LogRecord) -> Event:
        from sentry_sdk.utils import event_from_exception

        event: Event = {}
        if record.exc_info and record.exc_info[1] is not None:
            event, _ = event_from_exception(record.exc_info, client_options=self._client.options)
            for exception in event["exception"]["values"]:
                exception["value"] = ""  # it may quote what a user or a model wrote
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        tags = {
            "request_id": current_request().id,
            "route": f"/{match.route}" if match else "",
        }
        return {
            **event,
            "level": "error",
            "logger": record.name,
            "logentry": {"message": str(record.msg)},
            "tags": {name: value for name, value in tags.items() if value},
        }
