"""Errors next to the fields of a form that stays in the page.

Such a form is not drawn anew by an answer, so that what was typed in it stays. It says in `told_in`
which one it is, and has a place for a sentence beside each field and at its end.
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
"""The fields of each, in the order of the page."""
_STAGES = ("stage", "source", "target")


def beside(posted: QueryDict, told: Mapping[str, str]) -> str:
    """Sentences beside the fields of the form that was sent, or at its end; empty: it has none.

    Where an earlier refusal left a sentence and there is nothing wrong any more, it is taken away.
    """
    form = posted.get("told_in", "")
    if form not in FORMS:
        return ""
    fields = FORMS[form]
    texts = dict.fromkeys((*fields, "form"), "")
    for name, text in told.items():
        place = name if name in fields else "form"
        texts[place] = f"{texts[place]} {text}".strip()
    return "".join(
        render_to_string(
            "components/_field_error.html", {"id": f"{form}-{name}", "text": text, "oob": True}
        )
        for name, text in texts.items()
    )


def unknown_stages(posted: QueryDict, pipeline: Pipeline) -> list[str]:
    """The fields of the form that was sent which name no stage of the pipeline."""
    named = {
        name: posted[name]
        for name in FORMS.get(posted.get("told_in", ""), ())
        if name in _STAGES and posted.get(name)
    }
    there = Stage.objects.filter(pipeline=pipeline, phase__in=named.values())
    known = set(there.values_list("phase", flat=True))
    return [name for name, phase in named.items() if phase not in known]
