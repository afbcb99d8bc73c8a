"""Tests of a connection and its model list, saved or not."""

import asyncio
import json
import re
import sys
import threading
from typing import Any

import pytest
from django.urls import reverse

from designer.connections.connection_tests import (
    MAX_AT_ONCE,
    MAX_SHOWN,
    find_models,
    try_connection,
)
from designer.models import Connection
from orchestration.network import AllowedAddresses
from orchestration.network.connections import ConnectionSettings
from tests.designer.connections.connection_pages import (
    FIELDS,
    field_error,
    post,
    result_text,
    save_connection,
)
from tests.designer.editor_requests import HTMX
from tests.openai_server import Failure, OpenAIServer
from tests.orchestration.providers.completions_server import DONE, KEY, chunk
from tests.orchestration.web_server import Answer, WebServer
from tests.serving import ROOT

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("no_environment"),
]

MCP_SERVER = ROOT / "tests" / "orchestration" / "mcp_server.py"


def test_a_test_uses_the_values_of_the_form(client, vendor):
    vendor.script = lambda _: ["Hello ", "there!"]
    fields = {"base_url": vendor.base_url, "key": vendor.api_key, "model": "small"}
    found = result_text(
        post(client, "new_connection_try", **fields, headers="X-Team: blue", name="")
    )
    assert found.startswith("yes: It works. “small” answered in ")
    assert found.endswith("Hello there!")
    assert "Input: " in found
    assert vendor.headers[0]["X-Team"] == "blue"
    assert not Connection.objects.exists()


def test_a_test_of_a_saved_connection_uses_the_stored_key(client, vendor):
    row = save_connection(client, base_url=vendor.base_url, key=vendor.api_key, model="small")
    response = post(client, "connection_try", row.pk, base_url=vendor.base_url, model="large")
    assert result_text(response).startswith("yes: It works. “large”")


def test_a_stored_key_is_not_sent_to_another_place(client, vendor):
    row = save_connection(client, key="sk-canary")
    response = post(client, "connection_try", row.pk, base_url=vendor.base_url, model="small")
    assert response.status_code == 422
    assert "The stored key is for https://api.example" in field_error(response, "key")
    assert vendor.headers == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"key": "wrong"}, "refused the key"),
        ({"key": "wrong", "model": ""}, "answered with status 401 to the request for its models"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "No server answers at 127.0.0.1:9."),
        ({"base_url": "http://127.0.0.2:9/v1"}, "BATON_ALLOWED_ADDRESSES"),
    ],
)
def test_a_failed_test_gives_the_reason(client, vendor, fields, sentence):
    given = {
        "base_url": vendor.base_url,
        "key": vendor.api_key,
        "model": "small",
        **fields,
    }
    found = result_text(post(client, "new_connection_try", **given))
    assert found.startswith("no: It does not work.")
    assert sentence in found


def test_without_a_model_the_test_loads_the_model_list(client, vendor):
    given = {"base_url": vendor.base_url, "key": vendor.api_key, "model": ""}
    response = post(client, "new_connection_try", **given)
    assert result_text(response).startswith(
        "yes: It works. It lists 2 models: choose a default model"
    )
    assert 'data-model="small"' in response.content.decode()


def test_without_a_model_and_a_list_the_test_gives_a_hint(client, vendor):
    given = {
        "base_url": f"{vendor.base_url}/elsewhere",
        "key": vendor.api_key,
        "model": "",
    }
    found = result_text(post(client, "new_connection_try", **given))
    assert found == "hint: It lists no models: enter a default model for the test."


def test_an_echoed_key_is_removed_from_the_result(client, vendor):
    vendor.script = lambda _: Failure(400, f"bad key {vendor.api_key} and team canary-team")
    fields = {"base_url": vendor.base_url, "key": vendor.api_key, "model": "small"}
    response = post(client, "new_connection_try", **fields, headers="X-Team: canary-team")
    assert result_text(response).startswith("no: It does not work.")
    assert vendor.api_key not in response.content.decode()
    assert "canary" not in response.content.decode()


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (Answer("ok"), r"^yes: It works\. 127\.0\.0\.1:\d+ answered in .*, with status 200\.$"),
        (Answer(status=404), r"^doubtful: It answers, but .* with status 404: check the address"),
        (Answer("no", status=500), r"^doubtful: It answers, but .* with status 500: check"),
        (Answer(""), r"^doubtful: It answers, but .* with status 200 and without content: check"),
        (Answer(status=401), r"^no: It does not work\. .* refused the key \(status 401\)\.$"),
    ],
)
def test_an_error_or_an_empty_answer_of_an_http_api_is_doubtful(client, settings, answer, result):
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    with WebServer(lambda asked: answer) as server:
        found = result_text(post(client, "new_connection_try", kind="http", base_url=server.url))
    assert re.search(result, found)


def test_an_answer_without_text_is_doubtful(client, vendor):
    vendor.script = lambda _: [" "]
    fields = {"base_url": vendor.base_url, "key": vendor.api_key, "model": "small"}
    found = result_text(post(client, "new_connection_try", **fields))
    assert found.startswith("doubtful: It answers, but the answer is unexpected. “small” answered")
    assert "without text" in found


def test_a_test_of_an_mcp_server_lists_its_tools(client, settings):
    settings.MCP_STDIO = {"files": (sys.executable, str(MCP_SERVER), "stdio")}
    found = result_text(post(client, "new_connection_try", kind="mcp_stdio", command="files"))
    assert found.startswith("yes: It works. It answered in ")
    assert "look_up, add, fail" in found


