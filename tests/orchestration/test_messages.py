"""Messages, calls and usage."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.messages import InboundMessage, ToolResult, Usage, clean

TOKENS = st.builds(
    Usage,
    input_tokens=st.integers(0, 99),
    output_tokens=st.integers(0, 99),
    calls=st.integers(0, 9),
    milliseconds=st.integers(0, 999),
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Hello", "Hello"),
        ("a\0b", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),
    ],
)
def test_nul_and_lone_surrogates_are_removed(text, cleaned):
    assert clean(text) == cleaned


@given(st.text(st.characters(codec=None)))
def test_a_cleaned_text_can_be_stored(text):
    cleaned = clean(text)
    assert "\0" not in cleaned
    assert cleaned.encode().decode() == cleaned == clean(cleaned)


@given(st.lists(TOKENS, min_size=1, max_size=4))
def test_usage_is_added_field_by_field(usages):
    """Contract D-6."""
    total = sum(usages, Usage())
    for field in Usage.__struct_fields__:
        assert getattr(total, field) == sum(getattr(usage, field) for usage in usages)


@pytest.mark.parametrize(
    ("error", "text"), [(None, "Order 7"), ("", "Error: "), ("No order.", "Error: No order.")]
)
def test_a_model_gets_the_content_or_the_error_of_a_result(error, text):
    result = ToolResult(call_id="c1", name="look", content="Order 7", error=error)
    assert result.for_model() == text


def test_a_message_is_immutable_and_refuses_unknown_fields():
    message = InboundMessage(id="1", text="Hello")
    with pytest.raises(AttributeError):
        message.text = "Bye"  # type: ignore[misc]
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert({"id": "1", "text": "Hello", "colour": "red"}, InboundMessage)
