"""The order of names for people."""

import pytest

from designer.core import natural_key


@pytest.mark.parametrize(
    "names",
    [
        ["Agent 1", "agent 2", "Agent 10", "agent 100"],
        ["stage-9", "stage-10", "stage-10-b", "stage-010-c"],
        ["Okapi", "Ökonom", "Olm", "Zoo"],
        ["", "7", "007b", "70", "Ärzte 2", "ärzte 10"],
        ["a1b2", "a1b10", "a1c1", "a2"],
        [f"v{'9' * 5000}", f"v{'9' * 5001}"],
    ],
)
def test_numbers_within_names_count_as_numbers(names):
    names_in_reverse = names[::-1]
    assert sorted(names_in_reverse, key=natural_key) == names
