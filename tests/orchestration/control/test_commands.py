"""Commands as values: their bounds, and their JSON."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from orchestration.control import (
    COMMAND_KINDS,
    MAX_TEXT,
    AnyCommand,
    HandOver,
    SendNote,
    decode_command,
    encode_command,
    read_command,
)

SIGNED: dict[str, Any] = {"id": "command-1", "by": "ada"}

FIELDS: dict[str, dict[str, Any]] = {
    "pause": {},
    "go_on": {"step": True},
    "note": {"text": "Be kind.", "to_agent": "triage"},
    "hand_over": {"target": "handler", "to_phase": "handling", "past_check": True},
    "take_over": {},
    "reply": {"text": "Hello"},
    "hand_back": {"target": "triage", "summary": "It is solved."},
    "end": {},
    "feedback": {"about": 7, "rating": "down", "comment": "Rude."},
    "approve": {"asked": 7},
    "change": {"asked": 7, "arguments": "{}"},
    "refuse": {"asked": 7, "reason": "No."},
}


def test_each_command_is_tested_here():
    assert tuple(FIELDS) == COMMAND_KINDS
    assert len(COMMAND_KINDS) == len(get_args(AnyCommand))


@pytest.mark.parametrize("kind", FIELDS)
def test_a_command_reads_back_from_its_json(kind):
    command = read_command({"kind": kind} | SIGNED | FIELDS[kind])
    assert command.kind == kind
    assert decode_command(encode_command(command)) == command


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("note", "text", " \n "),
        ("note", "text", "x" * (MAX_TEXT + 1)),
        ("reply", "text", "a\0b"),
        ("hand_over", "target", " "),
        ("hand_over", "to_phase", "x" * 121),
        ("hand_over", "reason", "x" * 2_001),
        ("hand_back", "summary", "a\0b"),
        ("approve", "asked", 0),
        ("approve", "asked", 2**31),
        ("change", "arguments", "x" * 50_001),
        ("refuse", "reason", "\ud800"),
        ("drop", "text", "Hello"),
    ],
)
def test_a_field_beyond_its_bounds_is_refused(kind, field, value):
    with pytest.raises(ValidationError):
        read_command({"kind": kind} | SIGNED | FIELDS.get(kind, {}) | {field: value})


def test_an_empty_optional_name_is_absent():
    over = read_command({"kind": "hand_over", "target": "handler", "to_phase": " "} | SIGNED)
    note = read_command({"kind": "note", "text": " Hi\r\nyou ", "to_agent": ""} | SIGNED)
    assert over == HandOver(**SIGNED, target="handler")
    assert note == SendNote(**SIGNED, text="Hi\nyou")
