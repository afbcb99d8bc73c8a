"""Metrics of a process."""

import logging
from contextlib import suppress

from designer.monitoring.metrics import REGISTRY
from designer.monitoring.socket_metrics import CountedSockets


def value(name: str, **labels: str) -> float:
    metrics = REGISTRY.restricted_registry([name]).collect()
    samples = [sample for metric in metrics for sample in metric.samples]
    return sum(one.value for one in samples if (one.name, one.labels) == (name, labels))


def test_errors_are_counted_by_their_logger():
    before = value("baton_errors_total", logger="a.logger")
    log = logging.getLogger("a.logger.of.tests")
    log.warning("no error")
    log.error("an error")
    assert value("baton_errors_total", logger="a.logger") == before + 1


async def test_sockets_are_counted_while_they_are_open():
    seen = []

    async def application(scope, receive, send):
        seen.append(value("baton_sockets", page="share link"))
        raise ConnectionError

    with suppress(ConnectionError):
        await CountedSockets(application)({"path": "/ws/watch/secret/"}, None, None)
    assert seen == [1]
    assert value("baton_sockets", page="share link") == 0
