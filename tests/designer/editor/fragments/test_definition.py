"""The definition as text, in parts."""

import re
from html import unescape

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from designer import definitions
from designer.editor.fragments.definition import LINES, text_part, whole_text
from tests.designer.editor_requests import chain, draw


def shown_text(client, pipeline, **query):
    """Return the lines of the definition in a response."""
    html = client.get(reverse("show_definition", args=[pipeline.pk]), query).text
    found = re.search(r"<span>(.*?)</span>", html, re.DOTALL)
    assert found, html
    return unescape(found[1])


@pytest.mark.django_db
def test_a_long_definition_is_sent_in_parts_as_large_as_shown_before(client, user):
    pipeline = draw(user, *(f"stage-{place}" for place in range(150)))
    whole = definitions.read(pipeline).dump()
    url = reverse("show_panel", args=[pipeline.pk])
    first = client.get(url, {"panel": "definition"}).text
    count = len(whole.splitlines())
    assert f'name="lines" value="{LINES}"' in first
    assert f"{count - LINES} more lines" in first
    assert unescape(first).count("\n") < LINES + 200
    parts = [shown_text(client, pipeline, lines=start) for start in range(0, count, LINES)]
    assert "".join(parts) == whole
    assert shown_text(client, pipeline, lines=2 * LINES, anew=1) == "".join(parts[:2])
    copied = client.get(reverse("show_definition", args=[pipeline.pk]), {"whole": 1}).text
    assert whole in unescape(copied)


DEFINITION = chain("intake", "review")


@given(st.integers(-5, 200), st.integers(-5, 200))
def test_a_part_has_the_requested_lines_and_counts_the_rest(start, until):
    lines = whole_text(DEFINITION).splitlines(keepends=True)
    part = text_part(DEFINITION, start, until)
    assert part.text == "".join(lines[max(0, start) : max(0, start, until)])
    assert part.until + part.rest == len(lines)


def test_the_whole_text_is_the_exported_text():
    assert whole_text(DEFINITION) == DEFINITION.dump()
    assert text_part(DEFINITION) == text_part(DEFINITION.model_copy(), 0, LINES)
