"""Pipelines for subtask tools."""

import pytest

from orchestration.exceptions import HandlerError
from orchestration.library import TaskSystem
from orchestration.messages import SubtaskRequest
from tests.orchestration.task_templates import CONTRACTS, LETTERS, SYSTEM


@pytest.mark.parametrize(
    ("request_", "template"),
    [
        (SubtaskRequest(type="review", template_hints=("contracts", "risks")), CONTRACTS),
        (SubtaskRequest(type="review", subtype="Letters"), LETTERS),
        (SubtaskRequest(type="review", subtype="Songs"), None),
        (SubtaskRequest(type="dance"), None),
    ],
)
def test_a_template_is_found_by_name_or_by_hints(request_, template):
    """Contract T-9."""
    assert SYSTEM.find(request_) is template


def test_templates_are_listed_in_order_and_names_are_unique():
    """Contract T-9."""
    tasks = TaskSystem([LETTERS, CONTRACTS])
    assert tasks.templates == (LETTERS, CONTRACTS)
    with pytest.raises(HandlerError, match=r"^Duplicate template 'Letters' in TaskSystem$"):
        tasks.register(LETTERS)
