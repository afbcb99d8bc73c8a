"""Selection and base digests of the inspector."""

import pytest

from designer.core import Selection
from designer.editor.fragments.inspector import base_of, existing, transition_of
from orchestration.definition import Frame, Note, Position, Tool
from tests.designer.editor_requests import chain

CHAIN = chain("intake", "review")
DEFINITION = CHAIN.model_copy(
    update={
        "tools": (Tool(name="lookup"),),
        "layout": CHAIN.layout.model_copy(
            update={
                "notes": (Note(id="n", text="Note", x=0, y=0),),
                "frames": (Frame(id="f", title="Frame", stages=("intake",)),),
            }
        ),
    }
)
SELECTIONS = [
    Selection("stage", "intake"),
    Selection("agent", "agent-intake"),
    Selection("tool", "lookup"),
    Selection("transition", "intake>review"),
    Selection("note", "n"),
    Selection("frame", "f"),
]


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_a_selection_stays_while_its_part_exists(selection):
    assert existing(DEFINITION, selection) == selection
    assert existing(DEFINITION, Selection(selection.kind, "gone")) == Selection()


def test_a_transition_is_found_by_its_key():
    assert transition_of(DEFINITION, "intake>review") == DEFINITION.transitions[0]
    assert transition_of(DEFINITION, "review>intake") is None
    assert transition_of(DEFINITION, "intake") is None


def test_the_base_of_a_stage_depends_on_its_values_and_transitions_only():
    selection = Selection("stage", "intake")
    base = base_of(DEFINITION, selection)
    renamed = DEFINITION.model_copy(update={"name": "Other", "tools": ()})
    assert base_of(renamed, selection) == base
    unconnected = DEFINITION.model_copy(update={"transitions": ()})
    assert base_of(unconnected, selection) != base
    assert base_of(DEFINITION, selection, "agent") == base_of(
        DEFINITION, Selection("agent", "agent-intake")
    )


def test_the_base_of_a_note_or_frame_ignores_position_and_stages():
    layout = DEFINITION.layout
    moved = {
        "notes": (layout.notes[0].model_copy(update={"x": 99.0}),),
        "frames": (layout.frames[0].model_copy(update={"stages": ("review",)}),),
        "stages": {"intake": Position(x=5, y=5)},
    }
    changed = DEFINITION.model_copy(update={"layout": layout.model_copy(update=moved)})
    for selection in (Selection("note", "n"), Selection("frame", "f"), Selection()):
        assert base_of(changed, selection) == base_of(DEFINITION, selection)


def test_the_base_of_the_pipeline_depends_on_its_settings_only():
    added = DEFINITION.model_copy(update={"stages": ()})
    assert base_of(added, Selection()) == base_of(DEFINITION, Selection())
    renamed = DEFINITION.model_copy(update={"name": "Other"})
    assert base_of(renamed, Selection()) != base_of(DEFINITION, Selection())
