"""Fixtures of the tests of rehearsals."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Conversation, Pipeline
from tests.designer.live_conversations import make_pipeline, sample
from tests.orchestration.conversations import four_stages


@pytest.fixture
def pipeline(user: User) -> Pipeline:
    """Pipeline of `user` from the sample for customer support."""
    return make_pipeline(user, sample("support"))


@pytest.fixture
def invalid(user: User) -> Pipeline:
    """Pipeline of `user` without an entry."""
    return make_pipeline(user, four_stages(entry=None))


@pytest.fixture
def ask(client: Client, conversation: Conversation) -> Callable[..., str]:
    """Function that returns the text of a page of the conversation."""

    def get(name: str, **query: str | int) -> str:
        response = client.get(reverse(name, args=[conversation.pk]), query)
        assert response.status_code == 200
        return str(response.content.decode())

    return get
