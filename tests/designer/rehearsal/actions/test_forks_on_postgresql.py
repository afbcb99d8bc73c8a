"""Forks on PostgreSQL: two forks at the same time get different names."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.long]

SCRIPT = """
from threading import Thread
from django.contrib.auth.models import User
from django.db import connection, transaction
from designer.rehearsal.actions.rehearsals import resend_message
from tests.designer.recorded_conversations import converse, record_rehearsal, find_seq

user = User.objects.create_user("lin")
origin = record_rehearsal(user)
say = lambda one, text: resend_message(
    conversation=one, seq=find_seq(one, "message.received"), text=text, user=user
)
fork = say(origin, "Hello")
fork.commands.all().delete()
converse(fork, "Hello")
WAITING = "SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"

def waiting():
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return cursor.fetchone()[0] > 0

def second():
    try:
        print(say(fork, "Good morning").name)
    finally:
        connection.close()

thread = Thread(target=second)
with transaction.atomic():
    first = say(origin, "Good day")
    thread.start()
    while thread.is_alive() and not waiting():
        pass
thread.join()
print(first.name)
"""


def test_on_postgresql_two_forks_that_are_begun_at_once_have_two_names(on_postgresql):
    assert on_postgresql(SCRIPT).splitlines() == [
        "Rehearsal 1 (edit 3)",
        "Rehearsal 1 (edit 2)",
    ]
