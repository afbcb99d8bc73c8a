"""Form with the file of a definition, for its import and its comparison."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

from designer.core.forms.error_messages import BatonForm
from orchestration.loading import MAX_BYTES


class DefinitionFileForm(BatonForm):
    """Form with a file of at most 2 MiB, of Baton or of another framework."""

    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".json,.yaml,.yml,.py,.zip"}),
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
