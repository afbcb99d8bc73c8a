"""Model settings of an agent in the published format of each vendor.

Sources: OpenAI's references of chat completions and of responses (`tool_choice`, `response_format`,
`text.format`, `reasoning_effort`, `reasoning.effort`) and its guide on structured outputs;
Anthropic's pages on tool choice, on structured outputs (`output_config.format`), on effort and on
adaptive and extended thinking; Gemini's guides on function calling (`functionCallingConfig.mode`),
on structured outputs (`responseJsonSchema`) and on thinking; Ollama's pages on structured outputs
(`format`) and on thinking (`think`).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.events import (
    RunCompleted,
    RunFailed,
)
from orchestration.messages import ToolCall
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    PromptMessage,
    TextPiece,
)
from orchestration.providers.request_options import closed_schema, is_strict
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import (
    PlayedModel,
    say,
    session_with,
    unchecked_session_with,
)
from tests.orchestration.providers.vendor_exchange import (
    HANDOFF_TOOL,
    LOOSE,
    SCHEMA,
    exchange,
    request_body,
    value_at,
    with_settings,
)
from tests.orchestration.vendor_streams import VENDORS

CLOSED = SCHEMA | {"additionalProperties": False}


each_name = pytest.mark.parametrize("name", VENDORS)


# Tool choice

CHOICES = {
    "openai_compatible": ("tool_choice", "auto", "required", "none"),
    "openai": ("tool_choice", "auto", "required", "none"),
    "anthropic": ("tool_choice.type", "auto", "any", "none"),
    "gemini": ("toolConfig.functionCallingConfig.mode", "AUTO", "ANY", "NONE"),
}


@pytest.mark.parametrize("name", CHOICES)
async def test_the_tool_choice_has_the_form_of_the_vendor(name):
    path, *words = CHOICES[name]
    for choice, word in zip(("auto", "required", "none"), words, strict=True):
        body = await request_body(name, tool_choice=choice)
        assert value_at(body, path) == word
        assert body["tools"]


@pytest.mark.parametrize("name", CHOICES)
async def test_without_tools_no_tool_setting_is_sent(name):
    body = await request_body(name, tools=(), tool_choice="required")
    assert value_at(body, CHOICES[name][0]) is None
    assert "tools" not in body


@pytest.mark.parametrize("name", CHOICES)
async def test_a_required_call_is_optional_after_the_result_of_a_tool(name):
    path, auto, required, _ = CHOICES[name]
    first = await request_body(name, tools=(HANDOFF_TOOL,), tool_choice="required")
    assert value_at(first, path) == required
    call = ToolCall(id="c1", name="look_up", arguments="{}")
    called = (
        PromptMessage("user", "Where is it?"),
        PromptMessage("assistant", "", (call,)),
        PromptMessage("tool", "In Poland.", tool_call_id="c1"),
    )
    assert value_at(await request_body(name, *called, tool_choice="required"), path) == auto
    continued = (*called, PromptMessage("user", "And now?"))
    assert value_at(await request_body(name, *continued, tool_choice="required"), path) == required


# Structured output

FORMS: dict[str, dict[str, Any]] = {
    "openai_compatible": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": CLOSED, "strict": True},
        }
    },
    "openai": {
        "text": {
            "format": {"type": "json_schema", "name": "answer", "schema": CLOSED, "strict": True}
        }
    },
    "anthropic": {"output_config": {"format": {"type": "json_schema", "schema": CLOSED}}},
    "gemini": {
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}
    },
    "ollama": {"format": SCHEMA},
}


@each_name
async def test_the_response_schema_has_the_form_of_the_vendor(name):
    body = await request_body(name, tools=(), response_schema=SCHEMA)
    for key, value in FORMS[name].items():
        assert body[key] == value


@pytest.mark.parametrize(
    ("name", "model", "is_set"),
    [
        ("openai_compatible", "m1", True),
        ("openai", "m1", True),
        ("anthropic", "claude-sonnet-4-6", True),
        ("gemini", "gemini-3-flash", True),
        ("gemini", "gemini-2.5-flash", False),
        ("ollama", "m1", False),
    ],
)
async def test_a_schema_that_excludes_tools_is_a_part_of_the_prompt(name, model, is_set):
    body = await request_body(name, model=model, response_schema=SCHEMA)
    sent = json.dumps(body)
    schema_prompt = "answer with JSON that follows this JSON Schema" in sent
    keys = ("response_format", "responseJsonSchema", "output_config", '"format"')
    assert any(key in sent for key in keys) is is_set
    assert schema_prompt is not is_set
    assert "look_up" in sent


def test_a_closed_schema_is_strict_if_all_properties_are_required():
    nested = {
        "type": "object",
        "properties": {"rows": {"type": "array", "items": SCHEMA}},
        "required": ["rows"],
        "$defs": {"a": SCHEMA},
    }
    closed = closed_schema(nested)
    assert closed["properties"]["rows"]["items"] == closed["$defs"]["a"] == CLOSED
    assert is_strict(closed)
    loose: list[dict[str, Any]] = [LOOSE, SCHEMA, {"properties": {}, "oneOf": []}]
    for one in loose:
        assert not is_strict({"anyOf": [CLOSED, one]})
    assert not is_strict(closed_schema(nested | {"additionalProperties": {"type": "string"}}))


NO_SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "required": 5},
    {"required": [{}], "properties": {"a": 1}},
    {"properties": 3, "anyOf": 4, "$defs": [], "items": "x"},
]


@each_name
@pytest.mark.parametrize("schema", NO_SCHEMAS)
async def test_an_invalid_schema_is_sent_to_the_vendor(name, schema):
    tool = ToolSpec("look_up", "Looks up.", schema)
    body = await request_body(name, tools=(tool,), response_schema=schema)
    assert json.dumps(schema)[1:-1] in json.dumps(body)
    strict = value_at(body, "response_format.json_schema.strict") or value_at(
        body, "text.format.strict"
    )
    assert not strict


# Reasoning effort


@pytest.mark.parametrize(
    ("name", "model", "effort", "path", "value"),
    [
        ("openai_compatible", "m1", "low", "reasoning_effort", "low"),
        ("openai", "gpt-5", "minimal", "reasoning", {"effort": "minimal"}),
        ("anthropic", "claude-opus-4-6", "high", "output_config", {"effort": "high"}),
        ("anthropic", "claude-opus-4-6", "minimal", "output_config", {"effort": "low"}),
        ("anthropic", "claude-opus-4-6", "minimal", "thinking", None),
        ("anthropic", "claude-sonnet-5", "medium", "thinking", {"type": "adaptive"}),
        (
            "anthropic",
            "claude-sonnet-4-5-20250929",
            "medium",
            "thinking",
            {"type": "enabled", "budget_tokens": 4096},
        ),
        ("anthropic", "claude-sonnet-4-5-20250929", "medium", "output_config", None),
        ("anthropic", "claude-opus-4-20250514", "low", "max_tokens", 4096 + 1024),
        ("gemini", "gemini-3-pro", "high", "generationConfig.thinkingConfig.thinkingLevel", "high"),
        ("gemini", "gemini-2.5-pro", "low", "generationConfig.thinkingConfig.thinkingBudget", 1024),
        ("ollama", "gpt-oss", "high", "think", "high"),
        ("ollama", "gpt-oss", "minimal", "think", "low"),
    ],
)
async def test_the_reasoning_effort_has_the_form_of_the_model(name, model, effort, path, value):
    body = await request_body(name, model=model, reasoning_effort=effort)
    assert value_at(body, path) == value


@each_name
async def test_unset_options_are_not_sent(name):
    sent = json.dumps(await request_body(name))
    for word in ("effort", "think", "responseJsonSchema", "output_config", "format"):
        assert word not in sent.replace("reasoning.encrypted_content", "")


# Refusals and stop reasons


@pytest.mark.parametrize("name", ["openai_compatible", "openai", "anthropic"])
async def test_a_refusal_has_its_own_reason_and_keeps_its_text(name):
    pieces, _ = await exchange(VENDORS[name], VENDORS[name].refused)
    assert pieces[0] == TextPiece("I cannot help with that.")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "refused"


@pytest.mark.parametrize("name", ["openai_compatible", "openai", "gemini"])
async def test_a_filtered_answer_has_its_own_reason(name):
    pieces, _ = await exchange(VENDORS[name], VENDORS[name].filtered)
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "filtered"


@each_name
async def test_an_answer_that_reached_its_length_limit_has_that_reason(name):
    pieces, _ = await exchange(VENDORS[name], VENDORS[name].long)
    assert pieces[0] == TextPiece("Let me ")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


# Reasoning that is sent back


@pytest.mark.parametrize("name", ["openai_compatible", "ollama"])
async def test_reasoning_is_sent_back_with_its_calls_to_the_same_model_only(name):
    vendor = VENDORS[name]
    pieces, _ = await exchange(vendor, vendor.reasoned)
    *_, called, finished = pieces
    assert isinstance(called, CallPiece)
    assert isinstance(finished, Finished)
    assert finished.kept is not None
    call = called.call
    history = (
        PromptMessage("user", "Hi"),
        PromptMessage("assistant", "", (ToolCall(id="c1", name=call.name),), kept=finished.kept),
        PromptMessage("tool", "Poland", tool_call_id="c1"),
    )
    sent = json.dumps(await request_body(name, *history))
    assert "A city, then." in sent
    assert "A city, then." not in json.dumps(await request_body(name, *history, model="m2"))
    assert "A city, then." in json.dumps(await request_body(name, *history))


# Check of structured answers

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ('{"n": 7}', ""),
        ('{"n": "x"}', "does not follow the agent's response schema: n: "),
        ("Seven.", "does not follow the agent's response schema: it is not JSON"),
    ],
)
async def test_an_answer_is_checked_against_the_response_schema(answer, error):
    definition = with_settings(response_schema=NUMBER)
    *_, last = await say(session_with(PlayedModel([(answer,)]), definition), "hi")
    if error:
        assert isinstance(last, RunFailed)
        assert error in last.message
    else:
        assert isinstance(last, RunCompleted)


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"type": "object", "required": 5}])
async def test_an_invalid_response_schema_fails_before_the_request(schema):
    model = PlayedModel([("{}",)])
    definition = with_settings(response_schema=schema)
    *_, last = await say(unchecked_session_with(model, definition), "hi")
    assert isinstance(last, RunFailed)
    assert last.error == "SchemaError"
    assert last.message.startswith("The response schema of agent 'agent-triage' is invalid")
    assert model.requests == []
