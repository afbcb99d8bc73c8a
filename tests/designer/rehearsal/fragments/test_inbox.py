"""The conversations in the inbox."""

import pytest

from designer.rehearsal.fragments import inbox
from orchestration.control import HandOver
from orchestration.definition import HUMAN
from tests.designer.recorded_conversations import record_rehearsal, steer

pytestmark = pytest.mark.django_db


def test_the_inbox_begins_with_the_longest_waiting_conversation(user, monkeypatch):
    monkeypatch.setattr(inbox, "MAX_LISTED", 2)
    rows = [record_rehearsal(user) for _ in range(3)]
    for row in (rows[1], rows[2], rows[0]):
        command = HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True)
        steer(row, command)
    shown = [one.conversation for one in inbox.inbox_context(user)["waiting"]]
    assert shown == [rows[1], rows[2]]
