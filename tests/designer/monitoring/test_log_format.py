"""Format of log lines."""

import io
import json
import logging
import logging.config
import sys
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from designer.environment import choice
from designer.instrumentation import RequestContext, in_request
from designer.monitoring.log_format import JsonLineFormatter, RequestFilter, TextFormatter


def formatted(formatter: logging.Formatter, request_id: str = "", **options: Any) -> str:
    """Return a logged line."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(formatter)
    handler.addFilter(RequestFilter())
    record = logging.LogRecord("a.logger", logging.ERROR, __file__, 1, "It is %s", ("so",), None)
    vars(record).update(options)
    with in_request(RequestContext(request_id)):
        handler.handle(record)
    return str(handler.stream.getvalue())


def test_a_line_of_text_ends_with_the_id_of_its_request():
    assert formatted(TextFormatter(), "r1").endswith("ERROR a.logger: It is so [request r1]\n")
    assert formatted(TextFormatter()).endswith("ERROR a.logger: It is so\n")


def test_a_json_line_has_the_fields_of_the_record():
    line = json.loads(formatted(JsonLineFormatter(), "r1", route="/x/", status=200))
    assert line.pop("time")
    assert line == {
        "level": "ERROR",
        "logger": "a.logger",
        "message": "It is so",
        "request_id": "r1",
        "route": "/x/",
        "status": 200,
    }
    assert "request_id" not in json.loads(formatted(JsonLineFormatter()))


def test_an_exception_stays_within_its_json_line():
    try:
        raise ValueError("a\nb")
    except ValueError:
        text = formatted(JsonLineFormatter(), exc_info=sys.exc_info())
    assert text.count("\n") == 1
    assert "ValueError: a\nb" in json.loads(text)["exception"]


def test_an_unknown_format_is_refused(monkeypatch):
    monkeypatch.setenv("BATON_LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="BATON_LOG_FORMAT must be text or json"):
        choice("BATON_LOG_FORMAT", "text", "json")


def test_a_request_for_a_foreign_host_logs_one_line(start_server):
    server = start_server(environment={"BATON_LOG_FORMAT": "json"})
    before = server.log.read_text()
    response = httpx.get(f"{server.url}/", headers={"Host": "evil.example"})
    assert response.status_code == 400
    lines = server.log.read_text().removeprefix(before).splitlines()
    assert len(lines) == 1
    entry = json.loads(lines[0])
    assert entry["level"] == "WARNING"
    assert entry["request_id"] == response.headers["X-Request-ID"]
    assert entry["message"] == (
        "Refused a request for the host 'evil.example', which BATON_ALLOWED_HOSTS does not list."
    )
