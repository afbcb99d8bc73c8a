"""Text messages of the AG-UI protocol."""

import pytest

from designer.rehearsal.agui.agui_text import message_id, whole_text


@pytest.mark.parametrize(("fence", "expected"), [(0, "run-1.2"), (7, "run-1.2.7")])
def test_the_id_of_a_streamed_answer_has_the_fence_of_its_worker(fence, expected):
    assert message_id("run-1", 2, fence) == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Hello", ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]),
        ("", ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"]),
    ],
)
def test_a_whole_message_has_content_only_with_a_text(text, kinds):
    events = list(whole_text("user-1", text, role="user", name="Ada", task="t1"))
    assert [event.type.value for event in events] == kinds
    assert {event.model_dump()["message_id"] for event in events} == {"user-1"}
    assert {event.model_dump()["subagent_run_id"] for event in events} == {"t1"}
