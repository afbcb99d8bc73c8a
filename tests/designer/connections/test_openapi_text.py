"""Parsing of JSON and YAML documents."""

from typing import Any

import pytest

from designer.connections.openapi_text import read_document
from orchestration.exceptions import DocumentError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON or YAML object"),
        ("[]", "not a JSON or YAML object"),
        ("- a", "not a JSON or YAML object"),
        ("{", "not JSON"),
        ("a: b: c", "neither JSON nor YAML"),
        ("a: \x00", "neither JSON nor YAML"),
        (b"\xff", "not text in UTF-8"),
        ("a: &a [1]\nb: *a", "Line 2 uses a YAML alias"),
        ("!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
        ("a: " + "[" * 65 + "]" * 65, "nested too deeply"),
        ("{" + '"a":{' * 100_000, "nested too deeply"),
        ("a: [" + "1," * 400_000 + "]", "too many values"),
        ("#" * (2 * 1024 * 1024 + 1), "larger than 2 MiB"),
        ("a: 9999-99-99", "neither JSON nor YAML"),
        ("a: b\nc: 1" + ":1" * 1_000_000, "Line 2 contains a number that is too long"),
        ("a: !!int '1" + ":1" * 1_000 + "'", "Line 1 contains a number that is too long"),
    ],
)
def test_an_unreadable_document_is_reported(text: Any, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(text)
