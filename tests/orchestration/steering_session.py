"""What the tests of people who step into a conversation share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from orchestration import events as e
from orchestration.control import AnyCommand
from orchestration.messages import InboundMessage
from orchestration.runtime import Session
from tests.orchestration.conversations import HANDLER, PlayedModel, handing_over

HELP = InboundMessage(id="help", text="Help!")


def by_ada(kind: Any, **fields: Any) -> Any:
    """A command of Ada's."""
    return kind(id=f"{kind.__name__}-1", by="ada", **fields)


def a_line() -> PlayedModel:
    """Triage hands over to the handler, who answers."""
    return PlayedModel([("One moment.", handing_over(HANDLER)), ("It is done.",)])


async def steer(session: Session, command: AnyCommand) -> list[Any]:
    return list(session.steer(command))


def only(kind: type[Any], events: Iterable[e.Event]) -> Any:
    [found] = [event for event in events if isinstance(event, kind)]
    return found


def human_of(session: Session) -> str | None:
    return session.human


def asked_of(session: Session) -> bool:
    return session.open_question is not None


def as_told(events: Iterable[e.Event]) -> list[e.Event]:
    """The events as they are read back from a journal."""
    return [e.decode(e.encode(event)) for event in events]
