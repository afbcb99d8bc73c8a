"""`scripts/bench`: the workloads run as written, and the tables are printed."""

import json
import os
from pathlib import Path

import pytest
import yaml

from orchestration.definition import MAX_TRANSITIONS
from orchestration.exceptions import DefinitionError
from orchestration.interchange import FORMATS
from orchestration.loading import (
    DEFINITION,
    OPENAPI,
    has_too_many_values,
    load_storable,
    read_document,
)
from tests.bench.largest_documents import largest_definition, largest_openapi
from tests.bench.readings import FLOOR, OTHER_CHECKOUT, OURS, WORKLOADS, errors, read
from tests.bench.scripts import bench
from tests.bench.writers import CAMPAIGNS, campaign
from tests.serving import ROOT

SHARED = Path(os.environ.get("BENCH_SHARED", ROOT.parent / "shared" / "bench"))
NEEDED = {"W1": (1, 0), "W2": (2, 0), "W3": (5, 0), "W5": (2, 3)}
"""Model calls and tool runs of a message."""


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


@pytest.mark.server
@pytest.mark.parametrize(("processes", "threads"), CAMPAIGNS)
def test_no_writer_of_one_or_two_processes_finds_sqlite_locked(processes, threads):
    writes = campaign(processes, threads, seconds=2)
    assert len(writes.seconds) >= 8
    assert (writes.locked, dict(writes.others)) == (0, {})


@pytest.mark.server
@pytest.mark.timeout(600)
def test_the_pages_of_conversations_are_measured_on_both_databases():
    done = bench("conversations", "--size", "60", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    for vendor in ("sqlite", "postgresql"):
        assert f"{vendor}: 60 conversations" in done.stdout
        assert done.stdout.count(f"{vendor:10} | ") == 13


@pytest.mark.server
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared bench is not next to the project")
def test_publishing_is_measured_for_the_first_and_for_later_requests():
    done = bench("publish", "--stages", "5", "--rounds", "1", "--later", "1")
    assert "| first request of a process |" in done.stdout, done.stderr
    assert "| later ones |" in done.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared bench is not next to the project")
def test_exports_and_imports_are_measured_in_every_format():
    done = bench("exchange", "--stages", "5", "--rounds", "1")
    assert done.stdout.count(" ms |") >= len(FORMATS), done.stderr
