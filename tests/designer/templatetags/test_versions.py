"""State of the draft in templates."""

import pytest
from django.template import Context, Template

from designer.versions import publish

pytestmark = pytest.mark.django_db

HEADER = Template("{% load versions %}{% draft_state pipeline as state %}{{ state.label }}")


def test_a_template_shows_the_present_state_of_the_draft(user, pipeline):
    context = Context({"pipeline": pipeline})
    assert HEADER.render(context) == "Draft · no version"
    publish(pipeline=pipeline, user=user, name="First")
    assert HEADER.render(context) == "Draft · same as v1 (live)"
