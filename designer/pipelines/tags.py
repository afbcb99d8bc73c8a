"""Tags of a pipeline: short names that group pipelines in the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django import forms

from designer.core import BatonForm, TagsField, atomic_action, natural_key
from designer.models import Pipeline

MAX_TAGS = 8
"""Maximum number of tags of one pipeline."""


class TagsForm(BatonForm):
    """Form with the tags of a pipeline, separated by commas."""

    tags = TagsField(
        required=False, max_length=400, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def clean_tags(self) -> list[str]:
        """Return the tags; refuse too many."""
        tags: list[str] = self.cleaned_data["tags"]
        if len(tags) > MAX_TAGS:
            raise forms.ValidationError(f"At most {MAX_TAGS} tags are allowed: remove some.")
        return tags


@atomic_action
def set_tags(*, pipeline: Pipeline, tags: Sequence[str]) -> None:
    """Set the tags of a pipeline. This is no edit: its version and time of change stay."""
    Pipeline.objects.filter(pk=pipeline.pk).update(tags=list(tags))


def all_tags(pipelines: Iterable[Pipeline]) -> list[str]:
    """Return the tags of pipelines in alphabetical order."""
    tags = {tag.casefold(): tag for pipeline in pipelines for tag in pipeline.tags}
    return [tags[key] for key in sorted(tags, key=natural_key)]