def test_an_unreachable_mcp_server_is_reported(client, vendor):
    found = result_text(
        post(client, "new_connection_try", kind="mcp", base_url="http://127.0.0.1:9/")
    )
    assert found.startswith("no: It does not work.")


def test_an_invalid_answer_of_an_mcp_server_is_not_logged(client, settings, caplog):
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    with WebServer(lambda asked: Answer(asked.headers["Authorization"])) as web:
        response = post(client, "new_connection_try", kind="mcp", base_url=web.url, key="sk-canary")
    assert "sent an invalid response" in result_text(response)
    assert "sk-canary" not in caplog.text + response.content.decode()


def try_environment(client, name):
    return client.post(reverse("environment_try", args=[name]), headers=HTMX)


def test_a_connection_of_the_environment_can_be_tested(client, monkeypatch):
    with OpenAIServer() as running:  # which is nothing that people's connections may reach
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", running.api_key)
        html = client.get("/connections/").content.decode()
        assert 'id="trial-result-openai_compatible"' in html
        response = try_environment(client, "openai_compatible")
        assert "It works. It lists" in result_text(response)
        assert "data-model" not in response.content.decode()
        monkeypatch.setenv("OPENAI_MODEL", "small")
        response = try_environment(client, "openai_compatible")
        assert "It works. “small” answered in" in result_text(response)
        assert 'id="trial-result-openai_compatible"' in response.content.decode()
        assert running.api_key not in response.content.decode()
    assert Connection.objects.count() == 0


def test_a_missing_connection_of_the_environment_is_not_found(client):
    assert try_environment(client, "anthropic").status_code == 404
    client.logout()
    assert try_environment(client, "anthropic").status_code == 401


async def test_the_limit_of_tests_applies_to_one_user(async_client, user, other_user, vendor):
    fields = FIELDS | {"base_url": vendor.base_url, "key": vendor.api_key, "model": "small"}
    page = reverse("new_connection_try")
    await async_client.aforce_login(user)
    for _ in range(MAX_AT_ONCE):
        response = await async_client.post(page, fields, headers=HTMX)
        assert "It works." in result_text(response)
    asked = len(vendor.requests)
    for view in ("new_connection_try", "new_connection_models"):
        response = await async_client.post(reverse(view), fields, headers=HTMX)
        assert response.status_code == 429
        html = response.content.decode()
        assert f"You ran {MAX_AT_ONCE} tests in a short time: wait" in html
        assert "It does not work" not in html
    assert len(vendor.requests) == asked
    await async_client.aforce_login(other_user)
    assert (await async_client.post(page, fields, headers=HTMX)).status_code == 200


def test_a_connection_of_another_user_cannot_be_tested(client, other_client):
    row = save_connection(client, key="sk-canary")
    for name in ("connection_try", "connection_models", "connection", "connection_delete"):
        assert post(other_client, name, row.pk).status_code == 404


# Models


def test_the_models_of_a_vendor_are_suggested_and_stored(client, vendor):
    row = save_connection(client, base_url=vendor.base_url, key=vendor.api_key)
    response = post(client, "connection_models", row.pk, base_url=vendor.base_url)
    assert result_text(response).startswith("yes: It works. It has 2 models")
    assert '<option value="large"></option><option value="small"></option>' in (
        response.content.decode()
    )
    assert Connection.objects.get().known_models == ["large", "small"]
    assert '<option value="large">' in client.get(f"/connections/{row.pk}/").content.decode()


def test_models_of_another_address_are_suggested_but_not_stored(client, vendor):
    row = save_connection(client)
    fields = {"base_url": vendor.base_url, "key": vendor.api_key}
    response = post(client, "connection_models", row.pk, **fields)
    assert '<option value="large">' in response.content.decode()
    assert json.dumps(Connection.objects.get().known_models) == "[]"


def test_a_refused_model_list_is_reported(client, vendor):
    found = result_text(
        post(client, "new_connection_models", base_url=vendor.base_url, key="wrong")
    )
    assert "answered with status 401 to the request for its models." in found
    assert "Incorrect API key provided." in found


@pytest.mark.parametrize(
    ("ask", "kind"),
    [
        (find_models, "openai_compatible"),
        (try_connection, "openai_compatible"),
        (try_connection, "http"),
        (try_connection, "mcp"),
    ],
)
def test_a_test_without_an_answer_is_aborted(settings, ask, kind) -> None:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    over = threading.Event()

    def answer(_: Any) -> Answer:
        over.wait(30)
        return Answer(as_json={})

    with WebServer(answer) as web:
        reached = ConnectionSettings("work", kind, web.url)
        found = asyncio.run(ask(reached, within=0.2))
        over.set()
    assert (found.is_ok, found.sentence) == (False, "It did not answer within 0.2 seconds.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["x" * 10_000] * 20, "The answer is too long: the model does not stop."),
        (["It is ", KEY], "small"),
    ],
)
def test_the_answer_of_a_test_is_limited_and_contains_no_key(settings, words, sentence):
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])
    body = b"".join([*(chunk({"content": word}) for word in words), chunk({}, "stop"), DONE])
    with WebServer(lambda _: Answer(body, headers={"Content-Type": "text/event-stream"})) as web:
        reached = ConnectionSettings("work", "openai_compatible", web.url, key=KEY, model="small")
        found = asyncio.run(try_connection(reached))
    assert sentence in found.sentence
    assert found.answer in ("", "It is [redacted]")
    assert len(found.answer) <= MAX_SHOWN
