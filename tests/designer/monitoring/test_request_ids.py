"""Ids of requests."""

import logging

import pytest
from django.test import Client

from designer.instrumentation import RequestContext, current_request, in_request
from designer.monitoring.request_ids import SocketRequestIds
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

HEADER = "X-Request-ID"


def test_every_response_has_an_id_of_its_own(client, anonymous_client):
    ids = {each.get("/")[HEADER] for each in (client, client, anonymous_client)}
    assert len(ids) == 3
    assert all(len(each) == 16 for each in ids)


def test_only_a_trusted_proxy_chooses_the_id(client, settings):
    sent = {HEADER: "from-proxy.1"}
    assert client.get("/", headers=sent)[HEADER] != "from-proxy.1"
    settings.TRUSTED_PROXIES = 1
    assert client.get("/", headers=sent)[HEADER] == "from-proxy.1"
    for forged in ("with space", "x" * 65, "line\u2028break"):
        assert client.get("/", headers={HEADER: forged})[HEADER] != forged


def test_error_pages_show_the_id(user, settings):
    settings.ROOT_URLCONF = "tests.designer.monitoring.failing_urls"
    client = signed_in(user)
    client.raise_request_exception = False
    for path, status in (("/nowhere/", 404), ("/fail/", 500)):
        response = client.get(path)
        assert response.status_code == status
        assert f"Request <code>{response[HEADER]}</code>" in response.text
        assert "canary" not in response.text


def test_the_log_of_requests_contains_no_token_of_a_link(anonymous_client, caplog):
    caplog.set_level(logging.INFO, "designer.requests")
    anonymous_client.get("/sign-in/token-canary/")
    (record,) = [each for each in caplog.records if each.name == "designer.requests"]
    assert record.getMessage().startswith("GET /sign-in/<str:token>/ 410 in ")
    assert "canary" not in str(vars(record))


def test_the_context_ends_with_the_request(client: Client):
    client.get("/")
    assert current_request() == RequestContext()
    with in_request(RequestContext("outer")):
        client.get("/")
        assert current_request().id == "outer"


async def test_a_websocket_is_one_request_of_its_client(settings):
    settings.TRUSTED_PROXIES = 1
    seen = []

    async def application(scope, receive, send):
        seen.append(current_request())

    headers = [(b"x-request-id", b"abc"), (b"x-forwarded-for", b"192.0.2.9")]
    scope = {"type": "websocket", "headers": headers, "client": ("127.0.0.1", 5)}
    await SocketRequestIds(application)(scope, None, None)
    await SocketRequestIds(application)({**scope, "headers": []}, None, None)
    assert seen[0] == RequestContext("abc", "192.0.2.9")
    assert seen[1].address == "127.0.0.1"
    assert seen[1].id not in {"", "abc"}
