"""Tags of a pipeline: short names that group pipelines in the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django import forms

from designer.core import BatonForm, atomic_action, natural_key
from designer.models import Pipeline

MAX_TAGS = 8
"""Maximum number of tags of one pipeline."""

MAX_TAG = 24
"""Maximum length of a tag."""


class TagsForm(BatonForm):
    """Form with the tags of a pipeline, separated by commas."""

    tags = forms.CharField(
        required=False, max_length=400, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def clean_tags(self) -> list[str]:
        """Return the distinct tags in their order; letter case does not distinguish tags."""
        texts = (" ".join(text.split()) for text in self.cleaned_data["tags"].split(","))
        by_folded_text: dict[str, str] = {}
        for text in filter(None, texts):
            by_folded_text.setdefault(text.casefold(), text)
        tags = list(by_folded_text.values())
        if len(tags) > MAX_TAGS:
            raise forms.ValidationError(f"At most {MAX_TAGS} tags are allowed: remove some.")
        if long := next((tag for tag in tags if len(tag) > MAX_TAG), None):
            raise forms.ValidationError(
                f"The tag “{long[:MAX_TAG]}…” is too long: use at most {MAX_TAG} characters."
            )
        return tags


@atomic_action
def set_tags(*, pipeline: Pipeline, tags: Sequence[str]) -> None:
    """Set the tags of a pipeline. This is no edit: its version and time of change stay."""
    Pipeline.objects.filter(pk=pipeline.pk).update(tags=list(tags))


def all_tags(pipelines: Iterable[Pipeline]) -> list[str]:
    """Return the tags of pipelines in alphabetical order."""
    tags = {tag.casefold(): tag for pipeline in pipelines for tag in pipeline.tags}
    return [tags[key] for key in sorted(tags, key=natural_key)]
