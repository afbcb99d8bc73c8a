"""The send queue of a page."""

import pytest

from designer.rehearsal.consumers.send_queue import MARK_EVERY, MOST, Outflow

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_a_requested_position_counts_as_seen():
    outflow = Outflow()
    assert outflow.mark(MARK_EVERY - 1, 0.0) == ""
    assert 'value="65537"' in outflow.mark(2, 0.0)
    assert not outflow.confirm(MARK_EVERY)
    assert outflow.confirm(MARK_EVERY + 1)
    assert not outflow.confirm(MARK_EVERY + 1)
    outflow.mark(MOST, 5.0)
    assert outflow.is_full
    assert (outflow.is_stuck(10.0, 10.0), outflow.is_stuck(15.0, 10.0)) == (False, True)
