"""Form with the choices of the Export dialog, which are in its address."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm


class ExportForm(BatonForm):
    """Format, version and file of an export; empty: the last format, the draft, the first file."""

    format = forms.CharField(required=False, max_length=40)
    version = forms.CharField(required=False, max_length=20)
    file = forms.CharField(required=False, max_length=200)
    edit = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    """Edit count of the draft that the page shows."""
