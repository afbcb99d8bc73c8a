"""Traces of the samples with subtasks."""

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.events import skip_event
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from orchestration.messages import SubtaskRequest
from tests.orchestration.sample_rehearsals import Rehearsal, sample

DIALOGUES = {
    "coding": [
        "Leap years, please",
        "Gregorian only, a year before 1 is an error",
        "Yes, check it",
    ],
    "city-guide": ["A guide to Lisbon", "A guide to Prague"],
    "weekend-trip": ["Plan a weekend in Lisbon", "Two of us", "Yes", "What is there to see?"],
    "bike-shop": ["My gears slip", "Yes, and the bill", "Who pays for the broken wheel?"],
}


async def trace_of(name: str) -> list[e.Event]:
    rehearsal = Rehearsal(name)
    found: list[e.Event] = []
    for text in DIALOGUES[name]:
        found += await rehearsal.events_of(text)
    return [event for event in found if not isinstance(event, e.MessageDelta)]


def pipeline_for(request: SubtaskRequest):
    return sample("city-guide") if request.subtype == "City guide" else None


def trace_state(name: str, shown=()) -> TraceState:
    state = TraceState.of(Names.of(sample(name)), pipeline_for)
    for event in shown:
        skip_event(event, state)
    return state


def of_kind(events, kind):
    return [one for one in events if isinstance(one, e.SubtaskStarted) and one.kind == kind]
