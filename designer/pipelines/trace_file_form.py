"""Form that opens a trace file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from designer.core import BatonForm
from orchestration.exceptions import TraceError
from orchestration.runtime import MAX_BYTES, TraceFile, read_trace


class TraceFileForm(BatonForm):
    """Form with the file of a conversation; its cleaned value is the conversation."""

    file = forms.FileField(
        label="File",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
        widget=forms.FileInput(attrs={"accept": ".jsonl,application/jsonl,application/x-ndjson"}),
    )

    def clean_file(self) -> TraceFile:
        """Parse the conversation, or raise an error with the position of the problem."""
        file: Any = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise ValidationError(f"The file is larger than {MAX_BYTES // 1024**2} MiB.")
        try:
            return read_trace(file.read())
        except TraceError as error:
            raise ValidationError(str(error)) from None
