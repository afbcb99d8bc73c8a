"""Tools of a definition."""

import pytest
from pydantic import ValidationError

from orchestration.definition import HttpCall, Tool


@pytest.mark.parametrize("name", ["", "9a", "-a", "a b", "a.b", "x" * 65])
def test_a_name_that_models_do_not_accept_is_refused(name):
    with pytest.raises(ValidationError, match="name"):
        Tool(name=name)


def test_tools_do_not_share_their_default_parameters():
    first, second = Tool(name="a"), Tool(name="b")
    assert first.parameters == second.parameters == {"type": "object", "properties": {}}
    assert first.parameters is not second.parameters


def test_headers_of_a_request_are_sorted_and_have_a_name():
    assert list(HttpCall(headers={"B": "1", "A": "2"}).headers) == ["A", "B"]
    with pytest.raises(ValidationError, match="at least 1"):
        HttpCall(headers={"": "1"})


@pytest.mark.parametrize("seconds", [0, -1, 3_601, float("inf")])
def test_the_time_limit_of_a_call_is_limited(seconds):
    with pytest.raises(ValidationError):
        Tool(name="a", time_limit=seconds)
