"""Requests of front ends that chat: `RunAgentInput` of the AG-UI protocol, version 1.0.

Of the messages only the last one counts, because the conversation has its own history. Tools,
context and state of the front end are ignored: the pipeline's definition has the tools.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from ag_ui.core import Message, ResumeEntry, RunAgentInput, UserMessage
from pydantic import TypeAdapter, ValidationError

from designer.rehearsal.agui.interrupts import APPROVAL, QUESTION
from orchestration.control import AnyCommand, ApproveCall, ChangeCall, MessageText, RefuseCall
from orchestration.exceptions import DefinitionError
from orchestration.loading import TOOL_JSON, read_json
from orchestration.messages import InboundMessage

MAX_ID = 500
"""Maximum length of the ids that a front end chooses."""

MAX_HISTORY = 256 * 1024
"""Maximum size of the messages that are sent back, in characters."""

_TEXT: TypeAdapter[str] = TypeAdapter(MessageText)


class ChatRefusedError(Exception):
    """A request that is refused, with the HTTP status of the refusal."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A message, or answers to all open interrupts."""

    thread_id: str
    run_id: str
    message: InboundMessage | None
    """The message of the user; None if calls are decided."""
    decisions: tuple[ResumeEntry, ...] = ()
    """Decisions about calls that wait for approval."""
    history: tuple[Message, ...] = ()
    """Messages of the front end, if its run continues another: the results belong to their calls;
    empty if they are many."""

    def commands(self, by: str) -> list[AnyCommand]:
        """Return the decisions as commands of a person; raise `ChatRefusedError`."""
        return [_command(entry, by, self._id(entry.interrupt_id)) for entry in self.decisions]

    def _id(self, part: str) -> str:
        return stable_id(self.thread_id, self.run_id, part)


def parse_chat_request(body: bytes) -> ChatRequest:
    """Return the request of a front end; raise `ChatRefusedError` with the next step."""
    try:
        entry = RunAgentInput.model_validate(read_json(body, TOOL_JSON))
    except DefinitionError as error:
        raise ChatRefusedError(error.faults[0].message, 400) from None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise ChatRefusedError(f"{place}: {fault['msg']}. Send a RunAgentInput.") from None
    for name, value in (("threadId", entry.thread_id), ("runId", entry.run_id)):
        if not value or len(value) > MAX_ID:
            raise ChatRefusedError(f"{name}: use 1 to {MAX_ID} characters.")
    if entry.resume:
        return _resumed(entry, entry.resume)
    last = entry.messages[-1] if entry.messages else None
    if not isinstance(last, UserMessage):
        raise ChatRefusedError("messages: the last message must be one of the user.")
    key = stable_id(entry.thread_id, last.id)
    return _saying(entry, key, _content_text(last.content))


def stable_id(*parts: str) -> str:
    """Return the same short id for the same parts, so that a repeated request counts once."""
    return "agui-" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def _resumed(entry: RunAgentInput, answers: list[ResumeEntry]) -> ChatRequest:
    if all(answer.interrupt_id.startswith(APPROVAL) for answer in answers):
        return ChatRequest(entry.thread_id, entry.run_id, None, tuple(answers), _history(entry))
    if len(answers) == 1 and answers[0].interrupt_id.startswith(QUESTION):
        answer = answers[0]
        if answer.status == "cancelled":
            raise ChatRefusedError("A question cannot be cancelled: answer it with a text.")
        if not isinstance(answer.payload, str):
            raise ChatRefusedError("resume.0.payload: answer the question with a text.")
        key = stable_id(entry.thread_id, entry.run_id, answer.interrupt_id)
        return replace(_saying(entry, key, answer.payload), history=_history(entry))
    raise ChatRefusedError("resume: use the ids of the open interrupts.", 409)


def _saying(entry: RunAgentInput, key: str, text: str) -> ChatRequest:
    try:
        checked = _TEXT.validate_python(text)
    except ValidationError as error:
        raise ChatRefusedError(error.errors(include_url=False)[0]["msg"]) from None
    return ChatRequest(entry.thread_id, entry.run_id, InboundMessage(id=key, text=checked))


def _history(entry: RunAgentInput) -> tuple[Message, ...]:
    size = sum(len(message.model_dump_json(by_alias=True)) for message in entry.messages)
    return tuple(entry.messages) if size <= MAX_HISTORY else ()


def _content_text(content: Any) -> str:
    """Return the text of a message's content, which may have several parts."""
    if isinstance(content, str):
        return content
    texts = [getattr(part, "text", None) for part in content]
    if any(text is None for text in texts):
        raise ChatRefusedError("messages: only texts are understood; leave other parts out.")
    return "\n".join(text for text in texts if text)


def _command(entry: ResumeEntry, by: str, key: str) -> AnyCommand:
    number = entry.interrupt_id.removeprefix(APPROVAL)
    if not number.isdigit() or len(number) > 9:
        raise ChatRefusedError("resume: use the ids of the open interrupts.", 409)
    asked = int(number)
    if entry.status == "cancelled":
        return RefuseCall(id=key, by=by, asked=asked)
    answer = {"approved": entry.payload} if isinstance(entry.payload, bool) else entry.payload
    if not isinstance(answer, dict) or not isinstance(answer.get("approved"), bool):
        raise ChatRefusedError(
            f'resume: answer {entry.interrupt_id} with {{"approved": true}} or '
            '{"approved": false, "reason": "…"}.'
        )
    if not answer["approved"]:
        return RefuseCall(id=key, by=by, asked=asked, reason=str(answer.get("reason", ""))[:2_000])
    if "arguments" in answer:
        arguments = json.dumps(answer["arguments"], ensure_ascii=False)
        return ChangeCall(id=key, by=by, asked=asked, arguments=arguments)
    return ApproveCall(id=key, by=by, asked=asked)
