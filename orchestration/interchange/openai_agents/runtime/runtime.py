"""Functions that `agents.py` uses."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import search_path

# isort: off
from agents import Agent, AgentOutputSchemaBase, FunctionTool, RunHooks, Runner
from agents import set_default_openai_api
from agents.exceptions import AgentsException, ModelBehaviorError
from agents.mcp import MCPServerStreamableHttp, create_static_tool_filter

search_path.load_sdk()

NOTE = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "description": "Why the handoff is needed."},
        "summary": {"type": "string", "description": "Information that the target needs."},
    },
    "required": ["reason", "summary"],
}
"""Arguments of a handoff without a schema of its own."""

MESSAGE = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "description": "Information that the target needs."}
    },
}
"""Arguments of a handoff in a swarm without a schema of its own."""

PERSON = (
    "You pass messages between the user and a person. Call ask_person with all that the person "
    "needs to know, and repeat the answer word for word."
)
"""Instructions of a stage that a person serves."""

REFERENCE = re.compile(r"\{\{[ \t]*([A-Za-z_][\w.-]{0,99})[ \t]*\}\}")


class HandoffLimitError(AgentsException):
    """The run made more handoffs than allowed, or goes in a circle."""


class PipelineHooks(RunHooks[Any]):
    """Hooks of one run: the limit of its handoffs."""

    def __init__(self, max_handoffs: int, stops_at_cycle: bool = False) -> None:
        self.max_handoffs = max_handoffs
        self.stops_at_cycle = stops_at_cycle
        self.path: list[str] = []

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Count a handoff, and stop the run at the limit."""
        self.path = self.path or [from_agent.name]
        self.path.append(to_agent.name)
        if len(self.path) - 1 > self.max_handoffs:
            raise HandoffLimitError(f"More than {self.max_handoffs} handoffs.")
        if self.stops_at_cycle and is_cycle(self.path):
            raise HandoffLimitError(f"The agents hand over in a circle: {', '.join(self.path)}.")


