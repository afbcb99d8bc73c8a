"""People who are signed in already, for tests that share a server: many in one process."""

from collections.abc import Iterator

from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from designer.accounts.views import BACKEND
from designer.management.commands.demo import find_or_create_user
from designer.pipelines.sample_pipelines import create_samples


def sign_in_people(first: int, count: int, *, samples: bool) -> Iterator[str]:
    """Make people and sign each in; yield their names and the keys of their sessions."""
    for number in range(first, first + count):
        user = find_or_create_user(f"ada-{number}")
        if samples:
            create_samples(user=user)
        request = HttpRequest()
        request.session = SessionStore()
        login(request, user, backend=BACKEND)
        request.session.save()
        yield f"{user.username} {request.session.session_key}"
