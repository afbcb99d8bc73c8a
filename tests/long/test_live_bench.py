"""`scripts/bench live`: the smallest size runs in a real browser and prints its table."""

import pytest

from tests.bench.live import WIDTH
from tests.bench.scripts import bench


@pytest.mark.server
def test_live_rehearsals_in_their_smallest_size_are_measured_to_the_last_row():
    """The bench runs and prints its table; a test asserts no time."""
    few = {"most": 1, "rounds": 1, "words": 20, "events": 30, "idle": 2, "watchers": 2}
    sizes = [text for name, number in few.items() for text in (f"--{name}", str(number))]
    done = bench("live", *sizes, "--readers", "3")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rows = {line[:WIDTH].strip(): line[WIDTH:].strip() for line in lines}
    assert [name for name in rows if not name.startswith("...")] == [
        "the machine",
        "1 conversations at once",
        "at most, with each word within 50 ms",
        "at most, with the newest word within 50 ms",
        "memory of an idle conversation",
        "memory of a streaming one",
        "memory of the server, before and at most",
        "fan-out to 2 watchers",
        "an event to 3 readers",
        "30 events: first rows in the page",
        "a message there and back, stock consumer",
    ]
    for name in ("1 conversations at once", "fan-out to 2 watchers"):
        assert rows[name].endswith(" 0 words lost")
    assert rows["... what it holds"].startswith("30 rows, ")
