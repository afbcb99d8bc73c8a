"""Fixtures for every test: people, and clients that are signed in as them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def user(db: None) -> User:
    """The person whose pipelines the test is about."""
    return User.objects.create_user("ada", password="correct horse")


@pytest.fixture
def other_user(db: None) -> User:
    """Someone else, who must not see what belongs to `user`."""
    return User.objects.create_user("grace", password="battery staple")


@pytest.fixture
def anonymous_client() -> Client:
    """A browser that nobody signed in with."""
    return Client()


@pytest.fixture
def client(user: User) -> Client:
    """A browser in which `user` is signed in."""
    return signed_in(user)


@pytest.fixture
def other_client(other_user: User) -> Client:
    """A browser in which `other_user` is signed in."""
    return signed_in(other_user)


def signed_in(user: User) -> Client:
    """Return a client with a session of `user`."""
    client = Client()
    client.force_login(user)
    return client
