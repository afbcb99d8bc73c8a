"""Stages that several agents serve together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import search_path

# isort: off
from agents import Agent, Model, ModelResponse, Runner, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)


search_path.load_sdk()


class GroupModel(Model):
    """Model of a stage with a group: its answer is that of the members.

    `following` is the tool of the handoff to the next stage, which follows without a choice.
    """

    def __init__(
        self,
        members: Mapping[str, Agent[Any]],
        parallel: bool = True,
        dependencies: Mapping[str, Sequence[str]] | None = None,
        following: str = "",
    ) -> None:
        self.members = members
        self.parallel = parallel
        self.dependencies = dependencies or {}
        self.following = following

    async def outputs(self, task: str) -> dict[str, str]:
        """Return the outputs of all members; each waits for those that it depends on."""
        outputs: dict[str, str] = {}
        while wave := self.ready(outputs):
            texts = [self.input_of(name, task, outputs) for name in wave]
            runs = [
                Runner.run(self.members[name], text) for name, text in zip(wave, texts, strict=True)
            ]
            results = await asyncio.gather(*runs)
            outputs |= {
                name: str(result.final_output) for name, result in zip(wave, results, strict=True)
            }
        return outputs

    def ready(self, outputs: Mapping[str, str]) -> list[str]:
        """Return the members that can start."""
        waiting = [name for name in self.members if name not in outputs]
        ready = [
            name
            for name in waiting
            if all(other in outputs for other in self.dependencies.get(name, ()))
        ]
        return ready if self.parallel else ready[:1]

    def input_of(self, name: str, task: str, outputs: Mapping[str, str]) -> str:
        """Return the task with the outputs that a member needs."""
        if not self.parallel and not self.dependencies:
            return next(reversed(outputs.values()), task)
        needed = self.dependencies.get(name, ())
        return "\n\n".join([task, *[f"[{other}]: {outputs[other]}" for other in needed]])

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
        """Return the joined outputs of the members, and the handoff to the next stage."""
        outputs = await self.outputs(task_of(input))
        joined = "\n\n".join(f"[{name}]: {text}" for name, text in outputs.items())
        text = joined if len(outputs) != 1 else next(iter(outputs.values()))
        output: list[Any] = [
            ResponseOutputMessage(
                id="group",
                type="message",
                role="assistant",
                status="completed",
                content=[ResponseOutputText(text=text, type="output_text", annotations=[])],
            )
        ]
        if self.following:
            output.append(
                ResponseFunctionToolCall(
                    type="function_call",
                    call_id=f"group_{id(output)}",
                    name=self.following,
                    arguments="{}",
                )
            )
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *inputs: Any, **options: Any) -> AsyncIterator[Any]:
        """Yield the whole response at once."""
        answer = await self.get_response(*inputs, **options)
        response = Response(
            id="group",
            created_at=0,
            model="group",
            object="response",
            output=answer.output,
            tool_choice="none",
            tools=[],
            parallel_tool_calls=False,
        )
        yield ResponseCompletedEvent(
            type="response.completed", response=response, sequence_number=0
        )


def task_of(items: Any) -> str:
    """Return the text of the last message."""
    if isinstance(items, str):
        return items
    contents = [item.get("content") for item in items if item.get("role")]
    content = contents[-1] if contents else ""
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content)
    return str(content)
