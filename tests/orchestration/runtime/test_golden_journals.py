"""Golden journals: every version of the engine records the same events for the same inputs."""

from typing import get_args

import pytest

from orchestration.definition import Topology
from orchestration.events import (
    ApprovalGiven,
    ApprovalRequested,
    RunCompleted,
    RunFailed,
    StopReason,
    SubtaskCompleted,
)
from orchestration.runtime import Session
from tests.orchestration.journals import FOLDER, Recorded, comparable, load_journal, play

JOURNALS = sorted(FOLDER.glob("*.json"))
SAMPLES = FOLDER.parents[1] / "designer" / "pipelines" / "samples"


def test_there_are_fifty_journals():
    assert len(JOURNALS) >= 50


def test_the_journals_cover_samples_topologies_approvals_subtasks_forks_and_stops():
    journals = [load_journal(path) for path in JOURNALS]
    names = {path.stem for path in JOURNALS}
    assert names >= {f"sample-{path.stem}" for path in SAMPLES.glob("*.json")}
    assert {journal.definition.topology for journal in journals} == {*get_args(Topology)}
    events = [event for journal in journals for event in journal.events]
    assert {ApprovalRequested, ApprovalGiven, SubtaskCompleted} <= {*map(type, events)}
    reasons = {event.reason for event in events if isinstance(event, RunCompleted)}
    if any(isinstance(event, RunFailed) for event in events):
        reasons.add(StopReason.FAILED)
    assert reasons == {*StopReason}
    steps = {key for journal in journals for step in journal.steps for key in step}
    assert {"fork", "restart", "command", "queue"} <= steps


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
async def test_a_journal_is_replayed_with_the_same_events(path):
    journal = load_journal(path)
    recorded = Recorded(journal)
    events, session = await play(journal, recorded)
    assert comparable(events) == comparable(journal.events)
    if any("fork" in step for step in journal.steps):
        return  # the journal also contains the events that the fork left behind
    providers = {"default": recorded}
    restored = Session(session.definition, journal.events, session_id="s", providers=providers)
    assert restored.state.phase == session.state.phase
    assert [entry.text for entry in restored.history] == [entry.text for entry in session.history]
