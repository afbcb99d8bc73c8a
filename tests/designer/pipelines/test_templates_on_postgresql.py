"""Simultaneous changes of templates on PostgreSQL."""

import pytest

pytestmark = [pytest.mark.server, pytest.mark.long]

SCRIPT = """
from threading import Thread
from django.contrib.auth.models import User
from django.db import connection, transaction
from designer.core.edit_errors import RefusedError
from designer.pipelines.actions import create_pipeline
from designer.pipelines.templates import MAX_TEMPLATES, rename_template, save_template
from designer.models import Template

user = User.objects.create_user("lin")
pipeline = create_pipeline(user=user, name="Desk")
save = lambda name: save_template(pipeline=pipeline, user=user, name=name, description="")
WAITING = "SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"

def waiting():
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return cursor.fetchone()[0] > 0

def at_once(first, second):
    told = []
    def act():
        try:
            second()
            told.append("done")
        except RefusedError as error:
            told.append(str(error))
        except Exception as error:
            told.append(repr(error))
        finally:
            connection.close()
    thread = Thread(target=act)
    with transaction.atomic():
        first()
        thread.start()
        while thread.is_alive() and not waiting():
            pass
    thread.join()
    return told[0]

print(at_once(lambda: save("One"), lambda: save("One")))
other = save("Other")
print(at_once(lambda: save("Two"), lambda: rename_template(template=other, name="Two")))
mine = Template.objects.of(user)
one = mine.get(name="One")
print(at_once(lambda: rename_template(template=one, name="Three"), lambda: save("Three")))
for number in range(MAX_TEMPLATES - 1 - mine.count()):
    save(f"T{number}")
print(at_once(lambda: save("Last"), lambda: save("One too many")))
print(mine.count())
"""


def test_on_postgresql_of_two_templates_at_once_the_second_is_refused_with_a_sentence(
    on_postgresql,
):
    assert on_postgresql(SCRIPT).splitlines() == [
        "You already have a template “One”: choose another name.",
        "You already have a template “Two”: choose another name.",
        "You already have a template “Three”: choose another name.",
        "You have the maximum of 100 templates: delete one first.",
        "100",
    ]
