"""State of the database's migrations, checked before a server starts."""

from __future__ import annotations

from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from designer.serving.server_lock import ServerStartError


def missing_migrations() -> list[str]:
    """Return the names of the migrations that the database lacks, in the order of their use."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def unknown_migrations() -> list[str]:
    """Return the applied migrations that this version of Baton does not have."""
    loader = MigrationExecutor(connection).loader
    own = {app for app, _ in loader.graph.nodes}
    known = set(loader.graph.nodes) | set(loader.replacements)
    replaced = {key for migration in loader.replacements.values() for key in migration.replaces}
    applied = {key for key in loader.applied_migrations if key[0] in own}
    return sorted(f"{app}.{name}" for app, name in applied - known - replaced)


def require_migrated() -> None:
    """Raise `ServerStartError` if the database cannot be reached or lacks a migration."""
    require_connection()
    try:
        missing = missing_migrations()
    except DatabaseError as error:
        raise _unreachable(error) from error
    if missing:
        count = "1 migration is" if len(missing) == 1 else f"{len(missing)} migrations are"
        raise ServerStartError(
            f"The database is not migrated ({count} missing, the first is {missing[0]}): run "
            "manage.py migrate and start again."
        )


def require_connection() -> None:
    """Raise `ServerStartError` if the database cannot be reached.

    PostgreSQL is asked without the pool, whose errors do not contain the reason.
    """
    wrapper: Any = connection
    try:
        if connection.vendor == "postgresql":
            with wrapper.wrap_database_errors:
                wrapper.Database.connect(**wrapper.get_connection_params()).close()
        connection.ensure_connection()
    except DatabaseError as error:
        raise _unreachable(error) from error


def _unreachable(error: DatabaseError) -> ServerStartError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return ServerStartError(
        f"The database cannot be reached ({reason}): check DATABASE_URL and start again."
    )
