"""Events, and the spans that they draw on a timeline."""

from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.timeline_drawing import TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from tests.designer.rehearsal.trace.event_stories import names, whole_story


def drawn(*events, kind=None) -> TimelineDrawing:
    drawing, traced = TimelineDrawing(), TracedConversation(names(), kind=kind)
    for event in events:
        drawing.advance(event)
        TABLE[type(event)].span(event, drawing, traced)
    return drawing


def first(event_type):
    return next(event for event in whole_story() if isinstance(event, event_type))


def spans(drawing):
    return [span for lane in drawing.lanes.values() for span in lane.spans]
