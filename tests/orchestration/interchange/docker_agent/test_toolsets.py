"""Toolsets of the agents of a file of docker-agent."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.definition import Tool
from orchestration.interchange.docker_agent.toolsets import (
    arguments,
    from_endpoint,
    is_kept,
    is_plain_call,
    toolsets,
)
from tests.orchestration.interchange.docker_agent.exported import with_tools, written


def test_tools_become_toolsets_and_an_approval_becomes_a_permission() -> None:
    value = written(with_tools())
    by_type = {each["type"]: each for each in value["agents"]["root"]["toolsets"]}
    assert set(by_type["script"]["shell"]) == {"find", "task"}
    assert by_type["script"]["shell"]["find"]["required"] == ["id"]
    apis = [
        each["api_config"] for each in value["agents"]["root"]["toolsets"] if each["type"] == "api"
    ]
    assert [each["endpoint"] for each in apis] == [
        "https://shop.example/orders/${id}",
        "https://shop.invalid/orders",
    ]
    assert by_type["mcp"]["tools"] == ["find_page"]
    assert by_type["mcp"]["remote"]["url"] == "https://docs.invalid/mcp"
    assert by_type["user_prompt"]["instruction"] == "ask: Asks"
    assert value["permissions"]["ask"] == ["call"]
    assert "call" not in value["permissions"]["allow"]


def test_tools_that_do_not_exist_are_left_out() -> None:
    assert toolsets(with_tools(), ["none", "ask"]) == [
        {"type": "user_prompt", "instruction": "ask: Asks"}
    ]


@pytest.mark.parametrize(
    ("endpoint", "url", "connection"),
    [
        ("https://a.example/${id}/x", "https://a.example/{id}/x", None),
        ("https://shop.invalid/orders/${id}", "/orders/{id}", "shop"),
        ("https://a.example/${env.KEY}", "https://a.example/${env.KEY}", None),
        ("https://shop.invalid", "", "shop"),
        ("https://shop.invalid?id=${id}", "?id={id}", "shop"),
        ("https://shop.invalid.example/a", "https://shop.invalid.example/a", None),
    ],
)
def test_an_endpoint_is_read_as_an_address_or_a_connection(
    endpoint: str, url: str, connection: str | None
) -> None:
    assert from_endpoint(endpoint) == (url, connection)


@pytest.mark.parametrize(
    ("call", "is_plain"),
    [
        ({"url": "https://a.example/{id}"}, True),
        ({"url": "https://a.example/{order.id}"}, False),
        ({"url": "https://a.example/$x"}, False),
        ({"url": "https://a.example", "method": "POST", "body": "{id}"}, False),
        ({"url": "https://a.example", "take": "/a"}, False),
        ({"url": "https://a.example", "headers": {"Accept": "text/plain"}}, True),
        ({"url": "https://a.example", "headers": {"X-Order": "{id}"}}, False),
        ({"url": "https://a.example", "headers": {"X-Key": "a"}}, False),
    ],
)
def test_an_api_makes_a_request_without_templates_and_secrets(
    call: dict[str, Any], *, is_plain: bool
) -> None:
    tool = Tool.model_validate({"name": "find", "kind": "http", "http": call})
    assert is_plain_call(tool) is is_plain


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, True),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, False),
        ({"type": "object", "properties": {"a": True}}, False),
        ({"type": "object", "properties": 3, "required": "a"}, False),
    ],
)
def test_arguments_have_one_type_and_a_text_as_description(
    parameters: dict[str, Any], *, kept: bool
) -> None:
    found, required = arguments(parameters)
    assert all(isinstance(each.get("type", ""), str) for each in found.values())
    assert required == (["a"] if kept else [])
    assert is_kept(Tool(name="find", parameters=parameters)) is kept
