"""What the target of a handoff is shown of the conversation so far (rows S-4 and S-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestration.definition import InputFilter
from orchestration.exceptions import FilterError
from orchestration.providers.base import PromptMessage
from orchestration.state import ConversationState

Messages = Sequence[PromptMessage]


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """The filter of a transition, compiled."""

    kept: Callable[[Messages, Mapping[str, Any] | None, ConversationState], list[PromptMessage]]
    """What of the messages is kept, given the handoff's payload and the state before it."""

    @classmethod
    def of(cls, wanted: InputFilter) -> MessageFilter:
        """The filter that a definition asks for."""
        raise NotImplementedError
