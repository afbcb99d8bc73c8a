"""Lists of models in the vendors' published formats."""

import socket
from urllib.parse import parse_qs, urlsplit

import pytest

from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.network import (
    AllowedAddresses,
    ConnectionSettings,
    TimeLimits,
    guarded_transport,
)
from orchestration.providers.model_list import list_models
from tests.orchestration.web_server import Answer, Asked, WebServer, redirect

OPENAI = {"object": "list", "data": [{"id": "b", "object": "model"}, {"id": "a"}]}
"""https://platform.openai.com/docs/api-reference/models/list"""

ANTHROPIC = {
    "": {"data": [{"type": "model", "id": "claude-b"}], "has_more": True, "last_id": "claude-b"},
    "claude-b": {"data": [{"type": "model", "id": "claude-a"}], "has_more": False},
}
"""https://docs.anthropic.com/en/api/models-list"""

GEMINI = {
    "": {
        "models": [
            {"name": "models/pro", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/embed", "supportedGenerationMethods": ["embedContent"]},
        ],
        "nextPageToken": "2",
    },
    "2": {"models": [{"name": "models/flash", "supportedGenerationMethods": ["generateContent"]}]},
}
"""https://ai.google.dev/api/models#method:-models.list"""

OLLAMA = {"models": [{"name": "smollm2:135m", "model": "smollm2:135m"}]}
"""https://github.com/ollama/ollama/blob/main/docs/api.md#list-local-models"""


def query_of(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.target).query).items()}


def answer(asked: Asked) -> Answer:
    """Return the list of the vendor with this path."""
    path, query = urlsplit(asked.target).path, query_of(asked)
    match path:
        case "/openai/models":
            return Answer(as_json=OPENAI)
        case "/anthropic/v1/models":
            return Answer(as_json=ANTHROPIC[query.get("after_id", "")])
        case "/gemini/models":
            return Answer(as_json=GEMINI[query.get("pageToken", "")])
        case "/ollama/api/tags":
            return Answer(as_json=OLLAMA)
        case "/moved/models":
            return redirect("/openai/models")
        case "/words/models":
            return Answer("Welcome!")
        case "/long/models":
            names = ["a", "x" * 201, "a\0b", "", None]
            return Answer(as_json={"data": [{"id": name} for name in names]})
        case "/odd/models":
            return Answer(as_json={"data": ["a"]})
        case "/endless/models":
            return Answer("x" * (5 * 1024 * 1024))
        case _:
            body = {"error": {"message": f"no {asked.headers['Authorization']} here"}}
            return Answer(as_json=body, status=404)


async def listed(kind, path, **options) -> tuple[list[str], list[Asked]]:
    with WebServer(answer) as server:
        connection = ConnectionSettings(
            "work", kind, f"{server.url}/{path}", "sk-canary", {"X-Team": "blue"}, **options
        )
        allowed = guarded_transport(AllowedAddresses.parse(["127.0.0.1"]))
        return await list_models(connection, transport=allowed), server.asked


@pytest.mark.parametrize(
    ("kind", "path", "models", "key"),
    [
        ("openai_compatible", "openai", ["a", "b"], ("Authorization", "Bearer sk-canary")),
        ("openai", "openai/", ["a", "b"], ("Authorization", "Bearer sk-canary")),
        ("anthropic", "anthropic", ["claude-a", "claude-b"], ("x-api-key", "sk-canary")),
        ("gemini", "gemini", ["flash", "pro"], ("x-goog-api-key", "sk-canary")),
        ("ollama", "ollama", ["smollm2:135m"], ("Authorization", "Bearer sk-canary")),
    ],
)
async def test_each_vendor_lists_its_models(kind, path, models, key):
    listing, asked = await listed(kind, path)
    assert listing == models
    name, value = key
    assert {(one.headers[name], one.headers["X-Team"]) for one in asked} == {(value, "blue")}
    assert not any("canary" in one.target for one in asked)


async def test_all_pages_of_a_list_are_requested():
    _, asked = await listed("anthropic", "anthropic")
    assert [query_of(request) for request in asked] == [
        {"limit": "1000"},
        {"limit": "1000", "after_id": "claude-b"},
    ]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("moved", "answered with status 302"),
        ("words", "did not return a list of models"),
        ("odd", "did not return a list of models"),
        ("endless", "is too large"),
        ("nowhere", "answered with status 404"),
    ],
)
async def test_other_content_than_a_list_is_an_error(path, sentence):
    with pytest.raises(ProviderError, match=sentence) as failed:
        await listed("openai", path)
    assert "canary" not in str(failed.value)


async def test_invalid_model_names_are_omitted():
    with WebServer(answer) as web:
        connection = ConnectionSettings("work", "openai_compatible", f"{web.url}/long", key="sk-1")
        assert await list_models(connection) == ["a"]


async def test_no_request_goes_to_a_forbidden_address():
    with WebServer(answer) as server:
        connection = ConnectionSettings("work", "openai", f"{server.url}/openai")
        with pytest.raises(ProviderError, match="BATON_ALLOWED_ADDRESSES"):
            await list_models(connection, transport=guarded_transport(AllowedAddresses()))
        assert server.asked == []


async def test_an_unreachable_vendor_is_an_error():
    with pytest.raises(ProviderError, match=r"^No server answers at 127\.0\.0\.1:9\.$"):
        await list_models(ConnectionSettings("work", "openai", "http://127.0.0.1:9"))


async def test_a_slow_vendor_is_a_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base_url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        connection = ConnectionSettings(
            "work", "openai", base_url, limits=TimeLimits(first_byte=0.2)
        )
        with pytest.raises(ProviderTimeout, match="did not answer in time"):
            await list_models(connection)
