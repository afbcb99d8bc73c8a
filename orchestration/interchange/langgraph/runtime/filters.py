"""Filters of the history: the messages that the model of a stage sees.

The shared history is never cut. A filter only selects messages for a model, so no stage loses its
own messages, and every other stage still sees them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from handoffs import is_outcome

Filter = Callable[[Sequence[AnyMessage]], list[AnyMessage]]


class FilterMiddleware(AgentMiddleware):
    """Filters of the handoffs to a stage, by the source of the handoff."""

    def __init__(self, stage: str, filters: Mapping[str, Filter]) -> None:
        """Filter the earlier messages at each handoff from one of the sources."""
        super().__init__()
        self.stage = stage
        self.filters = filters

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        """Call the model with the messages that the stage sees."""
        return handler(request.override(messages=self.view(request.messages)))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]
    ) -> Any:
        """Call the model with the messages that the stage sees."""
        return await handler(request.override(messages=self.view(request.messages)))

    def view(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Return the messages that the stage sees; a note of the handoff follows the kept ones."""
        seen: list[AnyMessage] = []
        start = 0
        for index, message in enumerate(messages):
            if not is_outcome(message) or message.artifact["handoff"] != self.stage:
                continue
            keep = self.filters.get(message.artifact["source"])
            if keep is not None:
                end = end_of_turn(messages, index)
                kept = well_formed(keep([*seen, *messages[start:end]]))
                seen, start = [*kept, note_of(message.artifact)], end
        return [*seen, *messages[start:]]


def end_of_turn(messages: Sequence[AnyMessage], index: int) -> int:
    """Return the index after the last answer of a turn."""
    while index < len(messages) and isinstance(messages[index], ToolMessage):
        index += 1
    return index


def note_of(handoff: Mapping[str, Any]) -> HumanMessage:
    """Return the text of a handoff as a message for its target, as quoted data."""
    told = handoff["payload"]
    note = told.get("summary") or told.get("reason")
    if not isinstance(note, str) or told.keys() - {"summary", "reason"}:
        note = json.dumps(told, ensure_ascii=False)
    quoted = note.strip().replace("\n", "\n> ")
    text = f"[Context from previous agent ({handoff['source']})]: {quoted}"
    return HumanMessage(text, response_metadata={"note": True})


def last_question(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the last message of the user; a note of a handoff is none."""
    said = [each for each in messages if isinstance(each, HumanMessage)]
    return [each for each in said if not each.response_metadata.get("note")][-1:]


def well_formed(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Leave out calls without an answer, answers without a call, and what precedes a question."""
    answered = {each.tool_call_id for each in messages if isinstance(each, ToolMessage)}
    called: set[str | None] = set()
    kept: list[AnyMessage] = []
    for message in messages:
        shown = message
        if isinstance(message, AIMessage):
            calls = [each for each in message.tool_calls if each["id"] in answered]
            called.update(each["id"] for each in calls)
            if len(calls) < len(message.tool_calls):
                shown = AIMessage(message.text, name=message.name, id=message.id, tool_calls=calls)
            if not calls and not message.text:
                continue
        if isinstance(message, ToolMessage) and message.tool_call_id not in called:
            continue
        if kept or isinstance(message, HumanMessage):
            kept.append(shown)
    return kept


def keep_no_tools(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Keep the messages without the tool calls and their answers."""
    return [each for each in messages if not isinstance(each, ToolMessage)]


def keep_last(count: int) -> Filter:
    """Return a filter that keeps the last messages and the last question of the user.

    A call is kept with its answer; without a text, it is not counted.
    """

    def keep(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        counted = [each for each in messages if each.text or not isinstance(each, AIMessage)]
        last = [*last_question(messages), *counted[-count:]]
        answers = {each.tool_call_id for each in last if isinstance(each, ToolMessage)}
        return [each for each in messages if each in last or calls_of(each) & answers]

    return keep


def calls_of(message: AnyMessage) -> set[str | None]:
    """Return the ids of the calls of a message."""
    return {each["id"] for each in message.tool_calls} if isinstance(message, AIMessage) else set()


def keep_summary(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Keep the last question of the user; the note of the handoff follows it."""
    return last_question(messages)


def keep_matching(expression: str) -> Filter:
    """Return a filter in CEL, which is not translated: write it in Python in place of this one."""

    def keep(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        raise NotImplementedError(expression)

    return keep
