"""Signed-in users for tests that share a server, created in one process."""

from collections.abc import Iterator

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from designer.accounts import create_sign_in_link
from designer.accounts.views import BACKEND
from designer.management.commands.demo import find_or_create_user
from designer.pipelines import close_checklist
from designer.pipelines.sample_pipelines import create_samples


def sign_in_people(first: int, count: int, *, samples: bool) -> Iterator[str]:
    """Create users and sign them in; yield their names and session keys."""
    for number in range(first, first + count):
        user = find_or_create_user(f"ada-{number}")
        close_checklist(user)  # it would cover a part of the canvas in each test
        if samples:
            create_samples(user=user)
        request = HttpRequest()
        request.session = SessionStore()
        login(request, user, backend=BACKEND)
        request.session.save()
        yield f"{user.username} {request.session.session_key}"


def prepare_people(first: int, count: int, *, samples: bool) -> Iterator[str]:
    """Sign users in; yield their names, session keys and the tokens of sign-in links."""
    for person in sign_in_people(first, count, samples=samples):
        user = User.objects.get(username=person.split()[0])
        yield f"{person} {create_sign_in_link(user=user)}"
