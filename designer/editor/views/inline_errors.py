"""Errors next to the fields of a form that stays in the page.

A response does not render such a form again, so that the typed text stays. The form submits its
name in `told_in`, and has a place for an error next to each field and at its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import QueryDict
from django.template.loader import render_to_string

from designer.models import Pipeline, Stage

FORMS: Mapping[str, Sequence[str]] = {
    "outline-add": ("phase", "served_by", "source"),
    "outline-connect": ("source", "target"),
    "outline-insert": ("stage", "source", "target"),
    "outline-place": ("stage", "x", "y"),
}
"""Fields of each form, in the order of the page."""
_STAGES = ("stage", "source", "target")


def render_inline_errors(data: QueryDict, errors: Mapping[str, str]) -> str:
    """Render errors next to the fields of the submitted form, or at its end; clear old errors.

    Empty: the form has no places for errors.
    """
    form = data.get("told_in", "")
    if form not in FORMS:
        return ""
    fields = FORMS[form]
    texts = dict.fromkeys((*fields, "form"), "")
    for name, text in errors.items():
        place = name if name in fields else "form"
        texts[place] = f"{texts[place]} {text}".strip()
    return "".join(
        render_to_string(
            "components/_field_error.html", {"id": f"{form}-{name}", "text": text, "oob": True}
        )
        for name, text in texts.items()
    )


def unknown_stages(data: QueryDict, pipeline: Pipeline) -> list[str]:
    """Return the fields of the submitted form that name no stage of the pipeline."""
    phases = {
        name: data[name]
        for name in FORMS.get(data.get("told_in", ""), ())
        if name in _STAGES and data.get(name)
    }
    rows = Stage.objects.filter(pipeline=pipeline, phase__in=phases.values())
    known = set(rows.values_list("phase", flat=True))
    return [name for name, phase in phases.items() if phase not in known]
