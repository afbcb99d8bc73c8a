"""The queue of a conversation on the page."""

from __future__ import annotations

import pytest

from designer.models import Command
from orchestration.control import COMMAND_KINDS

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_queue_has_a_label_for_each_command():
    assert dict(Command.kind.field.flatchoices).keys() == {"say", *COMMAND_KINDS}
