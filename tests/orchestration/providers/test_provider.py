"""Requests and messages of the provider protocol."""

from orchestration.definition import Agent
from orchestration.messages import ToolCall
from orchestration.prompts import PromptPart
from orchestration.providers.provider import ModelRequest, PromptMessage
from orchestration.tokens import estimate_tokens


def test_a_message_estimates_the_tokens_of_its_text():
    text = "Where is my order?"
    assert PromptMessage("user", text).tokens == estimate_tokens(text)


def test_the_calls_of_a_message_count_as_tokens():
    call = ToolCall(id="1", name="look_up", arguments='{"city": "Lodz"}')
    without = PromptMessage("assistant", "One moment.")
    with_call = PromptMessage("assistant", "One moment.", (call,))
    assert with_call.tokens > without.tokens + estimate_tokens(call.arguments)


def test_a_known_number_of_tokens_is_not_estimated_again():
    assert PromptMessage("user", "Where is my order?", tokens=3).tokens == 3


def test_a_request_has_the_model_of_its_agent_and_the_joined_system_prompt():
    request = ModelRequest(
        agent=Agent(id="a", name="A", model="m1"),
        phase="intake",
        system_parts=(PromptPart("base", "You are A."), PromptPart("instructions", "Be kind.")),
        messages=[],
    )
    assert (request.model, request.system) == ("m1", "You are A.\n\n---\n\nBe kind.")
