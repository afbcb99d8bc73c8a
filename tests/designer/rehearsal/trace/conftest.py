"""Fixtures of the tests of traces."""

import pytest
from django.contrib.auth.models import User

from designer.models import Conversation
from tests.designer.recorded_conversations import QUESTION, record_rehearsal

TEXTS = (QUESTION, "Yes, please do.", "It was the card ending in 4242.")


@pytest.fixture
def conversation(user: User) -> Conversation:
    """Conversation of `user` with three answered messages, handoffs and tools."""
    return record_rehearsal(user, *TEXTS)
