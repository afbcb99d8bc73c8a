"""Form of a tool's settings: approval, stand-in answers, limits and retries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django import forms

from designer.core import PartForm


class MannersForm(PartForm):
    """Settings of a tool, independent of its implementation."""

    stand_in = forms.BooleanField(
        required=False,
        label="Its examples answer in its place",
        help_text="So it can be rehearsed before what answers it is there.",
    )
    approval = forms.BooleanField(
        required=False,
        label="Ask me first",
        help_text="Each call waits until somebody approves, changes or refuses it.",
    )
    idempotent = forms.BooleanField(
        required=False,
        label="May be called again",
        help_text="A call that fails is made again, three times at most.",
    )
    time_limit = forms.FloatField(
        required=False,
        max_value=3_600,
        label="Time limit of a call",
        help_text="In seconds, all tries together. Empty: 60.",
    )
    max_answer = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100_000,
        label="Size limit of an answer",
        help_text="In characters; what is over is cut off. Empty: 100,000.",
    )

    MANNERS: ClassVar[Mapping[str, str]] = {
        "stand_in": "",
        "approval": "function subtask http mcp",
        "idempotent": "function http mcp",
        "time_limit": "function http mcp",
        "max_answer": "function http mcp",
    }
    """The fields that are folded away, and the kinds of tools that they are for; empty: any."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {
        name: kinds for name, kinds in MANNERS.items() if kinds
    }

    @property
    def in_sight(self) -> list[forms.BoundField]:
        """The fields that say what the tool is."""
        return [field for field in self if field.name not in self.MANNERS]

    @property
    def folded(self) -> list[forms.BoundField]:
        """Its manners."""
        return [self[name] for name in self.MANNERS]

    @property
    def says_more(self) -> bool:
        """Report whether a folded field is in use or has an error."""
        return any(field.errors or field.value() not in (None, "", False) for field in self.folded)
