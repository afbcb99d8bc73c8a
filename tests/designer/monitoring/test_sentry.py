"""Error reports, received by a real HTTP server in Sentry's protocol."""

import gzip
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from designer.environment import sentry_dsn
from designer.monitoring.sentry import SentryHandler
from tests.orchestration.web_server import Answer, Asked, WebServer
from tests.serving import clean_environment, manage


def events(asked: list[Asked]) -> list[dict[str, Any]]:
    """Return the events of the received envelopes."""
    found = []
    for request in asked:
        is_zipped = request.headers.get("Content-Encoding") == "gzip"
        body = gzip.decompress(request.body) if is_zipped else request.body
        lines = body.splitlines()
        for header, item in zip(lines[1::2], lines[2::2], strict=False):
            if json.loads(header).get("type") == "event":
                found.append(json.loads(item))
    return found


@pytest.fixture
def sentry() -> Iterator[WebServer]:
    with WebServer(lambda asked: Answer(as_json={})) as server:
        yield server


def dsn_of(server: WebServer) -> str:
    return f"http://key@{server.host}:{server.port}/7"


@pytest.fixture
def handler(sentry: WebServer) -> Iterator[SentryHandler]:
    """Handler of all loggers."""
    handler = SentryHandler(dsn_of(sentry))
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


@pytest.mark.urls("tests.designer.monitoring.failing_urls")
def test_a_failed_request_is_reported_without_its_values(sentry, handler):
    client = Client(raise_request_exception=False)
    response = client.post("/fail/?token=secret-canary", {"key": "secret-canary"})
    handler.close()
    [event] = events(sentry.asked)
    assert sentry.asked[0].target == "/api/7/envelope/"
    assert event["logger"] == "django.request"
    assert event["logentry"] == {"message": "%s: %s"}
    assert event["tags"] == {"request_id": response["X-Request-ID"], "route": "/fail/"}
    [exception] = event["exception"]["values"]
    assert exception["type"] == "RuntimeError"
    frame = exception["stacktrace"]["frames"][-1]
    assert (frame["function"], "vars" in frame) == ("fail", False)
    values = json.dumps(event).replace(json.dumps(frame["pre_context"])[1:-1], "")
    assert "secret-canary" not in values
    assert not {"request", "user", "breadcrumbs"} & event.keys()


def test_a_message_is_reported_without_its_arguments_and_below_errors_not_at_all(sentry, handler):
    log = logging.getLogger("designer.rehearsal")
    log.warning("Only a warning.")
    log.error("Conversation %s failed: %s", 7, "secret-canary")
    logging.getLogger("urllib3.connectionpool").error("Sentry does not answer.")
    handler.close()
    [event] = events(sentry.asked)
    assert event["logentry"] == {"message": "Conversation %s failed: %s"}
    assert "secret-canary" not in json.dumps(event)


def test_an_unreachable_server_costs_nothing_but_the_report(sentry):
    handler = SentryHandler("http://key@127.0.0.1:9/7")
    handler.handle(logging.LogRecord("designer", logging.ERROR, "", 1, "It failed.", (), None))
    handler.close()
    assert sentry.asked == []


@pytest.mark.parametrize("value", ["nonsense", "https://sentry.example/7", "https://key@host"])
def test_a_wrong_address_is_refused_with_the_next_step(monkeypatch, value):
    monkeypatch.setenv("SENTRY_DSN", value)
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN is not the address of a project"):
        sentry_dsn("SENTRY_DSN")
    monkeypatch.setenv("SENTRY_DSN", "")
    assert sentry_dsn("SENTRY_DSN") == ""


def test_a_process_sends_its_reports_before_it_ends(sentry, tmp_path):
    environment = {"SENTRY_DSN": dsn_of(sentry), "BATON_DATA_DIR": str(tmp_path)}
    code = "import logging; logging.getLogger('designer').error('It failed.')"
    manage(clean_environment() | environment, "shell", "--no-imports", "-c", code)
    assert [event["logentry"]["message"] for event in events(sentry.asked)] == ["It failed."]
