"""Changes to the outgoing transitions of a stage."""

import pytest

from designer.core.edit_errors import GoneError
from designer.editor.actions.outgoing import (
    TransitionValues,
    change_payload,
    change_transition,
    outgoing_transitions,
    with_transitions,
)
from orchestration.definition import InputFilter, PipelineDefinition, Stage, Transition

LAST = InputFilter(keep="last", count=2)
TO_B = Transition(source="a", target="b", input_filter=LAST)
TO_C = Transition(source="a", target="c", kind="return")
DEFINITION = PipelineDefinition(
    name="P", stages=tuple(Stage(phase=phase) for phase in "abc"), transitions=(TO_B, TO_C)
)
OUTGOING = {"a>b": TO_B, "a>c": TO_C}


def test_outgoing_transitions_have_the_same_source():
    assert outgoing_transitions(DEFINITION, "a>c") == OUTGOING


def test_a_missing_transition_is_refused():
    with pytest.raises(GoneError, match="“b” does not lead to “c”"):
        outgoing_transitions(DEFINITION, "b>c")


def test_a_new_next_turns_the_old_next_into_a_return():
    changed = change_transition(OUTGOING, "a>c", TransitionValues(kind="next", description="Go"))
    assert changed == {
        "a>b": TO_B.model_copy(update={"kind": "return"}),
        "a>c": TO_C.model_copy(update={"kind": "next", "description": "Go"}),
    }


def test_a_return_changes_no_other_transition_and_keeps_its_filter():
    changed = change_transition(OUTGOING, "a>b", TransitionValues(kind="return", description=""))
    assert changed == {"a>b": TO_B.model_copy(update={"kind": "return"})}


def test_a_payload_without_a_schema_has_no_tool_name():
    schema = {"type": "object", "properties": {}}
    changed = change_payload(TO_B, schema, "pass_on")
    assert (changed.input_schema, changed.tool_name) == (schema, "pass_on")
    assert change_payload(changed, None, "pass_on") == TO_B


def test_changed_transitions_replace_those_with_the_same_key():
    changed = TO_C.model_copy(update={"description": "Back"})
    assert with_transitions(DEFINITION, {"a>c": changed}).transitions == (TO_B, changed)
