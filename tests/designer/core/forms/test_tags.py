"""Field for tags."""

import pytest
from django import forms

from designer.core.forms.tags import MAX_TAG, TagsField


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("b, a", ["b", "a"]),
        ("  big \t deals ,, ,x", ["big deals", "x"]),
        ("STRASSE, Straße", ["STRASSE"]),
        ("x" * MAX_TAG, ["x" * MAX_TAG]),
        ("", []),
    ],
)
def test_tags_are_in_their_order_with_single_spaces_and_no_empty_ones(text, tags):
    assert TagsField(required=False).clean(text) == tags


@pytest.mark.parametrize("text", ["", " , ,"])
def test_a_required_field_needs_a_tag(text):
    with pytest.raises(forms.ValidationError) as refused:
        TagsField(error_messages={"required": "Enter a tag."}).clean(text)
    assert refused.value.messages == ["Enter a tag."]


def test_a_tag_that_is_too_long_is_named():
    tag = "y" * (MAX_TAG + 1)
    with pytest.raises(forms.ValidationError, match=f"“{tag[:-1]}…” is too long: use at most 24"):
        TagsField().clean(f"short, {tag}")
