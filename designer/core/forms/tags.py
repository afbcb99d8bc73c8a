"""Form field for the tags of pipelines and conversations."""

from __future__ import annotations

from typing import Any

from django import forms

MAX_TAG = 24
"""Maximum length of a tag."""


class TagsField(forms.CharField):
    """Tags separated by commas: distinct ones in their order, regardless of letter case."""

    def clean(self, value: Any) -> list[str]:
        """Return the tags with single spaces; refuse one that is too long."""
        texts = (" ".join(text.split()) for text in super().clean(value).split(","))
        by_folded_text: dict[str, str] = {}
        for text in filter(None, texts):
            by_folded_text.setdefault(text.casefold(), text)
        tags = list(by_folded_text.values())
        if self.required and not tags:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        if long := next((tag for tag in tags if len(tag) > MAX_TAG), None):
            raise forms.ValidationError(
                f"The tag “{long[:MAX_TAG]}…” is too long: use at most {MAX_TAG} characters."
            )
        return tags
