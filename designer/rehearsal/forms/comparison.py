"""Form of the comparison of two conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from designer.core import BatonForm
from designer.models import Conversation

_WRONG = {"invalid_choice": "Choose a conversation of this pipeline."}


class ComparisonForm(BatonForm):
    """Two conversations of one pipeline; by default the newest and its origin or predecessor."""

    left = forms.TypedChoiceField(
        label="This one", required=False, coerce=int, empty_value=None, error_messages=_WRONG
    )
    right = forms.TypedChoiceField(
        label="beside this one", required=False, coerce=int, empty_value=None, error_messages=_WRONG
    )

    def __init__(self, data: Any, *, conversations: Sequence[Conversation]) -> None:
        """Set the choices, and the conversations that are not named."""
        pair = {name: data.get(name, "") for name in ("left", "right")}
        shown = {str(row.pk): row for row in conversations}
        for name, other in (("right", "left"), ("left", "right")):
            if conversations and not pair[name]:
                pair[name] = _default(conversations, shown.get(pair[other]))
        super().__init__(pair)
        choices = [(str(row.pk), _label(row)) for row in conversations]
        for name in ("left", "right"):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices
                field.widget.attrs["autocomplete"] = "off"


def _default(conversations: Sequence[Conversation], other: Conversation | None) -> str:
    """Return the key of the newest conversation, or of the one to compare with the other."""
    if other is None:
        return str(conversations[0].pk)
    others = [row for row in conversations if row.pk != other.pk]
    origins = [row for row in others if row.pk == other.forked_from_id]
    return str((origins or others)[0].pk) if others else ""


def _label(conversation: Conversation) -> str:
    words: str = getattr(conversation, "first_message", None) or "no messages yet"
    return f"{conversation.title} · {conversation.version_label} · {words[:60]}"
