"""Number of tokens of a text."""

import doctest
import subprocess
import sys

import pytest
import splintr

from orchestration import tokens
from orchestration.tokens import ENVELOPE, EstimatedCounter, Tokenizer, counter_for, estimate_tokens

ORDER = "Where is my order? It should have come on Tuesday."


def test_the_examples_run():
    assert doctest.testmod(tokens).failed == 0


@pytest.mark.parametrize("model", ["", "a-model-nobody-knows", "claude-sonnet-4", "qwen3.5"])
def test_a_model_without_a_public_vocabulary_is_counted_by_rule_of_thumb(model):
    """Contract T-5."""
    counter = counter_for(model)
    assert isinstance(counter, EstimatedCounter)
    assert counter.count(ORDER) == estimate_tokens(ORDER) == len(ORDER) // 4 + ENVELOPE


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-5-nano", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("ft:gpt-4o-mini:a:b:c", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("openai/gpt-oss-20b", "gpt-oss"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3"),
        ("llama3.2:1b", "llama3"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen3"),
        ("deepseek-chat", "deepseek_v3"),
        ("gemma3:4b", "gemma3"),
        ("mistral-nemo", "mistral_v3"),
    ],
)
def test_a_model_with_a_public_vocabulary_is_counted_by_its_own_tokenizer(model, vocabulary):
    """Contract T-5."""
    text = f"{ORDER} 日本語 🚀 naïveté <|endoftext|>\n\n  0123456789"
    expected = len(splintr.Tokenizer.from_pretrained(vocabulary).encode_ordinary(text))
    assert counter_for(model).count(text) == expected + ENVELOPE


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("hello world", 2), ("Where is my order?", 5), ("日本語", 2)]
)
def test_the_tokens_of_gpt_4o(text, count):
    """Contract T-5: the counts of the vendor's own tokenizer."""
    assert counter_for("gpt-4o").count(text) == count + ENVELOPE


def test_every_vocabulary_named_is_in_the_library():
    """Contract T-5."""
    with pytest.raises(ValueError, match="Supported: ") as refusal:
        splintr.Tokenizer.from_pretrained("none")
    supported = set(str(refusal.value).partition("Supported: ")[2].split(", "))
    assert set(tokens._VOCABULARIES.values()) <= supported


def test_a_vocabulary_is_loaded_once():
    """Contract T-5."""
    one, other = counter_for("gpt-4o"), counter_for("gpt-4.1")
    assert isinstance(one, Tokenizer)
    assert isinstance(other, Tokenizer)
    assert one._encode is other._encode
    assert counter_for("gpt-4o") is one


def test_half_a_character_is_counted_by_rule_of_thumb():
    """Contract T-5."""
    assert counter_for("gpt-4o").count("\ud800" * 8) == 2 + ENVELOPE


def test_without_the_library_every_model_is_counted_by_rule_of_thumb():
    """Contract T-5."""
    program = (
        "import sys; sys.modules['splintr'] = None\n"
        "from orchestration.tokens import counter_for\n"
        "print(counter_for('gpt-4o').count('a' * 40))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(10 + ENVELOPE)
