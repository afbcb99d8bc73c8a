"""Error reports without secret input, and log lines without tracebacks of expected failures."""

from __future__ import annotations

import logging

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class SecretFilter(SafeExceptionReporterFilter):
    """Remove secrets from every report, including debug pages."""

    def is_active(self, request: HttpRequest | None) -> bool:
        """Return True: Django's filter is inactive in debug mode."""
        return True


class DatabaseFailureFilter(logging.Filter):
    """Log a busy, full, read-only or unreachable database as a line, without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the traceback of such a failure by its problem; keep every record."""
        from designer.core import database_failure  # the settings are loaded before the models

        if record.exc_info and (failure := database_failure(record.exc_info[1])):
            if not isinstance(record.args, tuple):  # named values
                record.msg, record.args = record.getMessage().replace("%", "%%"), ()
            record.msg, record.args = f"{record.msg} (%s)", (*record.args, failure.problem)
            record.exc_info, record.exc_text = None, None
        return True
