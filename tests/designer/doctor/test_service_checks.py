"""Findings about the channel layer, the runs, the mail server and the identity provider."""

from __future__ import annotations

import re
import smtplib
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.utils import timezone

from designer.environment import OpenIdProvider
from designer.models import Conversation, Pipeline
from designer.rehearsal import record_heartbeat
from tests.designer.doctor.single_checks import finding, unused_port
from tests.designer.rehearsal.actions.test_leases import queue_runs
from tests.openid_provider import OpenIdServer

pytestmark = pytest.mark.django_db


def test_an_unreachable_redis_is_an_error(settings: LazySettings) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [f"redis://127.0.0.1:{unused_port()}"]},
        }
    }
    found = finding("Channel layer")
    assert found.level == "error"
    assert "check REDIS_URL" in found.fix


def test_a_message_passes_through_redis(settings: LazySettings, redis_url: str) -> None:
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [redis_url]},
        }
    }
    assert (finding("Channel layer").level, finding("Channel layer").text) == ("ok", "Redis")


def test_a_missing_worker_is_an_error(settings: LazySettings) -> None:
    settings.RUNS = "workers"
    assert finding("Runs").text == "No worker was seen."
    record_heartbeat(name="one", runs=0, capacity=1)
    assert finding("Runs").level == "ok"


def test_a_run_that_no_process_continues_is_reported(user: User) -> None:
    assert finding("Runs").level == "ok"
    pipeline = Pipeline.objects.create(owner=user, name="Desk")
    Conversation.objects.create(
        pipeline=pipeline,
        started_by=user,
        number=1,
        definition={},
        pipeline_version=1,
        run_id="run",
        lease_until=timezone.now() - timedelta(minutes=5),
    )
    assert finding("Runs").text.startswith("1 runs")


def test_the_age_of_the_queue_is_shown(user: User) -> None:
    queue_runs(user, 2)
    found = finding("Runs")
    assert (found.level, found.fix) == ("ok", "")
    assert re.fullmatch(r"2 wait for a process, the oldest for 6\d s\.", found.text)


@pytest.fixture
def mail_port() -> Iterator[int]:
    """Port of a mail server that greets and accepts any command."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=greet, args=(listener,), daemon=True).start()
        yield int(listener.getsockname()[1])


def greet(listener: socket.socket) -> None:
    client, _ = listener.accept()
    with client, client.makefile("rwb") as stream:
        stream.write(b"220 mail.example\r\n")
        stream.flush()
        for line in stream:
            stream.write(b"221 bye\r\n" if line.startswith(b"QUIT") else b"250 mail.example\r\n")
            stream.flush()


def test_the_mail_server_is_contacted(settings: LazySettings, mail_port: int) -> None:
    assert finding("Mail").fix == "Set BATON_MAIL_URL and BATON_MAIL_FROM."
    settings.MAIL_ENABLED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mail_port
    assert finding("Mail").level == "ok"
    settings.EMAIL_PORT = unused_port()
    assert finding("Mail").level == "error"
    assert issubclass(smtplib.SMTPException, OSError), "errors of the protocol are caught too"


def test_the_identity_provider_is_contacted(settings: LazySettings) -> None:
    assert finding("OpenID Connect").level == "ok"
    with OpenIdServer() as server:
        settings.OPENID_PROVIDER = OpenIdProvider(server.issuer, "baton", "secret", is_open=True)
        text = f"{server.issuer}, for everyone of the provider"
        assert (finding("OpenID Connect").level, finding("OpenID Connect").text) == ("ok", text)
        settings.OPENID_PROVIDER = OpenIdProvider(f"{server.issuer}/", "baton", "secret")
        assert "calls itself" in finding("OpenID Connect").text
    settings.OPENID_PROVIDER = OpenIdProvider(f"{server.issuer}/gone", "baton", "secret")
    assert finding("OpenID Connect").fix == "Check BATON_OIDC_ISSUER and the provider."
