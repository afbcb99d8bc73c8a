"""Filter of the audit trail."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import BatonForm
from designer.models import AuditAction


class AuditFilterForm(BatonForm):
    """Action, text and position; invalid fields do not filter."""

    action = forms.ChoiceField(
        label="Action", required=False, choices=[("", "All actions"), *AuditAction.choices]
    )
    q = forms.CharField(
        label="Text",
        required=False,
        max_length=150,
        widget=forms.TextInput(
            attrs={"type": "search", "placeholder": "User, object, address or request"}
        ),
    )
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
