"""The exported project of the OpenAI Agents SDK in the folder of the first argument."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

sys.path.insert(0, sys.argv[1])

import search_path
from agents import set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

set_tracing_disabled(True)
spec = spec_from_file_location("pipeline_agents", search_path.FOLDER / "agents.py")
assert spec is not None
assert spec.loader is not None
pipeline = module_from_spec(spec)
spec.loader.exec_module(pipeline)


def said(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="message", type="message", role="assistant", status="completed", content=[content]
    )


def called(name: str, arguments: Any, number: int | str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call",
        call_id=f"call_{number}",
        name=name,
        arguments=json.dumps(arguments),
    )
