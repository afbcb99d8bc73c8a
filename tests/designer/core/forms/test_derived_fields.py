"""Form fields derived from the fields of a part of a definition."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from django import forms
from pydantic import Field, StringConstraints

from designer.core import KeyField, derive_fields
from designer.editor.forms.agent import AgentForm
from designer.editor.forms.tool import ToolForm
from orchestration.definition import Agent, Frozen, Key, Tool


class Lamp(Frozen):
    room: Key
    maker: Annotated[str, StringConstraints(max_length=20)] = ""
    watts: Annotated[int, Field(ge=1, le=60)] | None = None
    heat: Annotated[float, Field(ge=0.5)] | None = Field(default=None, title="Heat in degrees")
    """Measured
    at the shade."""
    dimmed: bool = False
    bulbs: tuple[str, ...] = ()


@derive_fields(Lamp, without=("bulbs",))
class LampForm(forms.Form):
    switch = forms.CharField()
    maker = forms.CharField(label="Brand", required=False)


def test_a_form_has_the_fields_of_its_part_in_their_order_and_its_own():
    assert list(LampForm().fields) == ["room", "maker", "watts", "heat", "dimmed", "switch"]
    assert isinstance(LampForm().fields["room"], KeyField)
    assert LampForm().fields["maker"].label == "Brand"


def test_a_derived_field_has_label_help_text_and_bounds_of_the_definition():
    fields: dict[str, Any] = LampForm().fields
    heat, watts = fields["heat"], fields["watts"]
    assert (heat.label, heat.help_text) == ("Heat in degrees", "Measured at the shade.")
    assert (heat.min_value, heat.max_value) == (0.5, None)
    assert (watts.min_value, watts.max_value) == (1, 60)
    form = LampForm({"room": "", "watts": "61", "heat": "0.4", "switch": "on"})
    assert set(form.errors) == {"room", "watts", "heat"}


def test_empty_derived_fields_give_the_default_values():
    form = LampForm({"room": "hall", "switch": "on"})
    assert form.is_valid(), form.errors
    values = {
        name: form.cleaned_data[name] for name in ("room", "maker", "watts", "heat", "dimmed")
    }
    assert Lamp(**values) == Lamp(room="hall")


def test_a_field_without_a_default_form_field_must_be_declared():
    class Plug(Frozen):
        kind: Literal["a", "b"] = "a"

    with pytest.raises(TypeError, match="'kind' needs a declared form field"):
        derive_fields(Plug)(type("PlugForm", (forms.Form,), {}))


def test_the_forms_of_agents_and_tools_edit_all_of_their_fields():
    assert {*AgentForm.base_fields} == {*Agent.model_fields} - {"cues"}
    own = {name for name in ToolForm.base_fields if not name.startswith(("http_", "mcp_"))}
    assert own == {*Tool.model_fields} - {"http", "mcp", "examples"}
