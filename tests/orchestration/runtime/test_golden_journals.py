"""Golden journals: every version of the engine records the same events for the same inputs."""

import pytest

from orchestration.runtime import Session
from tests.orchestration.journals import FOLDER, Recorded, comparable, load_journal, play

JOURNALS = sorted(FOLDER.glob("*.json"))


def test_there_are_fifty_journals():
    assert len(JOURNALS) >= 50


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
