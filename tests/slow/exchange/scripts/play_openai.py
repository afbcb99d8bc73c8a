"""Play recorded turns with an exported project of the OpenAI Agents SDK, and print the path.

Arguments: the folder of the project, and a file with the messages of a conversation.
"""

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from openai_project import called, pipeline, said

# isort: split
import runtime
from agents import FunctionTool, Model, ModelResponse, Runner, Usage

PLAN = json.loads(Path(sys.argv[2]).read_text())
TURNS: dict[str, list[dict[str, Any]]] = defaultdict(list)
RESULTS: dict[str, list[str]] = defaultdict(list)
CALLED: list[str] = []


class RecordedModel(Model):
    """A model that repeats the recorded turns of an agent."""

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id

    async def get_response(self, *inputs: Any, **options: Any) -> ModelResponse:
        if not TURNS[self.agent_id]:
            return ModelResponse(output=[said("")], usage=Usage(), response_id=None)
        CALLED.append(self.agent_id)
        turn = TURNS[self.agent_id].pop(0)
        output: list[Any] = [said(turn["text"])] if turn["text"] or not turn["calls"] else []
        for number, (name, arguments) in enumerate(turn["calls"]):
            given = {"input": arguments["task"]} if name.startswith("delegate_to") else arguments
            output.append(called(name, given, f"{len(CALLED)}_{number}"))
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *inputs: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


class Handoffs(runtime.PipelineHooks):  # type: ignore[misc]
    """Handoffs of a run within its limits, without the one with which a group goes on."""

    def __init__(self) -> None:
        limit = getattr(pipeline, "MAX_HANDOFFS", 0)
        super().__init__(limit, stops_at_cycle=PLAN["topology"] == "swarm")
        self.made: list[str] = []
        self.stage = ""

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        self.stage = stage_of(from_agent)
        await super().on_handoff(context, from_agent, to_agent)
        if not hasattr(from_agent.model, "members"):
            self.made.append(f"{self.stage} > {stage_of(to_agent)}")


def stage_of(agent: Any) -> str:
    """Return the stage of an agent; one without a stage answers in the entry stage."""
    found = [phase for phase, each in pipeline.STAGES.items() if each is agent]
    return str(found[0] if found else pipeline.ENTRY)


def answering(name: str) -> Any:
    async def answer(context: Any, arguments: str) -> str:
        return RESULTS[name].pop(0)

    return answer


def prepare() -> None:
    """Give every agent a recorded model, and every tool its recorded results."""
    agents = [(agent_id, agent) for agent_id, agent in pipeline.AGENTS.items()]
    for phase, agent in pipeline.STAGES.items():
        if hasattr(agent.model, "members"):
            agents += agent.model.members.items()
        else:
            agents.append((PLAN["agents"].get(phase, phase), agent))
    kept = ("transfer_to_human", "ask_person")
    for agent_id, agent in agents:
        agent.model = RecordedModel(agent_id)
        for tool in agent.tools:
            own = tool.name in kept or tool.name.startswith("delegate_to")
            if isinstance(tool, FunctionTool) and not own:
                tool.on_invoke_tool = answering(tool.name)
    if "route" in sys.modules:
        sys.modules["route"].evaluate = lambda *arguments: False  # type: ignore[attr-defined]


def first_agent(message: dict[str, Any]) -> Any:
    """Return the agent that answers the first message."""
    if "route" not in sys.modules:
        return pipeline.STAGES[pipeline.ENTRY]
    routing = sys.modules["route"]
    inbound = routing.IncomingMessage(message["text"], **message["state"])
    name = routing.route(inbound, routing.State(pipeline.ENTRY))
    return {**pipeline.AGENTS, **pipeline.STAGES}[name]


async def run(agent: Any, items: Any, hooks: Handoffs) -> Any:
    """Run the pipeline; approvals are given, except for a handoff to a person."""
    if PLAN["topology"] == "workflow":
        return await pipeline.run(items[-1]["content"])
    result = await Runner.run(agent, items, hooks=hooks, max_turns=50)
    while result.interruptions and result.interruptions[0].name != "transfer_to_human":
        state = result.to_state()
        for each in result.interruptions:
            state.approve(each)
        result = await Runner.run(agent, state, hooks=hooks, max_turns=50)
    return result


def path_of(known: int, hooks: Handoffs, stage: str) -> dict[str, Any]:
    return {
        "agents": CALLED[known:],
        "handoffs": hooks.made,
        "stage": stage,
        "left": {name: len(turns) for name, turns in TURNS.items() if turns},
    }


async def play() -> list[dict[str, Any]]:
    """Return the path of each message."""
    prepare()
    items: list[Any] = []
    agent: Any = None
    played: list[dict[str, Any]] = []
    for message in PLAN["messages"]:
        for turn in message["turns"]:
            TURNS[turn["agent"]].append(turn)
        for name, results in message["results"].items():
            RESULTS[name] += results
        known = len(CALLED)
        hooks = Handoffs()
        agent = agent or first_agent(message)
        said_items = [*items, {"role": "user", "content": message["text"]}]
        try:
            result = await run(agent, said_items, hooks)
        except runtime.HandoffLimitError:
            played.append(path_of(known, hooks, hooks.stage))
            continue
        stage = stage_of(result.last_agent)
        if result.interruptions:
            hooks.made.append(f"{stage} > {PLAN['human']}")
        else:
            items = result.to_input_list()
        agent = result.last_agent if PLAN["topology"] in ("pipeline", "swarm") else None
        played.append(path_of(known, hooks, PLAN["human"] if result.interruptions else stage))
    return played


sys.stdout.write(f"{json.dumps(asyncio.run(play()))}\n")
