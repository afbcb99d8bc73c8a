"""Checks of HTTP headers that users set."""

import pytest

from orchestration.network import is_allowed_header, is_header_name, is_header_value


@pytest.mark.parametrize("name", ["X-Key", "x_key", "ETag", "!#$%&'*+.^`|~"])
def test_a_token_is_a_header_name(name):
    assert is_header_name(name)


@pytest.mark.parametrize("name", ["", " ", "X Key", "X:Key", "X-Key\n", "Clé", "(x)"])
def test_any_other_text_is_no_header_name(name):
    assert not is_header_name(name)
    assert not is_allowed_header(name)


@pytest.mark.parametrize("name", ["Host", "CONTENT-LENGTH", "transfer-encoding", "Connection"])
def test_a_header_of_the_transport_is_not_allowed(name):
    assert is_header_name(name)
    assert not is_allowed_header(name)


@pytest.mark.parametrize(
    ("value", "valid"),
    [("Bearer sk-1", True), ("", True), ("a\r\nX: 1", False), ("a\x00", False), ("clé", False)],
)
def test_a_header_value_is_one_line_of_visible_ascii(value, valid):
    assert is_header_value(value) is valid
