"""`manage.py createsuperuser`."""

import pytest
from django.core.management import call_command

from designer.models import AuditEntry


@pytest.mark.django_db
def test_the_new_administrator_is_recorded(user, capsys) -> None:
    call_command("createsuperuser", "--noinput", "--username", "root", "--email", "r@x.example")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor) == ("user_created", None)
    assert "“root”" in entry.target
    assert entry.detail == "administrator, by manage.py createsuperuser"
