"""Selection of the template for a subtask."""

from __future__ import annotations

import pytest

from orchestration.conversation import find_template
from orchestration.exceptions import HandlerError
from orchestration.library import TaskSystem
from orchestration.messages import SubtaskRequest
from tests.orchestration.task_templates import CONTRACTS, LETTERS, SYSTEM


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (SubtaskRequest(type="x", subtype="Letters"), "Letters"),
        (SubtaskRequest(type="x", subtype="Nobody's", template_hints=("letters",)), None),
        (SubtaskRequest(type="x", template_hints=("Risks in CONTRACTS",)), "Contract review"),
        (SubtaskRequest(type="x", template_hints=("reads", "letters")), "Letters"),
        (SubtaskRequest(type="x", template_hints=("contracts",)), "Contract review"),
        (SubtaskRequest(type="x", template_hints=("dancing",)), None),
        (SubtaskRequest(type="write_letters"), "Letters"),
        (SubtaskRequest(type="x"), None),
    ],
    ids=[
        "named",
        "named wrongly",
        "words",
        "name before description",
        "a tie",
        "none",
        "type",
        "x",
    ],
)
def test_a_template_is_found_by_name_or_by_hints(request_, found):
    """Contract T-9: by full name, else by words; the first of equals."""
    template = SYSTEM.find(request_)
    assert (template.name if template else None) == found
    assert find_template(request_, [CONTRACTS, LETTERS]) is template


def test_a_template_is_registered_once():
    """Contract T-9."""
    system = TaskSystem([CONTRACTS])
    with pytest.raises(HandlerError, match=r"^Duplicate template 'Contract review' in TaskSystem$"):
        system.register(CONTRACTS)
    system.register(LETTERS)
    assert system.templates == (CONTRACTS, LETTERS)
