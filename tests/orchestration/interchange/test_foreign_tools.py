"""Tools of a foreign document: equal ones are added once, and secrets are left out."""

from __future__ import annotations

import pytest

from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.foreign_tools import (
    ForeignTools,
    host_of,
    is_open_header,
    schema_of,
    server_key,
)
from orchestration.interchange.reading import Reading


@pytest.fixture
def reading() -> Reading:
    return Reading("other")


@pytest.fixture
def tools(reading: Reading) -> ForeignTools:
    return ForeignTools(ForeignDocument(reading))


def places(reading: Reading) -> list[str]:
    """The paths of all losses."""
    return [place for each in reading.rows for place in each.places]


def test_an_equal_tool_is_added_once_and_another_one_gets_a_name_of_its_own(
    tools: ForeignTools, reading: Reading
) -> None:
    name, fields = tools.add("find", ("tools", 0), description="One", kind="function")
    assert (name, fields) == ("find", reading.fields["tools"][0])
    assert tools.add("find", ("tools", 1), kind="function", description="One") == ("find", None)
    assert tools.add("find", ("tools", 2), description="Two")[0] == "find_2"
    assert [each["name"] for each in reading.fields["tools"]] == ["find", "find_2"]
    assert places(reading) == ["$.tools[2]"]  # the changed name


def test_a_header_with_a_secret_is_a_loss_with_its_path(
    tools: ForeignTools, reading: Reading
) -> None:
    headers = {"Accept": "text", "Authorization": "Bearer x", "X-Shop": "${SHOP}"}
    assert tools.headers(headers, ("tools", 0, "headers")) == {"Accept": "text"}
    assert places(reading) == [
        "$.tools[0].headers.Authorization",
        "$.tools[0].headers['X-Shop']",
    ]
    assert tools.headers(None, ("headers",)) == {}
    assert len(reading.rows) == 2


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("X-API-KEY", "a"),
        ("set-cookie", "a"),
        ("My-Token-2", "a"),
        ("Client-Secret", "a"),
        ("", "a"),
        ("x" * 121, "a"),
        ("Accept", 3),
        ("Accept", "a" * 501),
        ("Accept", "a$b"),
    ],
)
def test_a_header_that_may_be_a_secret_is_not_open(key: str, value: object) -> None:
    assert not is_open_header(key, value)
    assert is_open_header("x" * 120, "a" * 500)


def test_an_unknown_method_is_get_and_a_loss(tools: ForeignTools, reading: Reading) -> None:
    assert [tools.method(each, ("m",)) for each in ("post", "DELETE", None)] == [
        "POST",
        "DELETE",
        "GET",
    ]
    assert places(reading) == []
    assert [tools.method(each, ("m",)) for each in ("TRACE", 3, "")] == ["GET"] * 3
    assert places(reading) == ["$.m"] * 3


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Shop.example:8080/a?b", "shop.example"),
        ("https://name:key@shop.example", "shop.example"),
        ("/orders", ""),
        ("https://[", ""),
        (None, ""),
        ({"url": "https://a.example"}, ""),
    ],
)
def test_the_host_of_an_address_is_known_without_a_secret(url: object, host: str) -> None:
    assert host_of(url) == host


def test_the_key_of_a_server_is_that_of_its_first_name() -> None:
    assert server_key(None, "", 3, "Web Shop", "other") == "web-shop"
    assert server_key() == server_key("请求") == "server"


def test_a_schema_has_required_names_only_if_there_are_any() -> None:
    order = {"order": {"type": "integer"}}
    assert schema_of(order, []) == {"type": "object", "properties": order}
    assert schema_of(order, ["order"])["required"] == ["order"]
