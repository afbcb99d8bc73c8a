"""`designer.core.forms.definition_file`: the file of a definition and its size."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from designer.core import DefinitionFileForm
from orchestration.loading import MAX_BYTES


def form(content: bytes) -> DefinitionFileForm:
    return DefinitionFileForm({}, {"file": SimpleUploadedFile("pets.baton.json", content)})


@pytest.mark.parametrize("content", [b"", b"{}", b" " * MAX_BYTES])
def test_a_file_of_at_most_two_mebibytes_is_accepted(content):
    assert form(content).is_valid()


def test_a_larger_file_is_refused_with_both_sizes():
    refused = form(b" " * (MAX_BYTES + 1))
    assert not refused.is_valid()
    [error] = refused.errors["file"]
    assert error == "The file has 2,097,153 bytes; at most 2,097,152 are allowed."


def test_a_missing_file_is_an_error():
    assert DefinitionFileForm({}, {}).errors["file"] == ["Choose a file."]
