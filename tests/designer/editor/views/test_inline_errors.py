"""Errors next to the fields of a form that stays in the page."""

import re

import pytest
from django.http import QueryDict

from designer.editor.views.inline_errors import FORMS, render_inline_errors, unknown_stages
from tests.designer.editor_requests import draw


def errors(html: str) -> dict[str, str]:
    """Return the text of each place for an error."""
    return dict(re.findall(r'id="error-([\w-]+)"[^>]*>([^<]*)<', html))


@pytest.mark.parametrize("form", FORMS)
def test_every_place_of_a_form_is_filled_or_cleared(form):
    first, *others = FORMS[form]
    html = render_inline_errors(QueryDict(f"told_in={form}"), {first: "Wrong.", "other": "Bad."})
    assert errors(html) == {
        f"{form}-{first}": "Wrong.",
        **{f"{form}-{name}": "" for name in others},
        f"{form}-form": "Bad.",
    }


@pytest.mark.parametrize("form", ["", "unknown", "outline"])
def test_a_form_without_places_for_errors_gets_nothing(form):
    assert render_inline_errors(QueryDict(f"told_in={form}"), {"x": "Wrong."}) == ""


@pytest.mark.django_db
def test_only_fields_that_name_deleted_stages_are_unknown(user):
    pipeline = draw(user, "intake", "review")
    data = QueryDict("told_in=outline-insert&stage=intake&source=gone&target=")
    assert unknown_stages(data, pipeline) == ["source"]
    assert unknown_stages(QueryDict("source=gone"), pipeline) == []
