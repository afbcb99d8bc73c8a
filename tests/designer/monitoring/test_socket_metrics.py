"""Number of open websockets."""

from contextlib import suppress

import pytest

from designer.monitoring.socket_metrics import CountedSockets
from tests.designer.monitoring.metric_values import value


async def test_sockets_are_counted_while_they_are_open():
    seen = []

    async def application(scope, receive, send):
        seen.append(value("baton_sockets", page="share link"))
        raise ConnectionError

    with suppress(ConnectionError):
        await CountedSockets(application)({"path": "/ws/watch/secret/"}, None, None)
    assert seen == [1]
    assert value("baton_sockets", page="share link") == 0


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/ws/conversations/7/", "rehearsal"),
        ("/ws/pipelines/7/", "editor"),
        ("/prefix/ws/pipelines/7/", "editor"),
        ("/ws/pipelinesque/", "other"),
        ("/ws/", "other"),
        ("/", "other"),
    ],
)
async def test_sockets_are_counted_by_their_page(path, page):
    seen = []

    async def application(scope, receive, send):
        seen.append(value("baton_sockets", page=page))

    await CountedSockets(application)({"path": path}, None, None)
    assert seen == [1]
    assert value("baton_sockets", page=page) == 0
