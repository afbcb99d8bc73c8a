"""Every adapter against aimock, which speaks all five protocols (an npm package)."""

import json
from collections.abc import AsyncIterator

import pytest

from orchestration.providers.http_client import VendorClient
from orchestration.providers.provider import Finished, PromptMessage
from tests.slow.asking import AIMOCK, LOOK_UP, answer, asked, calls_of, request, text_of


@pytest.fixture(params=AIMOCK)
async def client(request: pytest.FixtureRequest, aimock: str) -> AsyncIterator[VendorClient]:
    client = AIMOCK[request.param].at(aimock)
    yield client
    await client.aclose()


async def test_an_answer_comes_in_pieces_with_its_usage(client):
    pieces = await answer(client, request(asked("Say hello")))
    assert text_of(pieces) == "Hello from a server on this machine, in more than one piece."
    assert len(pieces) > 2
    end = pieces[-1]
    assert isinstance(end, Finished)
    assert end.reason == "stop"
    assert end.input_tokens > 0
    assert end.output_tokens > 0


async def test_a_call_and_its_result_go_there_and_back(client):
    question = asked("Where is my order?")
    (called,) = calls_of(await answer(client, request(question, tools=[LOOK_UP])))
    assert called.call.name == "look_up"
    assert json.loads(called.call.arguments) == {"city": "Kraków"}
    history = [
        question,
        PromptMessage("assistant", "", tool_calls=(called.call,)),
        PromptMessage("tool", "Kraków, main hall", tool_call_id=called.call.id),
    ]
    said = text_of(await answer(client, request(*history, tools=[LOOK_UP])))
    assert said == "It is in Kraków, and comes tomorrow."
