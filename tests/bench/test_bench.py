"""`scripts/bench`: options, refusals and tables; `tests/long` runs the workloads."""

import pytest

from orchestration.exceptions import TraceError
from orchestration.runtime import MAX_EVENTS, read_trace
from tests.bench.editor import ratios
from tests.bench.largest_documents import largest_trace
from tests.bench.readings import (
    OTHER_CHECKOUT,
    OURS,
    Line,
    Memory,
    Reading,
    comparison,
    errors,
    table,
)
from tests.bench.scripts import bench


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    done = bench("engine", "--against", str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path} is not a checkout of Baton" in done.stderr


def test_the_comparison_divides_the_medians_of_two_checkouts():
    lines = [*line(OURS, "Baton", 3, 2, 9), *line(OTHER_CHECKOUT, "before", 4)]
    assert comparison(lines).splitlines()[2:] == ["| W1 one reply | 4.00 | 3.00 | 0.75 |"]


def test_the_editors_of_two_checkouts_are_compared_by_size():
    these = {10: [{"move_ms": 3.0}, {"move_ms": 5.0}], 100: [{"move_ms": 6.0}]}
    others = {10: [{"move_ms": 2.0}], 100: [{"move_ms": 0.0}]}
    assert ratios(these, others).splitlines()[2:] == ["| move_ms | 2.00 |  |"]


def test_without_a_workload_they_are_listed():
    done = bench()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("scripts/bench engine ")


def test_an_unknown_workload_is_refused():
    done = bench("engines")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no workload 'engines'" in done.stderr


def test_the_largest_trace_is_read_and_one_more_event_is_refused():
    trace = largest_trace()
    assert len(read_trace(trace).events) == MAX_EVENTS
    with pytest.raises(TraceError, match="more than 10,000 events"):
        read_trace(trace + b"{}\n")


def test_without_the_shared_bench_one_sentence_says_so(tmp_path):
    missing = tmp_path / "nowhere"
    done = bench("engine", BENCH_SHARED=str(missing))
    assert done.returncode == 1
    assert done.stderr == (
        f"The programs for comparison are not in {missing}: "
        "set BENCH_SHARED to the folder with peers.py.\n"
    )


def line(engine: str, label: str, *ratios: float) -> list[Line]:
    return [
        Line(
            engine=engine,
            label=label,
            version="1",
            w={"W1": Reading(cpu_us=ratio * 5, floor_cpu_us=5, cpu_ratio=ratio)},
        )
        for ratio in ratios
    ]


def test_the_table_takes_medians_and_names_the_best_other():
    lines = [
        *line("eng_baton", "Baton", 3, 2, 9),
        *line("eng_bare", "bare", 1),
        *line("eng_bare_typed", "typed", 1.3),
        *line("eng_slow", "slow", 80),
        *line("eng_quick", "quick", 16),
    ]
    assert table(lines).splitlines()[2:] == [
        "| W1 one reply | 5.0 µs | 1.3x | 16.0x quick | 15.0 µs, 3.0x | ≤ 2x |"
    ]


def test_the_table_names_the_stored_data_of_a_conversation():
    memory = Memory(live_kb=3.25, left_after_close_kb=0)
    kept = Line(engine="eng_baton", label="Baton", version="1", mem=memory)
    assert "| 3.2 KiB; 0.0 | ≤ 4 KiB; 0 |" in table([kept])


def test_a_reading_that_failed_is_told_and_left_out():
    failed = Line(
        engine="eng_baton", label="Baton", version="1", w={"W1": Reading(error="wrong reply")}
    )
    assert errors([failed], "eng_baton") == ["W1: wrong reply"]
    assert len(table([failed]).splitlines()) == 2
