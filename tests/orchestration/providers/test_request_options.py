"""What an agent demands of its model, as each vendor is told it in its published format.

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

from orchestration.definition import Agent
from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall
from orchestration.providers.provider import CallPiece, Finished, PromptMessage, TextPiece
from orchestration.providers.request_options import closed, is_strict
from orchestration.tools import ToolSpec
from tests.orchestration.providers.completions_server import with_messages
from tests.orchestration.providers.test_vendors import LOOK_UP, heard
from tests.orchestration.vendor_formats import OLLAMA_END, by_lines, line, spoken_by_ollama
from tests.orchestration.vendor_streams import VENDORS

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
}
CLOSED = SCHEMA | {"additionalProperties": False}
LOOSE = SCHEMA | {"required": ["city"]}

ORDER_OF_HANDOFF = ToolSpec(
    "handoff_conversation",
    "Hands over.",
    {"type": "object", "properties": {"target": {"enum": ["agent-b"]}}, "required": ["target"]},
    kind="handoff",
)

each = pytest.mark.parametrize("name", VENDORS)


def agent(**settings: Any) -> Agent:
    return Agent(id="a", name="A", **{"model": "m1"} | settings)


async def asked(name: str, *messages: PromptMessage, tools: Any = (LOOK_UP,), **settings: Any):
    """What the vendor is sent for an agent with these settings."""
    said = messages or (PromptMessage("user", "Where is it?"),)
    request = with_messages(*said, agent=agent(**settings), tools=tools)
    answer = VENDORS[name].answer
    return (await heard(VENDORS[name], answer, request=request))[1]


def at(body: Any, path: str) -> Any:
    """What stands at a path of keys; None: nothing."""
    for key in path.split("."):
        body = body.get(key) if isinstance(body, dict) else None
    return body


# Tool choice

CHOICES = {
    "openai_compatible": ("tool_choice", "auto", "required", "none"),
    "openai": ("tool_choice", "auto", "required", "none"),
    "anthropic": ("tool_choice.type", "auto", "any", "none"),
    "gemini": ("toolConfig.functionCallingConfig.mode", "AUTO", "ANY", "NONE"),
}


@pytest.mark.parametrize("name", CHOICES)
async def test_whether_a_tool_may_has_to_or_must_not_be_called_is_said_as_the_vendor_says_it(name):
    path, *words = CHOICES[name]
    for choice, word in zip(("auto", "required", "none"), words, strict=True):
        body = await asked(name, tool_choice=choice)
        assert at(body, path) == word
        assert body["tools"]


@pytest.mark.parametrize("name", CHOICES)
async def test_without_tools_nothing_is_said_of_them(name):
    body = await asked(name, tools=(), tool_choice="required")
    assert at(body, CHOICES[name][0]) is None
    assert "tools" not in body


@pytest.mark.parametrize("name", CHOICES)
async def test_a_handoff_can_be_forced_and_who_was_answered_by_a_tool_is_free_to_speak(name):
    path, auto, required, _ = CHOICES[name]
    first = await asked(name, tools=(ORDER_OF_HANDOFF,), tool_choice="required")
    assert at(first, path) == required
    call = ToolCall(id="c1", name="look_up", arguments="{}")
    called = (
        PromptMessage("user", "Where is it?"),
        PromptMessage("assistant", "", (call,)),
        PromptMessage("tool", "In Poland.", tool_call_id="c1"),
    )
    assert at(await asked(name, *called, tool_choice="required"), path) == auto
    told = (*called, PromptMessage("user", "And now?"))
    assert at(await asked(name, *told, tool_choice="required"), path) == required


async def test_ollama_is_shown_no_tools_where_none_may_be_called():
    assert "tools" not in await asked("ollama", tool_choice="none")
    assert "tools" in await asked("ollama", tool_choice="auto")


async def test_ollama_is_made_to_call_by_the_schema_of_its_answer():
    body = await asked("ollama", tools=(LOOK_UP, ORDER_OF_HANDOFF), tool_choice="required")
    forms = body["format"]["anyOf"]
    assert [one["properties"]["name"]["enum"] for one in forms] == [
        ["look_up"],
        ["handoff_conversation"],
    ]
    assert forms[1]["properties"]["arguments"] == dict(ORDER_OF_HANDOFF.parameters)
    assert forms[1]["required"] == ["name", "arguments"]
    one = await asked("ollama", tools=(ORDER_OF_HANDOFF,), tool_choice="required")
    assert one["format"]["properties"]["name"]["enum"] == ["handoff_conversation"]
    referring = ToolSpec("refer", "", {"type": "object", "$ref": "#/$defs/A", "$defs": {}})
    alone = await asked("ollama", tools=(referring,), tool_choice="required")
    assert alone["format"]["properties"]["arguments"] == {"type": "object"}


async def test_the_call_that_ollama_was_made_to_write_is_read_from_its_text_and_not_shown():
    written = '{"name": "look_up", "arguments": {"city": "Łódź 🙂"}}'
    request = with_messages(
        PromptMessage("user", "hi"), agent=agent(tool_choice="required"), tools=(LOOK_UP,)
    )
    for place in range(1, len(written)):
        stream = by_lines(*spoken_by_ollama(written[:place], written[place:]))
        pieces, _ = await heard(VENDORS["ollama"], stream, request=request)
        call = ToolCall(id="", name="look_up", arguments='{"city":"Łódź 🙂"}')
        assert pieces == [CallPiece(call), Finished(11, 7)]


@pytest.mark.parametrize("text", ["I would rather not.", '{"arguments": {}}', "[1]"])
async def test_words_in_place_of_the_call_that_had_to_be_are_an_error(text):
    request = with_messages(
        PromptMessage("user", "hi"), agent=agent(tool_choice="required"), tools=(LOOK_UP,)
    )
    with pytest.raises(ProviderError, match="was to call a tool, and answered with something else"):
        await heard(VENDORS["ollama"], by_lines(*spoken_by_ollama(text)), request=request)


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


@each
async def test_the_schema_of_the_answers_is_sent_as_the_vendor_wants_it(name):
    body = await asked(name, tools=(), response_schema=SCHEMA)
    for key, value in FORMS[name].items():
        assert body[key] == value


@pytest.mark.parametrize("name", ["openai_compatible", "openai"])
async def test_a_schema_that_openai_would_refuse_as_strict_guides(name):
    body = await asked(name, tools=(), response_schema=LOOSE)
    form = at(body, "response_format.json_schema") or at(body, "text.format")
    assert form["strict"] is False
    assert form["schema"] == LOOSE


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
async def test_where_tools_and_the_schema_cannot_be_set_together_it_is_asked_for_in_words(
    name, model, is_set
):
    body = await asked(name, model=model, response_schema=SCHEMA)
    sent = json.dumps(body)
    in_words = "answer with JSON that follows this JSON Schema" in sent
    keys = ("response_format", "responseJsonSchema", "output_config", '"format"')
    assert any(key in sent for key in keys) is is_set
    assert in_words is not is_set
    assert "look_up" in sent


def test_a_schema_is_closed_all_the_way_down_and_strict_only_where_everything_is_required():
    nested = {
        "type": "object",
        "properties": {"rows": {"type": "array", "items": SCHEMA}},
        "required": ["rows"],
        "$defs": {"a": SCHEMA},
    }
    made = closed(nested)
    assert made["properties"]["rows"]["items"] == made["$defs"]["a"] == CLOSED
    assert is_strict(made)
    loose: list[dict[str, Any]] = [LOOSE, SCHEMA, {"properties": {}, "oneOf": []}]
    for one in loose:
        assert not is_strict({"anyOf": [CLOSED, one]})
    assert not is_strict(closed(nested | {"additionalProperties": {"type": "string"}}))


NO_SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "required": 5},
    {"required": [{}], "properties": {"a": 1}},
    {"properties": 3, "anyOf": 4, "$defs": [], "items": "x"},
]


@each
@pytest.mark.parametrize("schema", NO_SCHEMAS)
async def test_what_is_no_schema_goes_to_the_vendor_who_says_so(name, schema):
    tool = ToolSpec("look_up", "Looks up.", schema)
    body = await asked(name, tools=(tool,), response_schema=schema)
    assert json.dumps(schema)[1:-1] in json.dumps(body)
    strict = at(body, "response_format.json_schema.strict") or at(body, "text.format.strict")
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
async def test_how_long_to_think_is_said_as_the_model_knows_it(name, model, effort, path, value):
    body = await asked(name, model=model, reasoning_effort=effort)
    assert at(body, path) == value


@each
async def test_without_a_wish_nothing_is_said_of_thinking_or_of_form(name):
    sent = json.dumps(await asked(name))
    for word in ("effort", "think", "responseJsonSchema", "output_config", "format"):
        assert word not in sent.replace("reasoning.encrypted_content", "")


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-opus-4-1"])
async def test_claude_thinks_without_a_temperature_and_not_where_it_has_to_call(model):
    wishes: dict[str, Any] = {"model": model, "reasoning_effort": "high", "temperature": 0.5}
    assert "temperature" not in await asked("anthropic", **wishes)
    made_to_call = await asked("anthropic", **wishes, tool_choice="required")
    assert "thinking" not in made_to_call
    assert made_to_call["temperature"] == 0.5


# Refusals and stop reasons


@pytest.mark.parametrize("name", ["openai_compatible", "openai", "anthropic"])
async def test_a_refusal_is_told_apart_and_its_words_are_kept(name):
    pieces, _ = await heard(VENDORS[name], VENDORS[name].refused)
    assert pieces[0] == TextPiece("I cannot help with that.")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "refused"


@pytest.mark.parametrize("name", ["openai_compatible", "openai", "gemini"])
async def test_what_the_filter_held_back_is_told_apart(name):
    pieces, _ = await heard(VENDORS[name], VENDORS[name].filtered)
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "filtered"


@pytest.mark.parametrize("name", ["ollama"])
async def test_where_a_vendor_tells_nothing_apart_an_answer_ends_as_usual(name):
    for reason in ("stop", "content_filter", "refusal"):
        stream = by_lines(
            line("I cannot help with that."), line(**OLLAMA_END | {"done_reason": reason})
        )
        pieces, _ = await heard(VENDORS[name], stream)
        assert pieces[0] == TextPiece("I cannot help with that.")
        assert isinstance(pieces[-1], Finished)
        assert pieces[-1].reason == "stop"


@each
async def test_an_answer_that_reached_the_bound_on_its_length_says_so(name):
    pieces, _ = await heard(VENDORS[name], VENDORS[name].long)
    assert pieces[0] == TextPiece("Let me ")
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].reason == "length"


# Reasoning that goes back


@pytest.mark.parametrize("name", ["openai_compatible", "ollama"])
async def test_reasoning_goes_back_with_the_calls_that_came_of_it_to_the_same_model_alone(name):
    vendor = VENDORS[name]
    pieces, _ = await heard(vendor, vendor.reasoned)
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
    sent = json.dumps(await asked(name, *history))
    assert "A city, then." in sent
    assert "A city, then." not in json.dumps(await asked(name, *history, model="m2"))
    assert "A city, then." in json.dumps(await asked(name, *history))


async def test_the_details_of_reasoning_come_in_pieces_and_go_back_whole():
    pieces, _ = await heard(VENDORS["openai_compatible"], VENDORS["openai_compatible"].reasoned)
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].kept is not None
    [fields] = pieces[-1].kept.parts
    assert fields["reasoning_content"] == "A city, then."
    assert fields["reasoning_details"] == [
        {"type": "reasoning.text", "text": "A city, then.", "signature": "s1", "index": 0}
    ]


async def test_gemini_is_given_the_id_of_its_call_back_with_the_result():
    signed = {
        "functionCall": {"id": "g1", "name": "look_up", "args": {}},
        "thoughtSignature": "Cp==",
    }
    pieces, _ = await heard(
        VENDORS["gemini"],
        b"data: "
        + json.dumps(
            {"candidates": [{"content": {"parts": [signed]}, "finishReason": "STOP"}]}
        ).encode()
        + b"\n\n",
    )
    called, finished = pieces
    assert isinstance(called, CallPiece)
    assert isinstance(finished, Finished)
    history = (
        PromptMessage("user", "Hi"),
        PromptMessage("assistant", "", (called.call,), kept=finished.kept),
        PromptMessage("tool", "Poland", tool_call_id="g1"),
    )
    body = await asked("gemini", *history)
    assert body["contents"][2]["parts"][0]["functionResponse"]["id"] == "g1"
    stranger = await asked("gemini", *history, model="m2")
    assert "id" not in stranger["contents"][2]["parts"][0]["functionResponse"]


async def test_ollama_is_not_to_cut_its_context_in_silence():
    body = await asked("ollama")
    assert (body["truncate"], body["shift"]) == (False, False)
