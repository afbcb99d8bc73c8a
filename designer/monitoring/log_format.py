"""Format of log lines: text for people or JSON for programs, both with the id of the request."""

from __future__ import annotations

import logging
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from designer.instrumentation import current_request

FOREIGN_HOST = "django.security.DisallowedHost"
"""Logger of requests for a host that the server does not have."""

MAX_HOST = 100
"""Maximum length of a foreign host in a log line."""


class RequestFilter(logging.Filter):
    """Add the id of the current request to every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Set `request_id`; keep every record."""
        record.request_id = current_request().id
        return True


class ForeignHostFilter(logging.Filter):
    """Log a request for a foreign host as one line, without a traceback.

    Scanners send such requests all the time. For an operator who forgot a host name, the line says
    where to add it.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the record's message and traceback; keep every record."""
        if record.name == FOREIGN_HOST:
            request = getattr(record, "request", None)
            host = request.META.get("HTTP_HOST", "") if request is not None else ""
            record.msg = (
                "Refused a request for the host %r, which BATON_ALLOWED_HOSTS does not list."
            )
            record.args = (host[:MAX_HOST],)
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info, record.exc_text = None, None
        return True


class TextFormatter(logging.Formatter):
    """Lines of text; the id of the request is at the end of the first one."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Append the id of the request, if there is one."""
        line = super().formatMessage(record)
        request_id = getattr(record, "request_id", "")
        return f"{line} [request {request_id}]" if request_id else line


class JsonLineFormatter(JsonFormatter):
    """One JSON object per line: time, level, logger, message, request_id, and further fields."""

    def __init__(self) -> None:
        super().__init__(
            ["asctime", "levelname", "name", "message", "request_id"],
            datefmt="%Y-%m-%dT%H:%M:%S%z",
            rename_fields={
                "asctime": "time",
                "levelname": "level",
                "name": "logger",
                "exc_info": "exception",
            },
            reserved_attrs=[*_RECORD_FIELDS, "request", "status_code"],
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Leave out the id of the request where there is none."""
        if not log_data.get("request_id"):
            log_data.pop("request_id", None)
        return log_data


_RECORD_FIELDS = (*vars(logging.makeLogRecord({})), "asctime", "message", "color_message")
