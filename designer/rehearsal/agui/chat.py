"""Chat of another front end with a conversation: a POST request with a `RunAgentInput`.

The request sends a message, or answers to all open interrupts; the response is the stream of the
run that follows. A request that is sent again gets the same run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.core.exceptions import RequestDataTooBig
from django.http.response import HttpResponseBase

from designer.core import HtmxHttpRequest, in_database, share_link_of
from designer.models import Conversation, RecordedEvent
from designer.rehearsal import live
from designer.rehearsal.actions.commands import QueueFullError, ReadOnlyError
from designer.rehearsal.agui.chat_request import ChatRefusedError, ChatRequest, parse_chat_request
from designer.rehearsal.agui.chat_run import ChatRun
from designer.rehearsal.agui.reader import AguiReader, Cursor, thread_at
from designer.rehearsal.agui.streams import Viewer, refusal, stream
from orchestration.control import AnyCommand
from orchestration.exceptions import SteeringError

FORBIDDEN, CONFLICT, TOO_LARGE, TOO_MANY = 403, 409, 413, 429


async def chat(
    request: HtmxHttpRequest, row: Conversation, token: str, viewer: Viewer
) -> HttpResponseBase:
    """Return the stream of the run that a front end's request starts or continues."""
    link = await in_database(share_link_of, token)
    if link is None or not link.may_chat:
        return refusal("This link is for reading only: create one for chat.", FORBIDDEN)
    try:
        asked = parse_chat_request(request.body)
        commands = asked.commands(by=f"link {link.pk}")
        start, run = await in_database(_start, row, asked, commands)
        for command in commands:
            await live.command(row.pk, command)
        if asked.message is not None:
            await live.say(row.pk, asked.message, link.created_by_id)
    except RequestDataTooBig:
        return refusal("The request is too large: send fewer messages.", TOO_LARGE)
    except ChatRefusedError as error:
        return refusal(str(error), error.status)
    except SteeringError as error:
        return refusal(str(error), CONFLICT)
    except QueueFullError as error:
        return refusal(str(error), TOO_MANY)
    except ReadOnlyError:
        return refusal("This trace was opened from a file: it can only be read.", FORBIDDEN)
    return stream(row, viewer, partial(_reader, row, start, run))


def _start(
    row: Conversation, asked: ChatRequest, commands: Sequence[AnyCommand]
) -> tuple[int, ChatRun]:
    """Return the event after which the run's events follow, and the run.

    Raises `ChatRefusedError` unless the request answers all open interrupts.
    """
    run = ChatRun(asked.thread_id, asked.run_id, history=asked.history)
    keys = [f"command:{command.id}" for command in commands]
    if asked.message is not None:
        run.message_id = asked.message.id
        keys = [f"message:{asked.message.id}"]
    if repeated := _first_event(row, keys):
        if commands:
            run.engine_run_id = repeated.body["run_id"]
            return repeated.seq - 1, run
        return _run_start(row, repeated) - 1, run
    open_calls = thread_at(row, Cursor(row.last_seq))[1].run.interrupts.values()
    missing = {interrupt.id for interrupt in open_calls}
    if missing != {answer.interrupt_id for answer in asked.decisions}:
        names = ", ".join(sorted(missing)) or "none is open"
        raise ChatRefusedError(f"resume: answer the open interrupts: {names}.", CONFLICT)
    if commands:
        run.engine_run_id = row.run_id
    return row.last_seq, run


def _first_event(row: Conversation, keys: Sequence[str]) -> RecordedEvent | None:
    return row.recorded_events.filter(key__in=keys).order_by("seq").first()


def _run_start(row: Conversation, event: RecordedEvent) -> int:
    """Return the number of the start of an event's run."""
    starts = row.recorded_events.filter(
        type="run.started", body__run_id=event.body["run_id"]
    ).order_by("seq")
    return starts.values_list("seq", flat=True).first() or event.seq


def _reader(row: Conversation, start: int, run: ChatRun) -> AguiReader:
    """Open the reader of a chat; its decisions count as made, so they suspend it no more."""
    seq, thread = thread_at(row, Cursor(start))
    thread.run.interrupts = {}
    return AguiReader(row.pk, seq, thread, run)
