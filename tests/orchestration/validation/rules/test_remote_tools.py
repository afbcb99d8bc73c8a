"""Rules about remote tools."""

from typing import Any

import pytest

from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from tests.orchestration.sound_pipeline import SOUND, sound, value_at

URL = "https://shop.example/orders"


def with_call(*names: str, tool: dict[str, Any] | None = None, **http: Any) -> Any:
    """Return a valid definition with an HTTP tool."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    fields = {"name": "look_up", "kind": "http", "parameters": schema, "http": http}
    return sound(tools=[*SOUND["tools"], fields | (tool or {})])


def found(definition: Any) -> list[tuple[str, str]]:
    return [(issue.code, issue.severity) for issue in validate(definition)]


@pytest.mark.parametrize(
    "http",
    [
        {"url": URL},
        {"url": "HTTP://shop.example"},
        {"url": "orders", "connection": "shop"},
        {"connection": "shop"},
        {"url": f"{URL}/{{a}}"},
        {"url": URL, "method": "POST"},
        {"url": URL, "method": "POST", "body": '{"x": {a}}'},
        {"url": URL, "headers": {"X-A": "{a}"}},
    ],
)
def test_a_request_with_all_its_arguments_is_valid(http: Any) -> None:
    uses = "{a}" in str(http) or http.get("method") == "POST"
    assert found(with_call(*["a"] * uses, **http)) == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "has no address"),
        ("/orders", "has no address"),
        ("shop.example/orders", "has no address"),
        ("ftp://shop.example", "without http:// or https://"),
        ("http+unix://x", "without http:// or https://"),
        ("https://{a}.example/", "choose the host"),
        ("https://shop.example:{a}/", "choose the host"),
    ],
)
def test_a_request_needs_an_address_with_a_fixed_host(url: str, said: str) -> None:
    definition = with_call("a", method="POST", url=url)
    (issue,) = validate(definition)
    assert (issue.code, issue.severity) == ("http-address-wrong", "error")
    assert said in issue.message
    assert value_at(definition, issue.where.path) == url


def test_a_tool_without_a_request_is_an_error() -> None:
    (issue,) = validate(with_call(tool={"http": None}))
    assert (issue.code, issue.where.keys) == ("http-address-wrong", ("look_up",))


def test_a_tool_replaced_by_examples_needs_no_request() -> None:
    examples = {"stand_in": True, "examples": [{"result": "Shipped"}]}
    assert found(with_call(tool={"http": None} | examples)) == []
    assert found(with_call(tool={"kind": "mcp", "http": None} | examples)) == []


@pytest.mark.parametrize(
    "http",
    [
        {"url": f"{URL}/{{b}}?a={{a}}"},
        {"url": f"{URL}?a={{a}}", "headers": {"X-B": "{b}"}},
        {"url": URL, "method": "PUT", "body": "{a} {b}"},
    ],
)
def test_the_fix_of_an_unknown_placeholder_adds_the_argument(http: Any) -> None:
    definition = with_call("a", **http)
    (issue,) = validate(definition)
    assert (issue.code, issue.severity) == ("http-argument-unknown", "error")
    assert "'b'" in issue.message
    fix = find_fix(definition, issue)
    assert fix is not None
    mended = apply_fix(definition, fix)
    assert list(mended.tools_by_name["look_up"].parameters["properties"]) == ["a", "b"]
    assert validate(mended) == ()


def test_an_invalid_header_is_an_error_and_a_key_a_warning() -> None:
    assert found(with_call(url=URL, headers={"Host": "a"})) == [("http-header-wrong", "error")]
    assert found(with_call(url=URL, headers={"a b": "c"})) == [("http-header-wrong", "error")]
    shown = {"X-Api-Key": "0123456789"}
    assert found(with_call(url=URL, headers=shown)) == [("http-key-shown", "warning")]
    assert found(with_call("a", url=URL, headers={"Authorization": "Bearer {a}"})) == []
    in_address = with_call(url="https://ada:secret@shop.example/")
    assert found(in_address) == [("http-key-shown", "warning")]


def test_an_argument_without_a_placeholder_is_a_warning() -> None:
    (issue,) = validate(with_call("a", "b", url=f"{URL}/{{a}}"))
    assert (issue.code, issue.severity) == ("http-argument-unused", "warning")
    assert "'b'" in issue.message
    body = with_call("a", "b", url=URL, method="POST", body="{a}")
    assert found(body) == [("http-argument-unused", "warning")]


def test_a_tool_of_an_mcp_server_needs_a_connection() -> None:
    tool = {"kind": "mcp", "http": None}
    assert found(with_call(tool=tool)) == [("mcp-server-missing", "error")]
    assert found(with_call(tool=tool | {"mcp": {"connection": "files"}})) == []
