"""200 sockets that disconnect at random during conversations.

`scripts/soak` runs the test for a minute.
"""

import os
from collections.abc import Callable

import pytest

from tests.serving import BatonServer
from tests.soak_clients import Desk, Soak

pytestmark = pytest.mark.server

SECONDS = float(os.environ.get("BATON_SOAK_SECONDS", "6"))
SOCKETS, CONVERSATIONS = 200, 5
ENVIRONMENT = {"BATON_LEASE_SECONDS": "1", "BATON_TOKENS_PER_SECOND": "200"}


async def test_readers_receive_all_events_in_spite_of_lost_sockets_and_servers(
    start_server: Callable[..., BatonServer],
) -> None:
    server = start_server(environment=ENVIRONMENT)
    soak = Soak.of(Desk.of(server, CONVERSATIONS), SOCKETS, seed=7)

    def restart() -> None:
        server.kill()
        server.start()

    said = await soak.go(SECONDS, restart)

    for row in soak.desk.conversations:
        readers = [one for one in soak.readers if one.conversation == row]
        [kinds] = {tuple(one.kinds) for one in readers}
        assert all(one.seen == list(range(1, len(kinds) + 1)) for one in readers)
        assert kinds.count("message.received") == said[row]
        runs = [kind for kind in kinds if kind in ("run.started", "run.completed")]
        assert runs == ["run.started", "run.completed"] * said[row]
        assert kinds.count("turn.started") == kinds.count("message.completed")
    assert sum(one.drops for one in soak.readers) >= SOCKETS, "the server's death drops each once"
