"""Metrics of a process."""

import logging

from tests.designer.monitoring.metric_values import value


def test_errors_are_counted_by_their_logger():
    before = value("baton_errors_total", logger="a.logger")
    log = logging.getLogger("a.logger.of.tests")
    log.warning("no error")
    log.error("an error")
    assert value("baton_errors_total", logger="a.logger") == before + 1
