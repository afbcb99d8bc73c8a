"""Claims of runs on PostgreSQL: they skip locked rows and do not wait for each other."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.long]

SCRIPT = """
from threading import Thread
from django.contrib.auth.models import User
from django.db import connection, transaction
from tests.designer.rehearsal.actions.test_leases import claimed, queue_runs

pks = queue_runs(User.objects.create_user("lin"), 3)
second = []

def claim():
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 1000")
        second.extend(claimed(limit=9))
    finally:
        connection.close()

thread = Thread(target=claim)
with transaction.atomic():
    first = claimed(limit=1)
    thread.start()
    thread.join()
print([pks.index(pk) for pk in first], [pks.index(pk) for pk in second])
"""


def test_a_claim_leaves_the_runs_of_an_unfinished_one_and_does_not_wait(on_postgresql):
    assert on_postgresql(SCRIPT) == "[0] [1, 2]"
