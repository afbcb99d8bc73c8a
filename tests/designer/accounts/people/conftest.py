"""An administrator."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import signed_in


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", "root@baton.example", "correct horse")


@pytest.fixture
def admin_client(root: User) -> Client:
    return signed_in(root)
