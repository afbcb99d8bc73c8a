"""Names in events, and times."""

from datetime import timedelta

import pytest

from tests.designer.rehearsal.trace.event_stories import names
from tests.orchestration.conversations import NOON


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.000"),
        (0.4129, "0.413"),
        (59.9, "59.900"),
        (59.9996, "1:00.0"),
        (127.94, "2:07.9"),
        (299.96, "5:00.0"),
        (3599.97, "1:00:00"),
        (3607, "1:00:07"),
    ],
)
def test_the_time_since_the_beginning(seconds, shown):
    assert names().elapsed(NOON + timedelta(seconds=seconds)) == shown
