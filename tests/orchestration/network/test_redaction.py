"""Redaction of secrets in texts, in JSON and in streams."""

import json
from base64 import b64encode
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.network import (
    REDACTED,
    StreamRedactor,
    redact,
    redact_json,
    redact_json_text,
)

KEY = "sk-can/ary+0123456789"
SECRETS = (f"Bearer {KEY}", KEY)

secrets_with_overlaps = st.lists(
    st.text("ab-", min_size=8, max_size=12), min_size=1, max_size=4, unique=True
).map(lambda values: tuple(sorted(values, key=len, reverse=True)))


def test_a_secret_within_another_leaves_no_rest():
    assert redact(f"Bearer {KEY}, {KEY}.", SECRETS) == f"{REDACTED}, {REDACTED}."


def test_without_secrets_a_text_stays_the_same_object():
    text = "No secret here."
    assert redact(text, ()) is text


@pytest.mark.parametrize(
    "encoded",
    [
        quote(KEY, safe=""),
        KEY.replace("/", "\\/"),
        b64encode(KEY.encode()).decode(),
        b64encode(f"{KEY}:".encode()).decode(),
    ],
)
def test_an_encoded_secret_is_redacted(encoded):
    text = redact(f"It is {encoded}!", SECRETS)
    assert REDACTED in text
    assert encoded[:12] not in text


@given(st.text("ab-", min_size=8, max_size=12), st.text("ab- "), st.text("ab- "))
def test_a_redacted_text_does_not_contain_the_secret(key, before, after):
    assert key not in redact(before + key + after, (key,))


def test_secrets_in_json_are_redacted_at_every_depth():
    value = {"a": [KEY, 1, None], KEY: {"b": f"x{KEY}x"}}
    assert redact_json(value, SECRETS) == {
        "a": [REDACTED, 1, None],
        REDACTED: {"b": f"x{REDACTED}x"},
    }
    clean = {"a": [1, {"b": "c"}]}
    assert redact_json(clean, SECRETS) is clean


def test_an_escaped_secret_in_json_text_is_redacted():
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    text = redact_json_text(f'{{"note": "{escaped}", "n": 1}}', SECRETS)
    assert json.loads(text) == {"note": REDACTED, "n": 1}
    for unchanged in ('{"a": "line\\nbreak"}', "{broken \\", '{"a": 1}'):
        assert redact_json_text(unchanged, SECRETS) == unchanged


@given(st.data(), secrets_with_overlaps)
def test_pieces_are_redacted_like_the_whole_text(data, secrets):
    parts = st.sampled_from(secrets) | st.text("ab- ", max_size=8)
    text = "".join(data.draw(st.lists(parts, max_size=6)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=10).map(sorted))
    redactor = StreamRedactor(secrets)
    pieces = [redactor.feed(text[a:b]) for a, b in pairwise([0, *cuts, len(text)])]
    assert "".join([*pieces, redactor.finish()]) == redact(text, secrets)


def test_each_character_of_a_secret_is_held_back():
    redactor = StreamRedactor(SECRETS)
    assert [redactor.feed(character) for character in f"{KEY}."] == [
        *[""] * (len(KEY) - 1),
        REDACTED,
        ".",
    ]


def test_ordinary_text_is_not_delayed():
    redactor = StreamRedactor(SECRETS)
    words = ["Good ", "day", ", how ", "can ", "I help?"]
    assert [redactor.feed(word) for word in words] == words
    assert redactor.feed("a desk.") == "a desk."
    assert redactor.feed("The sk") == "The "
    assert redactor.feed("y is blue") == "sky is blue"
    assert redactor.finish() == ""


def test_a_text_that_ends_in_the_middle_of_a_secret_is_complete():
    redactor = StreamRedactor(SECRETS)
    assert redactor.feed("The prefix is sk-") == "The prefix is "
    assert redactor.finish() == "sk-"
    redactor.feed("sk-can")
    redactor.reset()
    assert redactor.feed("Again") == "Again"
