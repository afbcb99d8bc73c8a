"""Metrics of a process without pages."""

from typing import Any

import httpx
import pytest
from django.db.backends.signals import connection_created

from designer.monitoring.metrics_server import metrics_server

TOKEN = "token-of-the-tests-0123456789"


@pytest.mark.django_db(transaction=True)
def test_a_process_without_pages_serves_its_metrics_for_the_token(settings):
    settings.METRICS_TOKEN = TOKEN
    with metrics_server(host="127.0.0.1", port=0) as url:
        assert httpx.get(url).status_code == 401
        assert httpx.get(url.replace("/metrics", "/")).status_code == 404
        response = httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"})
        assert response.status_code == 200
        assert "baton_active_runs 0.0" in response.text
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


@pytest.mark.django_db(transaction=True)
def test_the_end_of_the_metrics_closes_their_connection_to_the_database(settings):
    settings.METRICS_TOKEN = TOKEN
    opened: list[Any] = []

    def keep(*, connection: Any, **_: object) -> None:
        opened.append(connection)

    connection_created.connect(keep)
    try:
        with metrics_server(host="127.0.0.1", port=0) as url:
            httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"})
    finally:
        connection_created.disconnect(keep)
    assert opened
    assert all(each.connection is None for each in opened)
