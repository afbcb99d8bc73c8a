"""Messages from a page over a socket."""

import json

import pytest

from designer.core.socket_messages import (
    MAX_FRAME,
    MAX_SHARED,
    BreakPoint,
    CatchUp,
    MalformedError,
    Resume,
    Say,
    ShareSelection,
    parse,
    parse_editing,
)
from orchestration.control import Pause


def test_messages_are_parsed_by_their_operation():
    assert parse('{"op": "resume", "after": "3"}') == Resume(op="resume", after=3)
    message = parse('{"op": "say", "id": "message-1", "text": "Hi", "HEADERS": {}}')
    assert isinstance(message, Say)
    assert message.inbound().text == "Hi"


def test_fields_of_variables_are_collected_for_the_message():
    fields = {"op": "say", "id": "message-1", "text": "Hi", "variable:customer.name": "Ada"}
    message = parse(json.dumps(fields | {"variable:plan": ""}))
    assert isinstance(message, Say)
    assert message.inbound().variables == {"customer.name": "Ada", "plan": ""}
    with pytest.raises(MalformedError, match="plan"):
        parse(json.dumps(fields | {"variable:plan": "x" * 501}))


def test_a_command_without_an_id_gets_one():
    command = parse('{"op": "pause"}')
    assert isinstance(command, Pause)
    assert len(command.id) == 32
    assert command.by == ""


@pytest.mark.parametrize(
    ("fields", "point"),
    [({"stage": "review"}, "review"), ({"source": "a", "target": "b"}, ("a", "b"))],
)
def test_a_break_point_is_a_stage_or_a_transition(fields, point):
    message = parse(json.dumps({"op": "break_point", **fields}))
    assert isinstance(message, BreakPoint)
    assert message.point == point


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "must be text"),
        ("{", "not JSON"),
        ("[" * 100_000, "larger than 64 KiB"),
        ("ä" * (MAX_FRAME // 2 + 1), "larger than 64 KiB"),
        ("[]", "was not understood"),
        ('{"op": "dance"}', "was not understood"),
        ('{"op": "break_point", "source": "a"}', "both ends of a transition"),
        ('{"op": "pause", "id": "x"}', "id: String should match"),
    ],
)
def test_an_invalid_message_is_reported(text, problem):
    with pytest.raises(MalformedError, match=problem):
        parse(text)


def test_messages_of_the_editor_are_parsed():
    message = parse_editing('{"op": "catch_up", "version": "7", "select": "stage:review"}')
    assert isinstance(message, CatchUp)
    assert (message.page_state.version, str(message.page_state.selection)) == (7, "stage:review")
    ids = " ".join(f"stage-{number}" for number in range(MAX_SHARED + 1))
    message = parse_editing(json.dumps({"op": "look", "at": ids}))
    assert isinstance(message, ShareSelection)
    assert len(message.selected) == MAX_SHARED
    with pytest.raises(MalformedError):
        parse_editing('{"op": "look", "at": "<b>"}')


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        (
            {"op": "hand_over", "target": "human", "reason": "x" * 2_001},
            "The reason is too long: 2,000 characters are allowed.",
        ),
        ({"op": "hand_over"}, "Choose a target first."),
        ({"op": "hand_over", "target": ""}, "Choose a target first."),
        ({"op": "note"}, "The note is missing. Fill it in and try again."),
    ],
)
def test_an_error_in_a_dialog_names_its_field_as_the_page_does(fields, refusal):
    with pytest.raises(MalformedError) as error:
        parse(json.dumps(fields))
    assert str(error.value) == refusal


@pytest.mark.parametrize(("op", "subject"), [("note", "The note"), ("reply", "The reply")])
def test_a_text_that_is_too_long_is_named_as_its_dialog_names_it(op, subject):
    with pytest.raises(MalformedError, match=f"^{subject} has 8,001 characters; 8,000 are allowed"):
        parse(json.dumps({"op": op, "text": "x" * 8_001}))
