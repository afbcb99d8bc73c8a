"""Settings of a server, read by a new process in each test."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from designer.settings import channel_layer
from tests.serving import ROOT, clean_environment, run_command

PRODUCTION = {
    "BATON_PRODUCTION": "1",
    "BATON_SECRET_KEY": "long-and-random-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGH",
    "BATON_ALLOWED_HOSTS": "baton.example",
}


def manage(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(own_environment(data_dir, **environment), *arguments)


def run(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=own_environment(data_dir, **environment),
        capture_output=True,
        text=True,
        check=False,
    )


def own_environment(data_dir: Path, **environment: str) -> dict[str, str]:
    return clean_environment() | {"BATON_DATA_DIR": str(data_dir), **environment}


def read_settings(data_dir: Path, *names: str, **environment: str) -> dict[str, object]:
    """Return settings, as JSON has them, without loading the applications."""
    code = (
        "import json; from django.conf import settings;"
        f"print(json.dumps({{name: getattr(settings, name) for name in {names!r}}}, default=str))"
    )
    done = run(data_dir, "-c", code, DJANGO_SETTINGS_MODULE="designer.settings", **environment)
    assert done.returncode == 0, done.stderr
    values: dict[str, object] = json.loads(done.stdout)
    return values


def test_production_settings_pass_the_deployment_check(tmp_path):
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues (0 silenced)" in done.stdout


def test_production_requires_a_secret_key_and_disables_debugging(tmp_path):
    without_key = {**PRODUCTION, "BATON_SECRET_KEY": ""}
    done = manage(tmp_path, "check", **without_key)
    assert done.returncode == 1
    assert done.stderr == "Set BATON_SECRET_KEY to a long random text: see docs/operations.md.\n"
    assert read_settings(tmp_path, "DEBUG", BATON_DEBUG="1", **PRODUCTION) == {"DEBUG": False}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "BATON_SECRET_KEY",
            "short-0123456789",
            (
                "BATON_SECRET_KEY must be a random text of at least 50 characters with "
                "BATON_PRODUCTION; this one has 16: replace it as described in "
                "docs/operations.md."
            ),
        ),
        (
            "BATON_ALLOWED_HOSTS",
            "baton.example,*",
            (
                "BATON_ALLOWED_HOSTS contains *, which BATON_PRODUCTION does not allow: list the "
                "host names of this server, such as baton.example."
            ),
        ),
    ],
)
def test_production_refuses_to_start_with_an_unsafe_value(tmp_path, name, value, sentence):
    done = manage(tmp_path, "check", **{**PRODUCTION, name: value})
    assert (done.returncode, done.stderr.strip()) == (1, sentence)
    assert read_settings(tmp_path, "DEBUG", **{name: value}) == {"DEBUG": False}


def test_behind_a_proxy_its_headers_are_trusted(tmp_path):
    names = ("TRUSTED_PROXIES", "SECURE_PROXY_SSL_HEADER")
    assert read_settings(tmp_path, *names, BATON_BEHIND_PROXY="2", **PRODUCTION) == {
        "TRUSTED_PROXIES": 2,
        "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
    }
    assert read_settings(tmp_path, *names, **PRODUCTION) == {
        "TRUSTED_PROXIES": 0,
        "SECURE_PROXY_SSL_HEADER": None,
    }


def test_the_created_secret_key_is_readable_only_by_its_owner(tmp_path):
    first = read_settings(tmp_path, "SECRET_KEY")
    assert len(str(first["SECRET_KEY"])) > 50
    assert read_settings(tmp_path, "SECRET_KEY") == first
    mode = stat.S_IMODE((tmp_path / "secret_key").stat().st_mode)
    assert mode == stat.S_IRUSR | stat.S_IWUSR
    assert os.listdir(tmp_path) == ["secret_key"]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("BATON_DEBUG", "perhaps", "BATON_DEBUG must be 1 or 0, not 'perhaps'."),
        (
            "BATON_LEASE_SECONDS",
            "soon",
            "BATON_LEASE_SECONDS must be a positive number of seconds, not 'soon'.",
        ),
        (
            "BATON_ALLOWED_ADDRESSES",
            "127.0.0.1:8080, http://models",
            (
                "BATON_ALLOWED_ADDRESSES: 'http://models' is neither a network (10.0.0.0/8) nor a "
                "host (models.internal), each with an optional port (:8080)."
            ),
        ),
        (
            "BATON_PRICES",
            '{"gpt-4.1": [2]}',
            (
                'BATON_PRICES must be JSON like {"gpt-4.1": [2, 8]} (prices of a million input and '
                "output tokens), not '{\"gpt-4.1\": [2]}'."
            ),
        ),
    ],
)
def test_an_invalid_value_stops_the_start_with_one_message(tmp_path, name, value, sentence):
    done = manage(tmp_path, "check", **{name: value})
    assert (done.returncode, done.stderr.strip()) == (1, sentence)


def test_environment_variables_set_the_settings(tmp_path):
    values = read_settings(
        tmp_path,
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        "LEASE_SECONDS",
        "PRICES",
        BATON_ALLOWED_HOSTS="a.example, b.example",
        BATON_CSRF_TRUSTED_ORIGINS="https://a.example",
        BATON_LEASE_SECONDS="0.5",
        BATON_PRICES='{"gpt-4.1": [2, 8.5]}',
    )
    assert values == {
        "ALLOWED_HOSTS": ["a.example", "b.example"],
        "CSRF_TRUSTED_ORIGINS": ["https://a.example"],
        "LEASE_SECONDS": 0.5,
        "PRICES": {"gpt-4.1": [2.0, 8.5]},
    }


def test_a_server_drives_its_runs_with_a_lease_of_four_seconds_by_default(settings):
    assert (settings.RUNS, settings.LEASE_SECONDS) == ("here", 4.0)


def test_sqlite_uses_wal_and_immediate_transactions(tmp_path):
    code = (
        "from django.db import connection as c; k = c.cursor();"
        "print([k.execute('PRAGMA ' + p).fetchone()[0]"
        " for p in ('journal_mode', 'synchronous', 'busy_timeout')], c.transaction_mode)"
    )
    done = manage(tmp_path, "shell", "--no-imports", "-c", code)
    assert done.stdout.strip() == "['wal', 1, 5000] IMMEDIATE"


def test_installations_on_one_redis_have_different_channels(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:6379")
    prefixes = [channel_layer(key)["CONFIG"]["prefix"] for key in ("first", "first", "second")]
    assert prefixes[0] == prefixes[1] != prefixes[2]
    assert "first" not in prefixes[0]


def test_every_page_forbids_inline_script_style_and_frames(anonymous_client):
    response = anonymous_client.get("/sign-in/")
    policy = dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-src": "'self'",
        "frame-ancestors": "'none'",
    }
    assert response["X-Frame-Options"] == "DENY"
    assert "<style" not in response.text
    assert " style=" not in response.text
