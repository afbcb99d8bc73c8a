"""Transactions that are repeated while the database is busy."""

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks

from designer.core.database_failures import BUSY, database_failure
from designer.core.transactions import BUSY_ATTEMPTS, atomic_action
from tests.designer.sqlite_limits import locked_database

pytestmark = pytest.mark.django_db(transaction=True)


@atomic_action
def add_group(name):
    return Group.objects.create(name=name)


@pytest.fixture
def on_retry():
    """Set the function that is called before each further attempt."""
    hooks = get_on_retry_hooks()
    yield lambda hook: set_on_retry_hooks([hook])
    set_on_retry_hooks(hooks)


def test_a_busy_database_is_tried_again(on_retry):
    with locked_database() as release:
        on_retry(lambda details: release())
        add_group("ada")
    assert Group.objects.get().name == "ada"


def test_the_number_of_attempts_is_limited(on_retry):
    attempts = [0]
    on_retry(lambda details: attempts.append(details.retry_num))
    with locked_database(), pytest.raises(OperationalError) as raised:
        add_group("ada")
    assert database_failure(raised.value) is BUSY
    assert len(attempts) == BUSY_ATTEMPTS
    assert not Group.objects.exists()
