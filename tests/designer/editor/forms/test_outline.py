"""Forms of the outline."""

import pytest

from designer.editor.forms.outline import EntryForm, StageDescriptionForm, StagePositionForm
from orchestration.definition import Position


@pytest.mark.parametrize("kind", ["agent", "group", "human"])
def test_a_description_needs_only_a_phase_and_a_kind(kind):
    form = StageDescriptionForm({"phase": "review", "kind": kind})
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {"phase": "review", "kind": kind, "served_by": "", "source": ""}


def test_an_agent_of_a_human_stage_is_refused_beside_its_field():
    form = StageDescriptionForm({"phase": "review", "kind": "human", "served_by": "Clerk"})
    assert list(form.errors) == ["served_by"]


@pytest.mark.parametrize("fields", [{"kind": "agent"}, {"phase": "a", "kind": "robot"}])
def test_an_incomplete_description_is_refused(fields):
    assert not StageDescriptionForm(fields).is_valid()


def test_a_card_is_moved_to_a_position():
    form = StagePositionForm({"stage": "review", "x": "1.5", "y": "2"})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["at"] == Position(x=1.5, y=2)
    assert not StagePositionForm({"stage": "review", "x": "1"}).is_valid()


def test_an_entry_is_a_key():
    assert EntryForm({"entry": "review"}).is_valid()
    assert not EntryForm({"entry": ""}).is_valid()
