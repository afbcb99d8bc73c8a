"""Redaction of secret values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.network import REDACTED, redact, secrets_of


@pytest.mark.parametrize(
    ("key", "headers", "secrets"),
    [
        ("", [], ()),
        ("short", ["eu"], ()),
        ("sk-123", [], ("sk-123",)),
        ("sk-1234", ["Bearer sk-123456"], ("Bearer sk-123456", "sk-123456", "sk-1234")),
        ("sk-123", ["sk-123"], ("sk-123",)),
    ],
)
def test_keys_and_header_values_of_enough_length_are_secret(key, headers, secrets):
    assert secrets_of(key, headers) == secrets


def test_a_secret_within_another_leaves_no_rest():
    secrets = secrets_of("sk-123", ["Bearer sk-123456"])
    assert redact("Bearer sk-123456, sk-123456 and sk-123", secrets) == (
        f"{REDACTED}, {REDACTED} and {REDACTED}"
    )


@given(st.text("ab-", min_size=6, max_size=9), st.text("ab- "), st.text("ab- "))
def test_a_redacted_text_does_not_contain_the_secret(key, before, after):
    assert key not in redact(before + key + after, secrets_of(key, []))
