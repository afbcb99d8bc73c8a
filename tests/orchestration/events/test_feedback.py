"""Event of people's feedback on answers."""

import msgspec
import pytest

from orchestration.events import FeedbackGiven, decode, dump, encode, load
from tests.orchestration.conversations import NOON

DOWN = FeedbackGiven(
    9, NOON, "s1", "", "intake", "agent-triage", about=7, rating="down", comment="Rude.", by="ada"
)


def test_feedback_reads_back_from_its_json():
    assert decode(encode(DOWN)) == DOWN


def test_feedback_has_a_known_rating():
    with pytest.raises(msgspec.ValidationError, match=r"\$\.rating"):
        load(dump(DOWN) | {"rating": "sideways"})
