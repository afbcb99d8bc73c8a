"""Names in callers' arguments."""

from __future__ import annotations

import pytest

from orchestration.names import names_of


@pytest.mark.parametrize(
    "names", [["b", "a"], ("b", "a"), {"b": 1, "a": 2}, iter(["b", "a"])], ids=type
)
def test_the_names_of_any_collection_keep_their_order(names):
    assert names_of(names, "intents") == ("b", "a")


def test_a_collection_may_be_empty():
    assert names_of((), "intents") == ()


@pytest.mark.parametrize("text", ["invoice", "", b"invoice"])
def test_a_single_text_is_refused_with_its_field_and_the_collection_to_pass(text):
    with pytest.raises(ValueError, match="intents is the text") as raised:
        names_of(text, "intents")
    assert str(raised.value).endswith(f"such as {{{text!r}}}.")
