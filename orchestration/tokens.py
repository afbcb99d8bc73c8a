"""Token counts of texts (contract T-5).

By default by rule of thumb. With the extra `tokenizers` installed, a model whose vocabulary is
public is counted by its own tokenizer: splintr carries the vocabularies in its wheel and fetches
nothing. A text is counted when it joins a conversation, and never again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Protocol

ENVELOPE = 4
"""Tokens of what stands around a text: its role, its beginning and its end."""


class TokenCounter(Protocol):
    """Counts the tokens of texts."""

    def count(self, text: str) -> int:
        """Tokens of a text as a message, its envelope included."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text by rule of thumb: four characters each, and a few for the envelope."""
    return len(text) // 4 + ENVELOPE


@lru_cache(maxsize=1_000)
def counter_for(model: str) -> TokenCounter:
    """Return the token counter of a model: its tokenizer if installed, otherwise an estimate.

    The first counter of a vocabulary takes a moment, and the vocabulary stays.

    >>> counter_for("a model nobody knows").count("Where is my order?")
    8
    """
    vocabulary = _vocabulary(model)
    encode = None if vocabulary is None else _encoder(vocabulary)
    return _RULE_OF_THUMB if encode is None else Tokenizer(encode)


class RuleOfThumb:
    """Counts by `estimate_tokens`."""

    def count(self, text: str) -> int:
        """Tokens of a text, estimated."""
        return estimate_tokens(text)


_RULE_OF_THUMB = RuleOfThumb()


class Tokenizer:
    """Counts by the model's own tokenizer."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode

    def count(self, text: str) -> int:
        """Tokens of a text: what spells a special token in it is text like any other."""
        try:
            return len(self._encode(text)) + ENVELOPE
        except UnicodeEncodeError:
            return estimate_tokens(text)


def _vocabulary(model: str) -> str | None:
    """The vocabulary of a model, by the longest beginning of its name that is known."""
    name = model.lower().removeprefix("ft:").rpartition("/")[2]
    known = [beginning for beginning in _VOCABULARIES if name.startswith(beginning)]
    return _VOCABULARIES[max(known, key=len)] if known else None


_VOCABULARIES = {
    "chatgpt-4o": "o200k_base",
    "codellama": "codellama",
    "deepseek-chat": "deepseek_v3",
    "deepseek-reasoner": "deepseek_v3",
    "deepseek-v3": "deepseek_v3",
    "gemma-2-": "gemma2",
    "gemma-3-": "gemma3",
    "gemma2": "gemma2",
    "gemma3:": "gemma3",
    "glm-4": "glm4",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "gpt-4": "cl100k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4o": "o200k_base",
    "gpt-5": "o200k_base",
    "gpt-oss": "gpt-oss",
    "kimi-k2": "kimi_k2",
    "llama-2": "llama2",
    "llama-3": "llama3",
    "llama2": "llama2",
    "llama3": "llama3",
    "meta-llama-3": "llama3",
    "mistral-nemo": "mistral_v3",
    "mixtral-8x7b": "mistral_v1",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4-mini": "o200k_base",
    "phi-4": "phi4",
    "phi4": "phi4",
    "qwen2": "qwen3",
    "qwen3-": "qwen3",
    "qwen3:": "qwen3",
}
"""Beginnings of models' names, as vendors, hubs and local servers write them, and what splintr
calls their vocabularies."""


@cache
def _encoder(vocabulary: str) -> Callable[[str], Sequence[int]] | None:
    """Return the encoder of a vocabulary; None if the library or the vocabulary is missing."""
    try:
        from splintr import Tokenizer as Vocabulary

        return Vocabulary.from_pretrained(vocabulary).encode_ordinary
    except (ImportError, ValueError):
        return None
