"""Commands and sessions for tests of interventions."""

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
    """Return a command of Ada."""
    return kind(id=f"{kind.__name__}-1", by="ada", **fields)


def two_agents() -> PlayedModel:
    """Return a session in which triage hands over to the handler."""
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


def as_recorded(events: Iterable[e.Event]) -> list[e.Event]:
    """Return the events as read from a journal."""
    return [e.decode(e.encode(event)) for event in events]
