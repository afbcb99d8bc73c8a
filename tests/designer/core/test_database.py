"""Access to the database from the event loop."""

import threading

import pytest
from django.contrib.auth.models import User

from designer.core.database import in_database

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_function_runs_in_a_separate_thread_with_its_arguments():
    def function(first: int, *, second: int) -> tuple[str, int]:
        return threading.current_thread().name, first + second

    name, total = await in_database(function, 1, second=2)
    assert name.startswith("baton-live")
    assert total == 3


async def test_an_exception_of_the_function_is_raised():
    def fail() -> None:
        raise LookupError("missing")

    with pytest.raises(LookupError, match="missing"):
        await in_database(fail)


async def test_committed_rows_are_visible_to_the_function(user):
    assert await in_database(User.objects.count) == 1
