"""`manage.py demo`: set up the installation, print a sign-in link, and serve on loopback.

Completed steps are skipped, so a second start is fast.
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
from designer.serving.local_model import NAME, LocalModel, LocalModelError, simplify_for_local_model
from designer.serving.server import serve
from designer.serving.server_lock import ServerStartError, server_lock

HOST = "127.0.0.1"

MODEL_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
"""Environment variables that connect another model."""
QUESTION = "I was charged twice for my order A-1043."
"""First question to the local model."""


class Command(BaseCommand):
    """Prepare the database, the static files, a user and the samples; then serve."""

    help = "Set up and run Baton on this machine, to try it out."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the port, the user and the optional parts."""
        parser.add_argument("--port", type=int, default=8000, help="port on loopback (8000)")
        parser.add_argument("--username", default="demo", help="user of the sign-in link (demo)")
        parser.add_argument(
            "--no-samples",
            action="store_false",
            dest="samples",
            help="do not create the sample pipelines",
        )
        parser.add_argument(
            "--local-model",
            action="store_true",
            help="connect a small model on this machine, and rehearse a sample with it",
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
        """Prepare the installation and serve."""
        require_free_port(port)
        require_writable(settings.DATA_DIR)
        if local_model:
            require_no_other_model()
        try:
            with server_lock():
                self._prepare_and_serve(port, username, samples=samples, local_model=local_model)
        except ServerStartError as error:
            raise CommandError(str(error)) from error

    def _prepare_and_serve(
        self, port: int, username: str, *, samples: bool, local_model: bool
    ) -> None:
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
        """Connect the local model through the environment and rehearse with it."""
        try:
            with LocalModel(settings.DATA_DIR / "local-model.log") as model:
                os.environ["OPENAI_BASE_URL"] = f"{model.url}/v1"
                os.environ["OPENAI_MODEL"] = NAME
                pipeline = find_or_create_local_sample(user)
                self.stdout.write(f"{NAME} runs on this machine. First message: {QUESTION}")
                self.stdout.flush()
                rehearse(pipeline, QUESTION)
                yield
        except LocalModelError as error:
            raise CommandError(str(error)) from error


def require_free_port(port: int) -> None:
    """Raise `CommandError` if the port is in use or not allowed."""
    if not 0 <= port <= 65535:
        raise CommandError(f"There is no port {port}: choose one from 1 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            is_used = error.errno == errno.EADDRINUSE
            reason = (
                "is in use by another program" if is_used else f"cannot be used ({error.strerror})"
            )
            raise CommandError(f"Port {port} {reason}: choose another one with --port.") from error


def require_writable(folder: Path) -> None:
    """Raise `CommandError` if the folder cannot be created or written to."""
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


def require_no_other_model() -> None:
    """Raise CommandError if the environment connects a model beside the local one."""
    if variables := [name for name in MODEL_VARIABLES if os.environ.get(name)]:
        raise CommandError(
            f"{variables[0]} connects another model: unset it, or omit --local-model."
        )


def collect_static_files() -> None:
    """Collect and hash the static files if any has changed."""
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
    """Return a hash of the names, sizes and modification times of all static files."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def migrate() -> None:
    """Apply missing migrations."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def find_or_create_local_sample(user: User) -> Pipeline:
    """Return the support sample for the local model; create it on first use."""
    sample = all_samples()["support"]
    name = f"{sample.name} (local model)"
    pipeline = Pipeline.objects.of(user).filter(name=name).first()
    definition = simplify_for_local_model(sample, name)
    return pipeline or import_definition(user=user, definition=definition)


def rehearse(pipeline: Pipeline, text: str) -> None:
    """Play one message in the terminal. The server starts even if it fails."""
    with suppress(SystemExit):
        call_command("rehearse", str(pipeline.pk), message=[text])


def find_or_create_user(username: str) -> User:
    """Return the user with this name; a new user has no password and signs in by link."""
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
