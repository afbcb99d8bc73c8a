"""Filters of handoffs: the messages that the target sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import message_filters
import search_path

# isort: off
from agents import HandoffInputData

search_path.load_sdk()

Filter = Callable[[HandoffInputData], HandoffInputData]
Choice = Callable[[Sequence[message_filters.FilteredMessage]], list[int]]


def last_messages(count: int) -> Filter:
    """Return a filter that keeps the last messages."""
    return selecting(lambda messages: message_filters.last(messages, count))


def question_and_handoff(data: HandoffInputData) -> HandoffInputData:
    """Keep only the user's last question, and the handoff itself."""
    return selecting(message_filters.question_and_handoff)(data)


def matching(expression: str) -> Filter:
    """Return a filter by a CEL expression over `message`, `payload` and `state`."""

    def keep(data: HandoffInputData) -> HandoffInputData:
        raise NotImplementedError(expression)

    return keep


def selecting(choose: Choice) -> Filter:
    """Return a filter that keeps the chosen items."""

    def keep(data: HandoffInputData) -> HandoffInputData:
        items = items_of(data)
        chosen = choose([message_of(item) for item in items])
        history = tuple(items[position] for position in chosen)
        return replace(data, input_history=history, pre_handoff_items=(), input_items=())

    return keep


def items_of(data: HandoffInputData) -> list[Any]:
    """Return the whole conversation as input items."""
    history = data.input_history
    items: list[Any] = (
        [{"role": "user", "content": history}] if isinstance(history, str) else list(history)
    )
    new_items = data.new_items if data.input_items is None else data.input_items
    return [*items, *[item.to_input_item() for item in (*data.pre_handoff_items, *new_items)]]


def message_of(item: Any) -> message_filters.FilteredMessage:
    """Return the role, calls and answers of an input item."""
    kind = item.get("type", "message")
    if kind == "function_call":
        return message_filters.FilteredMessage("assistant", [item["call_id"]], has_text=False)
    if kind == "function_call_output":
        return message_filters.FilteredMessage("tool", answers=item["call_id"])
    is_user = item.get("role") in ("user", "system", "developer")
    return message_filters.FilteredMessage(
        "user" if is_user else "assistant", has_text=kind == "message"
    )
