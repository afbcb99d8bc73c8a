"""Default settings of an engine."""

from datetime import UTC

from orchestration.events import RunStarted
from orchestration.runtime import EngineSettings, RunSettings, Session
from orchestration.runtime.engine_settings import new_id, now
from tests.orchestration.conversations import PlayedModel, four_stages, only, say


def test_the_clock_returns_aware_times_in_order():
    first, second = now(), now()
    assert first.tzinfo is UTC
    assert first <= second


def test_run_ids_are_unique_hexadecimal_texts():
    ids = {new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(each) == 32 and int(each, 16) >= 0 for each in ids)


async def test_a_session_without_settings_has_a_clock_and_run_ids():
    session = Session(
        four_stages(), session_id="s1", providers={"default": PlayedModel([("Hello.",)])}
    )
    started = only(RunStarted, await say(session, "hi"))
    assert started.at.tzinfo is UTC
    assert len(started.run_id) == 32


def test_settings_of_a_run_are_settings_of_an_engine():
    assert set(RunSettings.__annotations__) < set(EngineSettings.__annotations__)
