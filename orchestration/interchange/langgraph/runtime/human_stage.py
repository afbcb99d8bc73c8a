"""Stages of people: the graph waits with `interrupt()` until a person answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END
from langgraph.types import Command, interrupt


def human_stage(
    stage: str, targets: Sequence[str], after: str | None = None
) -> Callable[[Mapping[str, Any]], Command]:
    """Return the node of a stage that a person serves.

    Resume it with `Command(resume={"text": …, "handoff": …, "note": …})`: the text goes to the
    user, and the handoff names the stage that goes on; without it the graph goes on to `after`, or
    the person keeps the conversation. The note is for the next stage.
    """

    def wait_for_person(state: Mapping[str, Any]) -> Command:
        answer = interrupt({"stage": stage, "targets": list(targets)})
        reply = {"text": answer} if isinstance(answer, str) else answer
        messages: list[AnyMessage] = []
        if text := reply.get("text"):
            messages.append(AIMessage(text, name=stage))
        target = reply.get("handoff")
        if target is None:
            update = {"messages": messages, "active_agent": after or stage}
            return Command(goto=after or END, update=update)
        if target not in targets:
            raise ValueError(f"A person can hand over to {', '.join(targets)}, not to {target}.")
        note = reply.get("note") or "The conversation is handed over to you."
        text = f"[Context from previous agent (human)]: {note}"
        messages.append(HumanMessage(text, response_metadata={"note": True}))
        return Command(goto=target, update={"messages": messages, "active_agent": target})

    return wait_for_person
