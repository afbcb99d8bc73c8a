"""`manage.py demo`: set up what is missing, print a sign-in link, and serve on loopback.

Everything that is there already is kept and skipped, so that a second start is quick.
"""

import errno
import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from designer.management.commands.sign_in_link import sign_in_url
from designer.models import Pipeline
from designer.pipelines import import_definition
from designer.pipelines import samples as all_samples
from designer.serving.local_model import NAME, LocalModel, LocalModelError, suited
from designer.serving.server import serve

HOST = "127.0.0.1"

LOCAL = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
"""The variables by which another model would be connected."""
ASKED = "I was charged twice for my order A-1043."
"""First question to the local model."""


class Command(BaseCommand):
    """Prepare the database, the static files, a user and the samples; then serve."""

    help = "Set up and run Baton on this machine, for one person to try."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the port, the user, and whether the samples are wanted."""
        parser.add_argument("--port", type=int, default=8000, help="port on loopback (8000)")
        parser.add_argument("--username", default="demo", help="who the link signs in (demo)")
        parser.add_argument(
            "--no-samples",
            action="store_false",
            dest="samples",
            help="begin without the sample pipelines",
        )
        parser.add_argument(
            "--local-model",
            action="store_true",
            help="connect a small model that runs on this machine, and rehearse a sample with it",
        )

    def handle(
        self,
        *args: Any,
        port: int,
        username: str,
        samples: bool,
        local_model: bool,
        **options: Any,
    ) -> None:
        """Prepare what is missing, and serve."""
        require_free_port(port)
        require_writable(settings.DATA_DIR)
        collect_static_files()
        migrate()
        user = find_or_create_user(username)
        if samples:
            call_command("create_samples", username=username, verbosity=0)

        def announce(url: str) -> None:
            self.stdout.write(f"Baton is ready: {sign_in_url(url, user)}")
            self.stdout.write("The link signs you in once. Stop with Ctrl-C.")
            self.stdout.flush()

        with self._local_model(user) if local_model else nullcontext():
            serve(host=HOST, port=port, announce=announce)

    @contextmanager
    def _local_model(self, user: User) -> Iterator[None]:
        """Have the local model be the one that the environment connects; rehearse with it."""
        if taken := [name for name in LOCAL if os.environ.get(name)]:
            raise CommandError(f"{taken[0]} connects another model: unset it, or do without.")
        try:
            with LocalModel(settings.DATA_DIR / "local-model.log") as model:
                os.environ["OPENAI_BASE_URL"] = f"{model.url}/v1"
                os.environ["OPENAI_MODEL"] = NAME
                pipeline = find_or_create_local_sample(user)
                self.stdout.write(f"{NAME} answers on this machine. It is asked: {ASKED}")
                self.stdout.flush()
                rehearse(pipeline, ASKED)
                yield
        except LocalModelError as error:
            raise CommandError(str(error)) from error


def require_free_port(port: int) -> None:
    """Refuse a port that someone listens on, or that this user may not have."""
    if not 0 <= port <= 65535:
        raise CommandError(f"There is no port {port}: choose one from 1 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            busy = error.errno == errno.EADDRINUSE
            why = "is in use by another program" if busy else f"cannot be used ({error.strerror})"
            raise CommandError(f"Port {port} {why}: choose another one with --port.") from error


def require_writable(folder: Path) -> None:
    """Refuse a folder for the data that cannot be made or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable:
        raise CommandError(
            f"Baton cannot write its data to {folder}: make the folder writable, "
            "or set BATON_DATA_DIR to one that is."
        )


def collect_static_files() -> None:
    """Collect and hash the static files, where any has changed since the last time."""
    if settings.DEBUG:
        return
    root = Path(settings.STATIC_ROOT)
    stamp = root / ".sources"
    sources = _static_sources()
    if stamp.exists() and stamp.read_text(encoding="ascii") == sources:
        return
    require_writable(root)
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(sources, encoding="ascii")


def _static_sources() -> str:
    """Return a hash over the names, sizes and times of all files that the finders know."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def migrate() -> None:
    """Bring the database up to date, where it is not."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def find_or_create_local_sample(user: User) -> Pipeline:
    """The support sample as the local model can play it, which is made once."""
    sample = all_samples()["support"]
    name = f"{sample.name} (local model)"
    found = Pipeline.objects.of(user).filter(name=name).first()
    return found or import_definition(user=user, definition=suited(sample, name))


def rehearse(pipeline: Pipeline, said: str) -> None:
    """Play one message in the terminal; however that ends, the server starts."""
    with suppress(SystemExit):
        call_command("rehearse", str(pipeline.pk), message=[said])


def find_or_create_user(username: str) -> User:
    """Return the user with this name; a new one has no password, only links."""
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
