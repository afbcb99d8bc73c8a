"""Servers on one SQLite database, and on a database that they cannot write."""

import resource
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import pytest

from tests.serving import BatonServer, clean_environment, run_command

pytestmark = pytest.mark.server


def refused_start(environment: Mapping[str, str], command: str) -> str:
    """Start a server that must end at once with one line on standard error."""
    ended = run_command(environment, command, "--port", "0")
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    return line


def test_a_second_server_on_sqlite_says_that_postgresql_is_required(
    start_server: Callable[..., BatonServer],
) -> None:
    server = start_server()
    for command in ("serve", "demo"):
        line = refused_start(server.environment, command)
        assert "Another server uses" in line, command
        assert "several servers need PostgreSQL: set DATABASE_URL and REDIS_URL" in line, command
    assert server.manage("sign_in_link", "--username", "ada"), "commands run next to a server"
    server.kill()
    server.start()


@pytest.mark.long
def test_a_second_server_on_sqlite_starts_with_a_setting(
    start_server: Callable[..., BatonServer],
) -> None:
    first = start_server()
    shared = {"BATON_DATA_DIR": str(first.data_dir), "BATON_SEVERAL_SERVERS": "1"}
    second = start_server(environment=shared)
    assert httpx.get(f"{second.url}/sign-in/").status_code == 200


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_server_without_a_writable_folder_says_so_in_one_line(
    command: str, static_root: Path
) -> None:
    environment = clean_environment() | {
        "BATON_DATA_DIR": "/proc",  # not even root can create a file there
        "BATON_SECRET_KEY": "only-for-tests-" + "x" * 50,
        "BATON_STATIC_ROOT": str(static_root),
    }
    assert "Baton cannot write its data" in refused_start(environment, command)


def test_a_running_server_survives_a_full_disk(start_server: Callable[..., BatonServer]) -> None:
    server = start_server()
    with httpx.Client(base_url=server.url, headers={"Referer": server.url}) as browser:
        link = server.sign_in_url()
        post(browser, link, {})
        limit_files(server, (server.data_dir / "baton.sqlite3-wal").stat().st_size)
        response = post(browser, "/pipelines/create/", {"name": "Desk"})
        assert response.status_code == 507
        assert "The disk is full" in response.text
        assert browser.get("/").status_code == 200
        limit_files(server, resource.RLIM_INFINITY)
        assert post(browser, "/pipelines/create/", {"name": "Desk"}).status_code == 302


def limit_files(server: BatonServer, size: int) -> None:
    """Limit the size of the files of a running server, as a full disk does."""
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def post(browser: httpx.Client, path: str, fields: dict[str, str]) -> httpx.Response:
    token = browser.get("/sign-in/").cookies.get("csrftoken") or browser.cookies["csrftoken"]
    return browser.post(path, data=fields | {"csrfmiddlewaretoken": token})
