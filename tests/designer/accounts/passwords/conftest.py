"""A person with an e-mail address, and a mail server."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User


@pytest.fixture
def mail_server(settings: LazySettings) -> None:
    settings.MAIL_ENABLED = True


@pytest.fixture
def ada(user: User) -> User:
    user.email = "Ada@baton.example"
    user.save()
    return user
