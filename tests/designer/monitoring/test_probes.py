"""Probes and scrapes."""

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.migrations.recorder import MigrationRecorder
from prometheus_client.parser import text_string_to_metric_families

from designer.environment import token

TOKEN = "token-of-the-tests-0123456789"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
GUARDED = ("/health/ready", "/metrics")

# The checks use threads with connections of their own.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def with_token(settings):
    settings.METRICS_TOKEN = TOKEN


def test_a_process_that_runs_is_alive_under_any_host(anonymous_client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = anonymous_client.get("/health/live", headers={"Host": "10.0.0.7:8000"})
    assert (response.status_code, response.text) == (200, "ok")
    assert response["Cache-Control"] == "no-store"
    assert anonymous_client.post("/health/live").status_code == 405


@pytest.mark.usefixtures("with_token")
@pytest.mark.parametrize("path", GUARDED)
def test_details_need_the_token_even_from_loopback(anonymous_client, client, path, settings):
    for sender in (anonymous_client, client):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            response = sender.get(path, headers=headers)
            assert response.status_code == 401
            assert response["WWW-Authenticate"].startswith("Bearer")
            assert "baton_" not in response.text
    assert anonymous_client.get(path, headers=AUTHORIZED).status_code == 200
    settings.METRICS_TOKEN = ""
    response = anonymous_client.get(path, headers={"Authorization": "Bearer "})
    assert response.status_code == 403
    assert "Set BATON_METRICS_TOKEN" in response.text


@pytest.mark.usefixtures("with_token")
def test_a_server_with_everything_is_ready(anonymous_client, settings):
    settings.SECURE_SSL_REDIRECT = True  # a probe uses no TLS
    response = anonymous_client.get("/health/ready", headers=AUTHORIZED)
    assert response.status_code == 200
    checks = response.json()["checks"]
    assert set(checks) == {"database", "migrations", "channel layer", "workers"}
    assert all(check["ok"] for check in checks.values())


@pytest.mark.usefixtures("with_token")
def test_a_missing_migration_is_named(anonymous_client):
    applied = MigrationRecorder.Migration.objects.get(app="designer", name__startswith="0028")
    name = applied.name
    applied.delete()
    try:
        response = anonymous_client.get("/health/ready", headers=AUTHORIZED)
    finally:
        MigrationRecorder.Migration(app="designer", name=name).save()
    assert response.status_code == 503
    assert response.json()["status"] == "not ready"
    assert response.json()["checks"]["migrations"] == {
        "ok": False,
        "text": f"Not applied: designer.{name}. Run `manage.py migrate`.",
    }


def test_a_short_token_is_refused(monkeypatch):
    monkeypatch.setenv("BATON_METRICS_TOKEN", "short")
    with pytest.raises(ImproperlyConfigured, match="at least 16 characters; this one has 5"):
        token("BATON_METRICS_TOKEN")


def test_prometheus_reads_the_metrics_of_a_server(redis_url, start_server):
    environment = {"BATON_METRICS_TOKEN": TOKEN, "REDIS_URL": redis_url}
    server = start_server(environment=environment, samples=True)
    assert httpx.get(f"{server.url}/health/live").text == "ok"
    ready = httpx.get(f"{server.url}/health/ready", headers=AUTHORIZED)
    assert ready.json()["status"] == "ready", ready.text
    assert ready.json()["checks"]["channel layer"]["text"] == "RedisPubSubChannelLayer delivers."

    response = httpx.get(f"{server.url}/metrics", headers=AUTHORIZED)
    assert response.headers["Content-Type"].startswith("text/plain")
    samples = {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }
    assert samples["baton_database_up", ()] == 1
    assert samples["baton_active_runs", ()] == 0
    assert samples["baton_http_request_seconds_count", ("2xx",)] == 2
    assert samples["process_resident_memory_bytes", ()] > 0
