"""Structure of the pipeline, checked with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

# isort: off
import search_path
from agents import Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

HANDOFFS: dict[str, dict[str, str]] = {}

TOOLS: dict[str, list[str]] = {}

FAILING: list[list[str]] = []

CHAIN: list[str] = []

set_tracing_disabled(True)
spec = spec_from_file_location("pipeline_agents", search_path.FOLDER / "agents.py")
assert spec is not None and spec.loader is not None
pipeline = module_from_spec(spec)
spec.loader.exec_module(pipeline)


class ScriptModel(Model):
    """A model that makes the calls of a script one after the other, and then answers."""

    def __init__(self, script: Sequence[str] = ()) -> None:
        self.script = list(script)
        self.offered: list[list[str]] = []

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,
        model_settings: Any,
        tools: Any,
        output_schema: Any,
        handoffs: Any,
        tracing: Any,
        **options: Any,
    ) -> ModelResponse:
        """Return the next call, or an answer."""
        self.offered.append([each.tool_name for each in handoffs] + [each.name for each in tools])
        name = self.script.pop(0) if self.script else ""
        output = call(name, len(self.offered)) if name else message("{}")
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *inputs: Any, **options: Any) -> AsyncIterator[Any]:
        """Raise: no test streams."""
        raise NotImplementedError


def call(name: str, number: int) -> ResponseFunctionToolCall:
    """Return a call of a tool."""
    return ResponseFunctionToolCall(
        type="function_call", call_id=f"call_{number}", name=name, arguments='{"input": "Hello"}'
    )


def message(text: str) -> ResponseOutputMessage:
    """Return an answer in words."""
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="message", type="message", role="assistant", status="completed", content=[content]
    )


def run(stage: str, script: Sequence[str]) -> tuple[Any, ScriptModel]:
    """Run the pipeline from a stage with a script."""
    model = ScriptModel(script)
    config = RunConfig(model=model)
    return asyncio.run(Runner.run(pipeline.STAGES[stage], "Hello", run_config=config)), model


EDGES = [(stage, tool) for stage, targets in HANDOFFS.items() for tool in targets]


@pytest.mark.parametrize(("stage", "tool"), EDGES)
def test_a_handoff_leads_to_its_stage(stage: str, tool: str) -> None:
    if [stage, tool] in FAILING:
        with pytest.raises(NotImplementedError):
            run(stage, [tool])
        return
    result, _ = run(stage, [tool])
    assert result.last_agent is pipeline.STAGES[HANDOFFS[stage][tool]]


@pytest.mark.parametrize("stage", TOOLS)
def test_a_stage_offers_its_handoffs_and_tools(stage: str) -> None:
    _, model = run(stage, [])
    assert sorted(model.offered[0]) == sorted([*HANDOFFS.get(stage, ()), *TOOLS[stage]])


def test_a_workflow_runs_its_stages_in_order() -> None:
    visited: list[str] = []
    for stage, agent in pipeline.STAGES.items():
        agent.model = Visit(visited, stage)
    if CHAIN:
        asyncio.run(pipeline.run("Hello"))
    assert visited == CHAIN


class Visit(ScriptModel):
    """A model that notes the stage of each call."""

    def __init__(self, visited: list[str], stage: str) -> None:
        super().__init__()
        self.visited, self.stage = visited, stage

    async def get_response(self, *inputs: Any, **options: Any) -> ModelResponse:
        """Note the stage, and answer."""
        self.visited.append(self.stage)
        return await super().get_response(*inputs, **options)
