"""Fixtures of the designer's tests: a conversation, and a reader of it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from django.contrib.auth.models import User
from django.test import Client

from designer import live
from designer.models import Conversation
from tests.designer.rehearsing import Reader, make_conversation


@pytest.fixture
def conversation(user: User) -> Conversation:
    """One of `user`'s that has not begun."""
    return make_conversation(user)


@pytest_asyncio.fixture
async def reader(client: Client, conversation: Conversation) -> AsyncIterator[Reader]:
    """A socket of the conversation, connected."""
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    yield reader
    await live.shut_down()
    await reader.leave()
