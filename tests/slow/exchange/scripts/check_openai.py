"""Observe single features of an exported project of the OpenAI Agents SDK; print them as JSON.

Argument: the folder of the project of `openai_pipelines.features`.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from openai_project import called, pipeline, said

# isort: split
import runtime
from agents import Model, ModelResponse, RunConfig, Runner, Usage
from agents.exceptions import MaxTurnsExceeded


class Stub(Model):
    """A model with a script of calls and answers; it notes what it is asked."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.instructions: list[str | None] = []
        self.inputs: list[Any] = []
        self.settings: list[Any] = []

    async def get_response(self, *inputs: Any, **options: Any) -> ModelResponse:
        system_instructions, items, model_settings, *_ = inputs or (
            options["system_instructions"],
            options["input"],
            options["model_settings"],
        )
        self.instructions.append(system_instructions)
        self.inputs.append(items)
        self.settings.append(model_settings)
        step = self.script.pop(0) if self.script else "{}"
        output: Any = said(step) if isinstance(step, str) else called(*step, len(self.inputs))
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *inputs: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


HISTORY = [
    {"role": "user", "content": "First"},
    {"role": "assistant", "content": "Answer"},
    {"type": "function_call", "call_id": "old", "name": "find", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "old", "output": "found"},
    {"role": "user", "content": "Second"},
]


def kinds(items: Any) -> list[str]:
    """Return the texts of messages, and the kinds and names of other items."""
    return [
        str(item["content"])
        if item.get("role")
        else f"{item['type']}:{item.get('name') or item['call_id']}"
        for item in items
    ]


async def run(stage: str, *script: Any, context: Any = None, items: Any = None) -> Any:
    model = Stub(*script)
    result = await Runner.run(
        pipeline.STAGES[stage],
        items or HISTORY,
        context=context,
        run_config=RunConfig(model=model),
        hooks=runtime.PipelineHooks(pipeline.MAX_HANDOFFS),
    )
    return result, model


async def failure(stage: str, *script: Any) -> str:
    try:
        await run(stage, *script)
    except Exception as error:  # noqa: BLE001 - its type is observed
        return f"{type(error).__name__}: {error}"
    return ""


async def limited() -> str:
    agent = pipeline.STAGES["plain"]
    agent.model = Stub(*[("request", {"path": ".."})] * 9)
    try:
        await pipeline.run("Hello", agent)
    except MaxTurnsExceeded as error:
        return str(error)
    return ""


async def group() -> dict[str, Any]:
    agent = pipeline.STAGES["group"]
    for name, member in agent.model.members.items():
        member.model = Stub(f"output of {name}")
    pipeline.STAGES["plain"].model = Stub("End")
    result = await Runner.run(agent, "Task")
    inputs = {name: each.model.inputs[0] for name, each in agent.model.members.items()}
    return {
        "inputs": {name: given[0]["content"] for name, given in inputs.items()},
        "last": result.last_agent.name,
        "seen": kinds(pipeline.STAGES["plain"].model.inputs[0]),
    }


async def observed() -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for stage in ("plain", "last", "summary", "no-tools"):
        tool = f"transfer_to_{stage.replace('-', '_')}"
        _, model = await run("intake", (tool, {"order": 7}))
        seen[stage] = kinds(model.inputs[-1])
    seen["cel"] = await failure("intake", ("transfer_to_cel", {}))
    seen["limit"] = await failure(
        "intake", *[("transfer_to_plain", {}), ("transfer_to_intake", {})] * 2
    )
    seen["raises"] = await failure("plain", ("missing", {}))
    result, _ = await run("plain", ("approved", {}))
    seen["approval"] = [each.name for each in result.interruptions]
    result, _ = await run("plain", ("transfer_to_human", {"reason": "r", "summary": "s"}))
    seen["human"] = [each.name for each in result.interruptions]
    result, _ = await run("person", ("ask_person", {"message": "Hello"}))
    seen["person"] = [each.name for each in result.interruptions]
    _, model = await run("plain", ("request", {"path": ".."}))
    seen["http"] = model.inputs[-1][-1]["output"]
    _, model = await run("intake", context={"name": 'Ada "A"'})
    seen["instructions"] = model.instructions[0]
    seen["temperature"] = model.settings[0].temperature
    result, _ = await run("summary", '{"a": 1}')
    seen["answer"] = result.final_output
    handoff = next(
        each for each in pipeline.intake.handoffs if each.tool_name == "transfer_to_plain"
    )
    seen["schema"] = handoff.input_json_schema
    seen["mcp"] = await pipeline.plain.mcp_servers[0].list_tools()
    seen["group"] = await group()
    seen["turns"] = await limited()
    return seen


sys.stdout.write(f"{json.dumps(asyncio.run(observed()))}\n")
