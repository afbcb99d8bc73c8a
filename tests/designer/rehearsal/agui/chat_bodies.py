"""Bodies of the requests of a front end that chats."""

from __future__ import annotations

from typing import Any


def entry(
    text: str = "Hello", run: str = "run-a", message: str = "m1", **more: Any
) -> dict[str, Any]:
    """Return a `RunAgentInput` as the official client sends it."""
    messages = [{"id": message, "role": "user", "content": text}]
    return {"threadId": "thread-x", "runId": run, "messages": messages, **more}


def resuming(interrupt: str, payload: object, status: str = "resolved") -> dict[str, Any]:
    """Return a `RunAgentInput` that answers an interrupt."""
    answer = {"interruptId": interrupt, "status": status, "payload": payload}
    return entry(run="run-b", resume=[answer])
