"""Query of the supervisor pane: filter, position and run."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm

MAX_TEXT = 200
MAX_SEQ = 2**31 - 1


class TraceForm(BatonForm):
    """Query of a trace. Missing fields do not filter."""

    kind = forms.CharField(required=False, max_length=40)
    agent = forms.CharField(required=False, max_length=200)
    text = forms.CharField(required=False, max_length=MAX_TEXT)
    before = forms.IntegerField(required=False, min_value=1, max_value=MAX_SEQ)
    around = forms.IntegerField(required=False, min_value=1, max_value=MAX_SEQ)
    after = forms.IntegerField(required=False, min_value=0, max_value=MAX_SEQ)
    at = forms.IntegerField(required=False, min_value=0, max_value=MAX_SEQ)
    run = forms.IntegerField(required=False, min_value=1, max_value=MAX_SEQ)
