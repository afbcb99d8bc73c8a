"""`scripts/bench`: the workloads run as written, and the tables are printed."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from orchestration.definition import MAX_TRANSITIONS
from orchestration.exceptions import DefinitionError, TraceError
from orchestration.loading import (
    DEFINITION,
    OPENAPI,
    has_too_many_values,
    load_storable,
    read_document,
)
from orchestration.runtime import MAX_EVENTS, read_trace
from tests.bench.editor import ratios
from tests.bench.largest_documents import largest_definition, largest_openapi, largest_trace
from tests.bench.readings import (
    FLOOR,
    OTHER_CHECKOUT,
    OURS,
    WORKLOADS,
    Line,
    Memory,
    Reading,
    comparison,
    errors,
    read,
    table,
)
from tests.bench.writers import campaign
from tests.serving import ROOT

SHARED = Path(os.environ.get("BENCH_SHARED", ROOT.parent / "shared" / "bench"))
NEEDED = {"W1": (1, 0), "W2": (2, 0), "W3": (5, 0), "W5": (2, 3)}
"""Model calls and tool runs of a message."""


def bench(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "bench", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not SHARED.is_dir(), reason="what Baton is compared with is not beside it")
def test_a_quick_round_plays_every_workload_and_prints_the_table(tmp_path):
    kept = tmp_path / "lines.jsonl"
    done = bench("engine", "--quick", "--only", "bare,baton", "--out", str(kept), W6_CONVS="20")

    assert done.returncode == 0, done.stderr
    lines = {line.engine: line for line in read(kept)}
    assert set(lines) == {FLOOR, OURS}
    for line in lines.values():
        assert errors([line], line.engine) == []
        assert set(line.readings) == set(WORKLOADS)
        assert {
            name: (line.readings[name].model_calls, line.readings[name].tool_runs)
            for name in NEEDED
        } == NEEDED
    printed = done.stdout.partition("### Baton\n")[2]
    assert [name for name in WORKLOADS if f"| {name} {WORKLOADS[name]} |" in printed] == list(
        WORKLOADS
    )


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared bench is not next to the project")
def test_another_checkout_is_measured_in_the_same_run(tmp_path):
    kept = tmp_path / "lines.jsonl"
    against = ("--against", str(ROOT), "--workloads", "W1", "--out", str(kept))
    done = bench("engine", "--quick", *against)

    assert done.returncode == 0, done.stderr
    assert {line.engine: set(line.readings) for line in read(kept)} == {
        OURS: {"W1"},
        OTHER_CHECKOUT: {"W1"},
    }
    assert "| W1 one reply |" in done.stdout.partition(f"### Beside {ROOT}\n")[2]


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


def test_the_largest_documents_are_allowed_and_larger_ones_are_refused():
    definition, api = largest_definition(), json.dumps(largest_openapi())
    assert len(load_storable(definition).transitions) == MAX_TRANSITIONS
    assert not has_too_many_values(definition.decode(), DEFINITION)
    assert has_too_many_values(definition.decode() + "[" * 1_000, DEFINITION)
    assert len(definition) > 0.95 * DEFINITION.max_bytes
    document = read_document(api, OPENAPI)
    assert read_document(yaml.safe_dump(document, sort_keys=False), OPENAPI) == document
    with pytest.raises(DefinitionError, match="50,000 values"):
        read_document(api[:-1] + ', "extra": [' + "0," * 200 + "0]}", OPENAPI)


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


def test_the_table_tells_what_a_conversation_keeps():
    memory = Memory(live_kb=3.25, left_after_close_kb=0)
    kept = Line(engine="eng_baton", label="Baton", version="1", mem=memory)
    assert "| 3.2 KiB; 0.0 | ≤ 4 KiB; 0 |" in table([kept])


def test_a_reading_that_failed_is_told_and_left_out():
    failed = Line(
        engine="eng_baton", label="Baton", version="1", w={"W1": Reading(error="wrong reply")}
    )
    assert errors([failed], "eng_baton") == ["W1: wrong reply"]
    assert len(table([failed]).splitlines()) == 2


@pytest.mark.server
def test_no_writer_of_two_processes_finds_sqlite_locked():
    writes = campaign(processes=2, threads=4, seconds=2)
    assert len(writes.seconds) >= 8
    assert (writes.locked, dict(writes.others)) == (0, {})
