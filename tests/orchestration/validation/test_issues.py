"""Issues, and the JSON paths of the values that they point to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.validation import error, errors
from orchestration.validation.issues import MAX_LISTED, json_path, listed, path_steps, warning


@given(st.lists(st.text() | st.integers(min_value=0, max_value=99)))
def test_a_path_is_parsed_to_its_steps(steps: list[str | int]) -> None:
    assert path_steps(json_path(*steps)) == tuple(steps)


def test_a_path_quotes_keys_that_are_not_identifiers() -> None:
    assert json_path("stages", 2, "agent_id") == "$.stages[2].agent_id"
    assert json_path("aliases", "agent-b") == "$.aliases['agent-b']"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, ""), (1, "'n0'"), (2, "'n0' and 'n1'"), (3, "'n0', 'n1' and 'n2'")],
)
def test_names_are_listed_as_in_a_sentence(count: int, text: str) -> None:
    assert listed([f"n{number}" for number in range(count)]) == text


def test_a_long_list_of_names_is_shortened() -> None:
    text = listed([f"n{number}" for number in range(MAX_LISTED + 5)])
    assert text.endswith("'n18' and 6 more")


def test_an_error_blocks_and_a_warning_does_not() -> None:
    issues = (
        error("code-a", "A message.", "agent", ("a",), "$.agents[0]"),
        warning("code-b", "A message.", "pipeline", (), "$.entry"),
    )
    assert errors(issues) == issues[:1]
