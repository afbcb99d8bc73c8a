"""Findings about installations with and without problems."""

from __future__ import annotations

import re
import smtplib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from designer.doctor import Finding, check_url, examine
from designer.doctor.examination import CHECKS
from designer.environment import OpenIdProvider
from designer.models import Connection, Conversation, Pipeline
from designer.rehearsal import record_heartbeat
from tests.designer.rehearsal.actions.test_leases import queue_runs
from tests.openid_provider import OpenIdServer
from tests.serving import BatonServer, clean_environment, run_command

pytestmark = pytest.mark.django_db


def finding(subject: str) -> Finding:
    """Return the finding of the only check of a subject."""
    [check] = [check for name, check in CHECKS if name == subject]
    return check()


def test_each_problem_has_a_fix_and_a_healthy_part_has_none() -> None:
    findings = list(examine())
    assert {each.level for each in findings if not each.fix} == {"ok"}
    assert {each.level for each in findings if each.fix} <= {"warning", "error"}
    assert not [each.text for each in findings if each.text.startswith("The check failed")]
    healthy = {each.subject for each in findings if each.level == "ok"}
    assert {"Database", "Migrations", "Channel layer", "Disk"} <= healthy


def test_settings_of_production_are_checked_for_deployment(settings: LazySettings) -> None:
    assert finding("Settings").level == "ok"
    settings.PRODUCTION = True
    found = finding("Settings")
    assert found.level == "warning"
    assert "security.W008" in found.text
    assert "section Settings" in found.fix


def test_a_server_in_production_without_a_proxy_is_an_error(settings: LazySettings) -> None:
    settings.PRODUCTION = True
    assert (finding("Proxy").level, "BATON_BEHIND_PROXY=1" in finding("Proxy").fix) == (
        "error",
        True,
    )


def test_a_package_of_another_version_is_named(settings: LazySettings, tmp_path: Path) -> None:
    settings.BASE_DIR = tmp_path
    (tmp_path / "constraints.txt").write_text("# exact\nDjango==1.0\nnot-installed==3.1\n")
    found = finding("Packages")
    assert found.level == "warning"
    assert found.text.endswith("instead of 1.0")
    assert "not-installed" not in found.text


def test_a_missing_migration_is_an_error() -> None:
    recorder = MigrationRecorder(connection)
    name = max(name for app, name in recorder.applied_migrations() if app == "designer")
    recorder.record_unapplied("designer", name)
    assert finding("Migrations").fix == "Run manage.py migrate."


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


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_missing_worker_is_an_error(settings: LazySettings) -> None:
    settings.RUNS = "workers"
    assert finding("Runs").text == "No worker was seen."
    record_heartbeat(name="one", runs=0, capacity=1)
    assert finding("Runs").level == "ok"


@pytest.mark.server
def test_without_its_database_the_command_names_the_reason_and_makes_the_other_checks(
    tmp_path: Path,
) -> None:
    address = "postgresql://ada@127.0.0.1:1/baton"
    own = {"BATON_DATA_DIR": str(tmp_path), "DATABASE_URL": address}
    done = run_command(clean_environment() | own, "doctor")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if "Database" in line]
    assert line.startswith("error   Database: The database cannot be reached (connection failed")
    assert "Check DATABASE_URL and start again." in done.stdout
    assert "The check failed" not in done.stdout
    assert "Disk: " in done.stdout


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


def test_unknown_hosts_and_an_empty_list_are_reported(settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "baton.invalid"]
    assert finding("Addresses").text == "No address is known for baton.invalid."
    settings.ALLOWED_HOSTS = []
    assert finding("Addresses").level == "error"


def test_uncollected_static_files_are_an_error(settings: LazySettings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    assert finding("Static files").level == "error"
    (tmp_path / "staticfiles.json").touch()
    assert finding("Static files").level == "ok"


def test_secrets_of_another_key_are_an_error(user: User, settings: LazySettings) -> None:
    secret = Connection(owner=user, name="work", base_url="https://models.example/v1")
    secret.store_secrets(key="sk-secret", headers=None)
    secret.save()
    assert finding("Keys").level == "ok"
    settings.SECRET_KEY = "another-key-" + "y" * 50
    assert finding("Keys").level == "error"
    assert "work" in finding("Keys").text


def test_an_installation_without_administrators_is_reported(user: User) -> None:
    assert finding("Administrators").level == "warning"
    user.is_superuser = True
    user.save()
    assert finding("Administrators").text == "1"


def test_the_command_fails_if_something_must_be_fixed(
    settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.ALLOWED_HOSTS = []
    with pytest.raises(CommandError, match="must be fixed"):
        call_command("doctor")
    assert "Set it to the host names of this server." in capsys.readouterr().out


@pytest.mark.server
def test_the_public_address_is_requested_with_a_websocket(
    start_server: Callable[..., BatonServer],
) -> None:
    server = start_server()
    assert check_url(server.url).level == "ok"
    assert check_url(f"http://127.0.0.1:{unused_port()}").level == "error"
    foreign = check_url(server.url.replace("127.0.0.1", "127.0.0.2"))
    assert foreign.level == "error"
