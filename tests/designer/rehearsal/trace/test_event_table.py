"""The entries of the event table."""

from designer.rehearsal.trace.event_fragments import TRACE
from designer.rehearsal.trace.event_table import TABLE
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import UNION


def test_every_event_of_the_union_is_in_the_table():
    assert set(TABLE) == set(UNION)


def test_every_recorded_event_has_a_row_in_the_trace():
    for event_type, entry in TABLE.items():
        traced = [one for one in entry.fragments if one.pane == TRACE]
        assert len(traced) == (event_type is not e.MessageDelta), event_type
