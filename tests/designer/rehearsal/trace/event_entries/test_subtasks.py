"""Entries of the events of subtasks: members of a group, delegates, calls of the supervisor."""

from tests.designer.rehearsal.trace.event_stories import changed, rendered, whole_story


def test_a_truncated_subtask_is_marked_in_the_trace():
    event = changed(whole_story()[22], truncated=True)
    assert "done, but cut off" in rendered(event)
