"""Failures of the database, from the errors that the databases really raise."""

import sqlite3

import psycopg
import pytest
from django.contrib.auth.models import Group
from django.db import InterfaceError, OperationalError, connection

from designer.core.database_failures import (
    BUSY,
    FULL,
    READ_ONLY,
    UNREACHABLE,
    database_failure,
    is_busy,
)
from tests.designer.sqlite_limits import full_disk, locked_database, read_only_database

pytestmark = pytest.mark.django_db(transaction=True)


def failure_of(write):
    with pytest.raises(OperationalError) as raised:
        write()
    return database_failure(raised.value)


def test_a_locked_database_is_busy():
    with locked_database():
        assert failure_of(lambda: Group.objects.create(name="a")) is BUSY


def test_a_database_that_cannot_grow_is_on_a_full_disk():
    with full_disk():
        rows = [Group(name=f"{number:0>100}") for number in range(2_000)]
        assert failure_of(lambda: Group.objects.bulk_create(rows)) is FULL
    Group.objects.bulk_create(rows)


def test_a_database_without_write_access_is_read_only():
    with read_only_database():
        assert failure_of(lambda: Group.objects.create(name="a")) is READ_ONLY
    Group.objects.create(name="a")


def test_a_missing_table_is_a_defect():
    def read():
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM no_such_table")

    assert failure_of(read) is None
    assert database_failure(ValueError()) is None
    assert database_failure(sqlite3.OperationalError("not wrapped by Django")) is None


@pytest.mark.parametrize(
    ("cause", "failure"),
    [
        (psycopg.errors.DiskFull(), FULL),
        (psycopg.errors.DeadlockDetected(), BUSY),
        (psycopg.errors.ReadOnlySqlTransaction(), READ_ONLY),
        (psycopg.errors.AdminShutdown(), UNREACHABLE),
        (psycopg.OperationalError("connection refused"), UNREACHABLE),
        (psycopg.errors.UndefinedTable(), None),
    ],
)
def test_errors_of_postgresql_are_recognised_by_their_code(cause, failure):
    error = OperationalError()
    error.__cause__ = cause
    assert database_failure(error) is failure
    assert is_busy(error) is (failure is BUSY)
    assert database_failure(InterfaceError("connection already closed")) is UNREACHABLE