def is_cycle(path: Sequence[str]) -> bool:
    """Report whether a path ends with the same part of two or more agents twice."""
    lengths = range(2, len(path) // 2 + 1)
    return any(path[-length:] == path[-2 * length : -length] for length in lengths)


def to(agent: Agent[Any]) -> Callable[[Any, str], Awaitable[Agent[Any]]]:
    """Return the function of a handoff to an agent."""

    async def hand_over(context: Any, arguments: str) -> Agent[Any]:
        return agent

    return hand_over


def invoker(
    function: Callable[..., Awaitable[str]],
    kind: str = "function",
    time_limit: float = 60,
    max_answer: int = 100_000,
    attempts: int = 1,
) -> Callable[[Any, str], Awaitable[str]]:
    """Return the function of a tool. The model gets an error as text, as in Baton.

    `kind` is the kind of the tool in Baton: `function`, `http`, `subtask` or `user_input`.
    """

    async def invoke(context: Any, arguments: str) -> str:
        values = json.loads(arguments or "{}")
        error: Exception | None = None
        for _ in range(attempts):
            try:
                async with asyncio.timeout(time_limit):
                    return str(await function(**values))[:max_answer]
            except NotImplementedError:
                raise
            except Exception as failure:  # noqa: BLE001 - the model gets any error
                error = failure
        return f"Error: {error or type(error).__name__}"

    return invoke


async def take_over(context: Any, arguments: str) -> str:
    """Return the result of a handoff to a person, after a person has approved it."""
    return "A person has the conversation now."


async def ask(context: Any, arguments: str) -> str:
    """Send a message to the person, and return the answer."""
    raise NotImplementedError("ask_person")


transfer_to_human = FunctionTool(
    name="transfer_to_human",
    description="Hand the conversation over to a person. The run stops until somebody takes it.",
    params_json_schema=NOTE,
    on_invoke_tool=take_over,
    strict_json_schema=False,
    needs_approval=True,
)

ask_person = FunctionTool(
    name="ask_person",
    description="Ask the person who serves this stage.",
    params_json_schema=MESSAGE,
    on_invoke_tool=ask,
    strict_json_schema=False,
    needs_approval=True,
)


def in_language(text: str, language: str) -> str:
    """Return instructions with the language of the answers."""
    return f"{text}\n\n---\n\nAnswer in {language}."


def filled(text: str, variables: Mapping[str, str]) -> Callable[[Any, Any], str]:
    """Return instructions with values in place of `{{name}}`, quoted and on one line.

    The context of the run, a dictionary, has the values; `variables` are the default values.
    """

    def instructions(context: Any, agent: Any) -> str:
        values = {**variables, **(context.context or {})}

        def value(match: re.Match[str]) -> str:
            found = values.get(match[1])
            return match[0] if found is None else json.dumps(str(found)[:500], ensure_ascii=False)

        return REFERENCE.sub(value, text)

    return instructions


class JsonAnswer(AgentOutputSchemaBase):
    """An answer as JSON with a schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def is_plain_text(self) -> bool:
        """Return False."""
        return False

    def name(self) -> str:
        """Return the name of the schema."""
        return "answer"

    def json_schema(self) -> dict[str, Any]:
        """Return the schema."""
        return self.schema

    def is_strict_json_schema(self) -> bool:
        """Return False: the schema is sent unchanged."""
        return False

    def validate_json(self, json_str: str) -> Any:
        """Return the value of an answer."""
        try:
            return json.loads(json_str)
        except ValueError:
            raise ModelBehaviorError("The answer is not JSON.") from None


class McpServer(MCPServerStreamableHttp):
    """Tools of an MCP server, which is connected when they are first needed."""

    def __init__(
        self, connection: str, tools: Mapping[str, str], approval: Sequence[str] = ()
    ) -> None:
        """Use the environment variables `<connection>_URL` and `<connection>_AUTHORIZATION`.

        `tools` are the names on the server, by the names in Baton.
        """
        self.variable = f"{connection}_URL"
        headers = {"Authorization": os.environ.get(f"{connection}_AUTHORIZATION", "")}
        super().__init__(
            params={
                "url": os.environ.get(self.variable, ""),
                "headers": {name: value for name, value in headers.items() if value},
            },
            name=connection,
            tool_filter=create_static_tool_filter(allowed_tool_names=list(tools.values())),
            require_approval={tools[name]: "always" for name in approval},
        )

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> Any:
        """Return the tools; none without an address."""
        if not os.environ.get(self.variable):
            logging.getLogger(__name__).warning(
                "Set %s to use the tools of this server.", self.variable
            )
            return []
        if self.session is None:
            await self.connect()
        return await super().list_tools(run_context, agent)


async def run_chain(
    text: str,
    stages: Mapping[str, Agent[Any]],
    following: Mapping[str, str],
    stage: str,
    max_turns: int,
    context: Any = None,
) -> Any:
    """Run the stages one after the other, each with the answer of the one before.

    The result is that of the last stage.
    """
    while True:
        result = await Runner.run(stages[stage], text, max_turns=max_turns, context=context)
        if result.interruptions or stage not in following:
            return result
        max_turns -= len(result.raw_responses)
        text, stage = str(result.final_output), following[stage]


def read_line(prompt: str) -> str:
    """Return a line of the terminal; empty at the end of the input."""
    try:
        return input(prompt)
    except EOFError:
        return ""


async def chat(run: Callable[..., Awaitable[Any]], first_agent: Callable[[str], Any]) -> None:
    """Chat in the terminal until an empty line; calls that need an approval are asked for.

    Another server than that of OpenAI is used by its chat completions.
    """
    if os.environ.get("OPENAI_BASE_URL"):
        set_default_openai_api("chat_completions")
    items: list[Any] = []
    agent = None
    while text := await asyncio.to_thread(read_line, "You: "):
        agent = agent or first_agent(text)
        result = await run([*items, {"role": "user", "content": text}], agent)
        while result.interruptions:
            state = result.to_state()
            for call in result.interruptions:
                answer = await asyncio.to_thread(read_line, f"Allow {call.name}? [y/n] ")
                (state.approve if answer.startswith("y") else state.reject)(call)
            result = await run(state, agent)
        print(f"{result.last_agent.name}: {result.final_output}")
        items, agent = result.to_input_list(), result.last_agent
