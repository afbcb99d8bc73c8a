"""Token counts of texts (contract T-5).

The default is an estimate. With the extra `tokenizers`, models with a public vocabulary use their
own tokenizer; splintr contains the vocabularies and downloads nothing. Each text of a conversation
is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Protocol

ENVELOPE = 4
"""Additional tokens of a message: its role, start and end."""


class TokenCounter(Protocol):
    """Counts the tokens of texts."""

    def count(self, text: str) -> int:
        """Return the tokens of a text as a message, including its envelope."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for four characters, and the envelope."""
    return len(text) // 4 + ENVELOPE


@lru_cache(maxsize=1_000)
def counter_for(model: str) -> TokenCounter:
    """Return the token counter of a model: its tokenizer if installed, otherwise an estimate.

    The first counter of a vocabulary loads it, which takes a moment.

    >>> counter_for("an unknown model").count("Where is my order?")
    8
    """
    vocabulary = _vocabulary(model)
    encode = None if vocabulary is None else _encoder(vocabulary)
    return _ESTIMATE if encode is None else Tokenizer(encode)


class EstimatedCounter:
    """Token counter that uses `estimate_tokens`."""

    count = staticmethod(estimate_tokens)


_ESTIMATE = EstimatedCounter()


class Tokenizer:
    """Token counter that uses the model's own tokenizer."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode

    def count(self, text: str) -> int:
        """Return the tokens of a text; special tokens in it count as plain text."""
        try:
            return len(self._encode(text)) + ENVELOPE
        except UnicodeEncodeError:
            return estimate_tokens(text)


def _vocabulary(model: str) -> str | None:
    """Return the vocabulary of a model by the longest known prefix of its name."""
    name = model.lower().removeprefix("ft:").rpartition("/")[2]
    known = [prefix for prefix in _VOCABULARIES if name.startswith(prefix)]
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
"""Prefixes of model names from vendors, hubs and local servers, with splintr's names of their
vocabularies."""


@cache
def _encoder(vocabulary: str) -> Callable[[str], Sequence[int]] | None:
    """Return the encoder of a vocabulary; None if the library or the vocabulary is missing."""
    try:
        from splintr import Tokenizer as Vocabulary

        return Vocabulary.from_pretrained(vocabulary).encode_ordinary
    except (ImportError, ValueError):
        return None
