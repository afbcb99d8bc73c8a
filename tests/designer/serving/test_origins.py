"""Allowed origins of websockets."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from designer.serving.origins import SameOriginValidator, is_allowed, parse_origin
from designer.serving.server import MAX_WEBSOCKET_MESSAGE
from tests.designer.serving.echo_server import echo
from tests.serving import ROOT, clean_environment
from tests.websocket_client import WebsocketClient, WebsocketRefusedError


def handshake(origin: str | None, host: str = "127.0.0.1:8000", **scope: Any) -> dict[str, Any]:
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    return {"type": "websocket", "path": "/", "headers": headers, **scope}


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "baton.example"]
    settings.CSRF_TRUSTED_ORIGINS = []


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://localhost:8000", "localhost:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://baton.example", "baton.example"),
        ("http://baton.example", "baton.example:80"),
        ("http://baton.example", "Baton.Example"),
    ],
)
def test_a_page_of_the_same_origin_is_allowed(origin, host):
    assert is_allowed(handshake(origin, host))


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "",
        "http://127.0.0.1:8001",
        "http://127.0.0.1",
        "https://127.0.0.1:8000",
        "http://localhost:8000",
        "http://evil.example:8000",
        "http://127.0.0.1:8000.evil.example",
        "http://127.0.0.1:8000@evil.example",
        "http://evil.example@127.0.0.1:8000",
        "http://127.0.0.1:8000/path",
        "http://127.0.0.1:99999",
        "http://[127.0.0.1:8000",
        "file://127.0.0.1:8000",
    ],
)
def test_a_page_of_another_origin_is_rejected(origin):
    assert not is_allowed(handshake(origin))


def test_an_unknown_host_is_rejected_even_with_the_same_origin():
    assert not is_allowed(handshake("http://evil.example:8000", "evil.example:8000"))


def test_two_origins_or_no_host_are_rejected():
    doubled = handshake("http://127.0.0.1:8000")
    doubled["headers"].append((b"origin", b"http://127.0.0.1:8000"))
    assert not is_allowed(doubled)
    assert not is_allowed({"headers": [(b"origin", b"http://127.0.0.1:8000")]})


def test_behind_tls_the_scheme_is_https(settings):
    settings.SECURE_SSL_REDIRECT = True
    assert is_allowed(handshake("https://baton.example", "baton.example"))
    assert not is_allowed(handshake("http://baton.example", "baton.example"))


def test_the_header_of_a_trusted_proxy_sets_the_scheme(settings):
    secure = handshake("https://baton.example", "baton.example")
    secure["headers"].append((b"x-forwarded-proto", b"https"))
    assert not is_allowed(secure)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert is_allowed(secure)


def test_a_trusted_origin_is_allowed(settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://front.example", "https://*.example"]
    assert is_allowed(handshake("https://front.example"))
    assert not is_allowed(handshake("https://other.example"))


def test_a_default_port_is_the_same_as_none():
    assert parse_origin("https://baton.example") == parse_origin("https://baton.example:443")


async def test_a_rejected_handshake_does_not_reach_the_application():
    application = SameOriginValidator(echo)
    refused = WebsocketCommunicator(
        application, "/", headers=[(b"host", b"127.0.0.1"), (b"origin", b"http://evil.example")]
    )
    assert (await refused.connect())[0] is False


@pytest.fixture(scope="module")
def echo_url(empty_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real daphne server that echoes messages, started like Baton."""
    data = tmp_path_factory.mktemp("echo") / "data"
    shutil.copytree(empty_data, data)
    environment = clean_environment() | {
        "BATON_DATA_DIR": str(data),
        "BATON_SECRET_KEY": "only-for-tests-" + "x" * 50,
        "DJANGO_SETTINGS_MODULE": "tests.designer.serving.echo_server",
    }
    with subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("Baton listens on http://").strip()
        process.terminate()


@pytest.mark.server
def test_a_real_socket_is_accepted_only_from_the_same_host_and_port(echo_url):
    with WebsocketClient(f"ws://{echo_url}", [("Origin", f"http://{echo_url}")]) as client:
        client.send("hello")
        assert client.receive() == "hello"
    for origin in ("http://127.0.0.1:1", "http://evil.example", "null"):
        with pytest.raises(WebsocketRefusedError) as refusal:
            WebsocketClient(f"ws://{echo_url}", [("Origin", origin)])
        assert refusal.value.status == 403


@pytest.mark.server
def test_a_message_of_more_than_64_kib_closes_its_socket_as_too_big(echo_url):
    with WebsocketClient(f"ws://{echo_url}", [("Origin", f"http://{echo_url}")]) as client:
        client.send("x" * MAX_WEBSOCKET_MESSAGE)
        assert client.receive() == "x" * MAX_WEBSOCKET_MESSAGE
        client.send("x" * (MAX_WEBSOCKET_MESSAGE + 1))
        assert client.receive() == 1009


@pytest.mark.server
def test_messages_to_a_slow_client_arrive_complete_and_in_order(echo_url):
    """Send more than the buffers of the system hold, so the rest waits in the server."""
    texts = [f"{number} " + "x" * 60_000 for number in range(250)]
    with WebsocketClient(f"ws://{echo_url}", [("Origin", f"http://{echo_url}")]) as client:
        for text in texts:
            client.send(text)
        assert [client.receive() for _ in texts] == texts
