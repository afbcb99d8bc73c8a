"""Redaction of secrets in the answers of models and in the results of tools."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec
import pytest

from orchestration.events import (
    Event,
    MessageCompleted,
    MessageDelta,
    RunFailed,
    ToolReturned,
    TurnRetried,
)
from orchestration.exceptions import ProviderError
from orchestration.messages import InboundMessage, ProviderState
from orchestration.network import REDACTED
from orchestration.providers import Finished, ModelRequest, Piece, Retry, TextPiece
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    calling,
    every,
    four_stages,
    only,
    say,
    with_tools,
)

KEY = "sk-canary-0123456789"


class Model:
    """A model that plays its turns exactly; an error in a turn is raised."""

    name = "played"

    def __init__(self, turns: Sequence[Sequence[Piece | Exception]]) -> None:
        self._turns = iter(turns)

    def model_of(self, request: ModelRequest) -> str:
        return "played"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        for piece in next(self._turns):
            if isinstance(piece, Exception):
                raise piece
            yield piece


class ModelWithKey(Model):
    """A model whose client has a key."""

    secrets = (KEY,)


def session(turns: Any, definition=None, **settings: Any) -> Session:
    settings.setdefault("providers", {"default": ModelWithKey(turns)})
    return Session(definition or four_stages(), session_id="s", **settings)


async def streamed(session: Session) -> list[Event]:
    """Return the events of a run with the pieces of its text."""
    return [event async for event in session.run(InboundMessage(id="1", text="Hi"))]


async def test_a_key_in_pieces_is_redacted_in_the_stream_and_the_offsets_fit():
    pieces = [TextPiece("It is "), *map(TextPiece, KEY), TextPiece(". Good "), TextPiece("day.")]
    events = await streamed(session([[*pieces, Finished()]]))
    text = f"It is {REDACTED}. Good day."
    deltas = every(MessageDelta, events)
    assert [delta.text for delta in deltas] == ["It is ", REDACTED, ". Good ", "day."]
    assert [text[delta.offset :][: len(delta.text)] for delta in deltas] == [
        delta.text for delta in deltas
    ]
    assert only(MessageCompleted, events).text == text


async def test_ordinary_text_has_the_same_deltas_with_and_without_a_secret():
    pieces = [TextPiece(word) for word in ("Good ", "day", ". A ", "sky of ", "blue.")]
    plain = session((), providers={"default": Model([[*pieces, Finished()]])})
    deltas = every(MessageDelta, await streamed(plain))
    guarded = every(MessageDelta, await streamed(session([[*pieces, Finished()]])))
    assert [(one.offset, one.text) for one in guarded] == [(one.offset, one.text) for one in deltas]
    assert len(deltas) == len(pieces)


async def test_the_end_of_a_text_is_not_lost_when_it_is_the_beginning_of_a_key():
    events = await say(session([[TextPiece("Keys begin with sk-"), Finished()]]), "Hi")
    assert only(MessageCompleted, events).text == "Keys begin with sk-"


async def test_another_attempt_begins_without_the_text_that_was_held_back():
    retry = Retry(attempt=1, of=2, error="E", message=f"No {KEY}", wait=0.0, shown=True)
    events = await say(session([[TextPiece("sk-can"), retry, TextPiece("ary"), Finished()]]), "Hi")
    assert only(TurnRetried, events).message == f"No {REDACTED}"
    assert only(MessageCompleted, events).text == "ary"


async def test_arguments_reach_the_tool_and_the_events_without_the_key():
    received: list[str] = []

    def note(text: str) -> str:
        received.append(text)
        return f"Noted: {text}, {KEY}"

    turns = [[calling("note", text=f"x {KEY}"), Finished()], [TextPiece("Done."), Finished()]]
    events = await say(session(turns, with_tools("note"), tools={"note": note}), "Hi")
    assert received == [f"x {REDACTED}"]
    assert only(ToolReturned, events).result.content == f"Noted: x {REDACTED}, {REDACTED}"
    assert KEY not in msgspec.json.encode(events).decode()


async def test_an_error_of_a_tool_or_a_run_is_recorded_without_the_key():
    def broken() -> str:
        raise ValueError(KEY)

    turns: Any = [[calling("broken"), Finished()], [ProviderError(f"Wrong key {KEY}")]]
    events = await say(session(turns, with_tools("broken"), tools={"broken": broken}), "Hi")
    assert only(ToolReturned, events).result.error == f"ValueError: {REDACTED}"
    assert only(RunFailed, events).message == f"Wrong key {REDACTED}"


@pytest.mark.parametrize(("thought", "is_kept"), [("fine", True), (f"key {KEY}", False)])
async def test_a_vendors_own_data_with_a_key_is_dropped(thought, is_kept):
    kept = ProviderState(dialect="d", model="m", parts=({"thinking": [thought]},))
    events = await say(session([[TextPiece("Hi"), Finished(kept=kept, request_id=KEY)]]), "Hi")
    completed = only(MessageCompleted, events)
    assert completed.kept == (kept if is_kept else None)
    assert completed.request_id == REDACTED


async def test_further_secrets_are_named_in_the_settings():
    providers = {"default": Model([[TextPiece("token-of-a-tool and short"), Finished()]])}
    secrets = ["token-of-a-tool", "short"]
    events = await say(session((), providers=providers, secrets=secrets), "Hi")
    assert only(MessageCompleted, events).text == f"{REDACTED} and short"
