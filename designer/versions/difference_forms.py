"""Forms of the view of differences."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

from designer.core import BatonForm
from orchestration.loading import MAX_BYTES


class ComparedFileForm(BatonForm):
    """Form with the JSON file of a definition."""

    file = forms.FileField(
        label="Definition (JSON)",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        error_messages={"required": "Choose a file."},
    )

    def clean_file(self) -> UploadedFile[bytes]:
        """Reject a file that is too large before reading it."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {MAX_BYTES:,} are allowed."
            )
        return file
