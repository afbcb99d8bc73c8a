"""Templates of HTTP calls: placeholders, and the escaping of arguments."""

import doctest
import json

import pytest

from orchestration.exceptions import ToolError
from orchestration.tools import templates


def test_the_examples_run():
    assert doctest.testmod(templates).failed == 0


@pytest.mark.parametrize("value", ["..", ".", "a/..", "../b", "a\\..\\b"])
def test_an_argument_cannot_leave_its_part_of_the_path(value):
    with pytest.raises(ToolError, match=r"contains “\.” or “\.\.”: write 'order' without them"):
        templates.fill_url("/orders/{order}", {"order": value})


@pytest.mark.parametrize("path", ["/a/../b", "/a/%2e%2E/b", "/a/..;x/b"])
def test_a_template_cannot_contain_relative_parts(path):
    with pytest.raises(ToolError, match="The path"):
        templates.fill_url(path, {})


@pytest.mark.parametrize("arguments", [{}, {"order": None}, {"order": ""}, {"order": []}])
def test_an_argument_in_a_path_is_required(arguments):
    with pytest.raises(ToolError, match="The argument 'order' is required"):
        templates.fill_url("/orders/{order}", arguments)


def test_an_argument_cannot_be_the_host():
    with pytest.raises(ToolError, match="cannot choose the host"):
        templates.fill_url("https://{host}/orders", {"host": "elsewhere.example"})


def test_a_list_in_a_path_is_joined_by_commas():
    assert templates.fill_url("/orders/{ids}", {"ids": [1, "a b"]}) == "/orders/1%2Ca%20b"


def test_a_header_with_a_missing_argument_is_omitted():
    assert templates.fill_header("Bearer {token}", {}) is None
    assert templates.fill_header("Bearer {token}", {"token": "t1"}) == "Bearer t1"


@pytest.mark.parametrize("value", ["a\r\nX-Other: b", "€"])
def test_a_header_with_an_invalid_character_is_an_error(value):
    with pytest.raises(ToolError, match="A header cannot carry"):
        templates.fill_header("{value}", {"value": value})


@pytest.mark.parametrize("value", ['Bo "B"', "line\nbreak", "{items}", "\\"])
def test_a_json_body_stays_valid_with_any_text(value):
    body = templates.fill_json('{"to": "Dear {name}", "raw": {name}}', {"name": value})
    assert json.loads(body) == {"to": f"Dear {value}", "raw": value}


def test_missing_arguments_of_a_json_body_are_null_or_empty_text():
    assert json.loads(templates.fill_json('{"a": {a}, "b": "b{b}"}', {})) == {"a": None, "b": "b"}


def test_a_form_omits_missing_arguments_and_repeats_lists():
    body = templates.fill_form("a={a}&b={b}&c=1", {"b": ["x y", 2]})
    assert body == "b=x+y&b=2&c=1"


def test_other_bodies_are_filled_without_escaping():
    assert templates.fill_text("<a>{a}</a>{b}", {"a": "1 & 2"}) == "<a>1 & 2</a>"
