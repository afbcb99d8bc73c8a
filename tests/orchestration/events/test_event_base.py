"""Common fields of events, and their JSON form."""

import json
import re
from typing import get_args

import msgspec
import pytest

from orchestration.events import (
    Event,
    RunCompleted,
    StopReason,
    SupervisorNoted,
    decode,
    dump,
    encode,
    load,
)
from orchestration.messages import Usage
from tests.orchestration.conversations import NOON

NOTE = SupervisorNoted(3, NOON, "s1", "run", "intake", "agent-triage", text="Psst")
TAGS = [str(kind.__struct_config__.tag) for kind in get_args(Event)]


def test_every_event_type_has_a_tag_of_its_own():
    assert len(set(TAGS)) == len(TAGS)


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_is_a_noun_and_a_verb(tag):
    assert re.fullmatch(r"[a-z]+\.[a-z]+", tag)


@pytest.mark.parametrize("kind", get_args(Event))
def test_every_event_begins_with_the_common_fields(kind):
    fields = kind.__struct_fields__
    assert fields[:6] == ("seq", "at", "session_id", "run_id", "phase", "agent_id")


def test_the_type_of_an_event_is_its_tag():
    assert NOTE.type == "supervisor.noted"
    assert dump(NOTE)["type"] == NOTE.type


def test_an_event_reads_back_from_its_json():
    assert decode(encode(NOTE)) == load(dump(NOTE)) == NOTE


def test_an_event_cannot_be_changed():
    with pytest.raises(AttributeError):
        NOTE.seq = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"type": "supervisor.sang"}, "Invalid value 'supervisor.sang'"),
        ({"seq": "3"}, "Expected `int`, got `str`"),
        ({"colour": "red"}, "unknown field `colour`"),
    ],
)
def test_invalid_json_is_an_error_with_its_path(change, error):
    body = dump(NOTE) | change
    with pytest.raises(msgspec.ValidationError, match=re.escape(error)):
        load(body)
    with pytest.raises(msgspec.ValidationError, match=re.escape(error)):
        decode(json.dumps(body, default=str))


def test_a_stop_reason_is_its_text_in_json():
    end = RunCompleted(
        4, NOON, "s1", "run", "intake", reason=StopReason.CYCLE, usage=Usage(), turns=1, handoffs=0
    )
    assert dump(end)["reason"] == "cycle"
    assert decode(encode(end)) == end
