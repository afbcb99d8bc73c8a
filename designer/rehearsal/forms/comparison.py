"""Form of the comparison of two conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from designer.core import WordedForm
from designer.models import Conversation

_WRONG = {"invalid_choice": "Choose a conversation of this pipeline."}


class ComparisonForm(WordedForm):
    """Two conversations of one pipeline; without a choice the newest and what it may be beside."""

    left = forms.TypedChoiceField(
        label="This one", required=False, coerce=int, empty_value=None, error_messages=_WRONG
    )
    right = forms.TypedChoiceField(
        label="beside this one", required=False, coerce=int, empty_value=None, error_messages=_WRONG
    )

    def __init__(self, data: Any, *, conversations: Sequence[Conversation]) -> None:
        """The choices, and where nothing is chosen a pair of them."""
        given = {name: data.get(name, "") for name in ("left", "right")}
        if conversations and not given["right"]:
            newest = conversations[0]
            origins = [one for one in conversations if one.pk == newest.forked_from_id]
            others = origins or list(conversations[1:2])
            given["right"] = str(newest.pk)
            if not given["left"] and others:
                given["left"] = str(others[0].pk)
            elif given["left"] == given["right"] and others:
                given["right"] = str(others[0].pk)
        super().__init__(given)
        choices = [(str(one.pk), _called(one)) for one in conversations]
        for name in ("left", "right"):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices
                field.widget.attrs["autocomplete"] = "off"


def _called(conversation: Conversation) -> str:
    words: str = getattr(conversation, "first_message", None) or "nothing said yet"
    return f"{conversation.title} · v{conversation.pipeline_version} · {words[:60]}"
