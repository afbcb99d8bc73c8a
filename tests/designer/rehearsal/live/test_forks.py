"""A live fork from the middle of a run."""

from __future__ import annotations

import pytest
import pytest_asyncio

from designer.core.database import in_database
from designer.rehearsal import live
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.live.providers import use_providers
from orchestration.providers.scripted import ScriptedProvider
from tests.designer.live_conversations import Reader
from tests.designer.live_waits import is_over, reloaded, types, until
from tests.designer.recorded_conversations import find_seq, record_rehearsal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest_asyncio.fixture(autouse=True)
async def at_once():
    """Let the agents answer at once, and stop all runs after the test."""
    use_providers({"default": ScriptedProvider(tokens_per_second=None)})
    yield
    await live.shut_down()


@pytest.mark.parametrize("moment", ["turn.started", "handoff.accepted", "tool.called"])
async def test_it_stands_still_before_its_next_step_and_ends_as_its_origin_did(
    client, user, moment
):
    origin = await in_database(record_rehearsal, user)
    after = await in_database(find_seq, origin, moment)
    fork = await in_database(lambda: fork_conversation(origin, user=user, after=after))
    reader = Reader(client, fork.pk)
    assert await reader.connect()
    await reader.resume()
    live.wake()
    await reader.until('data-type="run.paused"')
    assert (await reloaded(fork)).is_paused
    await reader.ask(op="go_on")
    await reader.until_run_ends()
    await until(is_over(fork))
    told, first = await types(fork), (await types(origin))[:after]
    assert told[:after] == first
    assert told.count("run.paused") == 1
    assert told[-1] == "run.completed"
    await reader.leave()
