"""Protocol of the server that stands in for a model server."""

import json
from typing import Any

import httpx
import pytest

from tests.openai_server import HOLD, Call, Failure, OpenAIServer


@pytest.fixture
def model(openai_server: OpenAIServer) -> OpenAIServer:
    return openai_server


def ask(model: OpenAIServer, **more: Any) -> httpx.Response:
    request = {"model": "any", "messages": [{"role": "user", "content": "one two"}], **more}
    headers = {"Authorization": f"Bearer {model.api_key}"}
    return httpx.post(f"{model.base_url}/chat/completions", json=request, headers=headers)


def chunks(response: httpx.Response) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in response.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_text_is_streamed_with_finish_and_usage_at_the_end(model):
    received = chunks(ask(model, stream=True, stream_options={"include_usage": True}))

    *pieces, finish, usage = received
    assert [piece["choices"][0]["delta"]["content"] for piece in pieces] == ["", "one ", "two "]
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["choices"] == []
    assert usage["usage"] == {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}


def test_a_streamed_tool_call_has_one_name_and_partial_arguments(model):
    model.script = lambda request: ["Wait.", Call("look_up", {"order": 7}), Call("close")]

    received = chunks(ask(model, stream=True))

    calls = [
        call for chunk in received for call in chunk["choices"][0]["delta"].get("tool_calls", ())
    ]
    first = [call for call in calls if call["index"] == 0]
    assert first[0]["id"] == "call_0"
    assert first[0]["function"]["name"] == "look_up"
    assert all("id" not in call and "name" not in call["function"] for call in first[1:])
    assert json.loads("".join(call["function"]["arguments"] for call in first)) == {"order": 7}
    assert received[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert len(model.requests) == 1


def test_a_held_answer_waits_for_its_release(model):
    model.script = lambda request: ["Before. ", HOLD, "After."]
    headers = {"Authorization": f"Bearer {model.api_key}"}
    request = {"model": "any", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    address = f"{model.base_url}/chat/completions"
    with httpx.stream("POST", address, json=request, headers=headers) as response:
        lines = response.iter_lines()
        before = ""
        while "Before" not in before:
            before = next(lines)
        model.wait_until_held()
        model.release()
        assert any("After" in line for line in lines)


def test_an_answer_without_streaming_is_complete(model):
    message = ask(model).json()["choices"][0]["message"]
    assert message["content"] == "one two "


def test_wrong_keys_wrong_paths_and_scripted_failures_are_errors(model):
    model.script = lambda request: Failure(429, headers=(("Retry-After", "1"),))
    response = ask(model)
    assert (response.status_code, response.headers["Retry-After"]) == (429, "1")
    assert httpx.post(f"{model.base_url}/chat/completions", json={}).status_code == 401
    assert httpx.post(f"{model.base_url}/completions", json={}).status_code == 404


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "tool", "tool_call_id": "call_0", "content": "never called"}],
        [{"role": "assistant", "content": None, "tool_calls": [{"id": "call_0"}]}],
        [{"role": "agent", "content": "no such role"}],
    ],
)
def test_histories_that_the_real_server_rejects_are_rejected(model, messages):
    assert ask(model, messages=messages).status_code == 400
