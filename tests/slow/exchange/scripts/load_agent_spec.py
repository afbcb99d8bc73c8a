"""Load exported documents with pyagentspec, compile them for LangGraph, and hand over in them.

Arguments: a folder with a folder for each pipeline. Prints one JSON object by name.
"""

import json
import sys
from pathlib import Path

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import MemorySaver
from pyagentspec.adapters.langgraph import AgentSpecLoader
from pyagentspec.adapters.langgraph import _langgraphconverter as converter
from pyagentspec.managerworkers import ManagerWorkers
from pyagentspec.mcp import MCPTool
from pyagentspec.serialization import AgentSpecDeserializer, AgentSpecSerializer
from pyagentspec.swarm import Swarm
from pyagentspec.tools import ServerTool

PATH: list[str] = []
"""Names of the agents to hand over to, one for each call of a model."""


class Model(GenericFakeChatModel):
    """A model that hands over to the next agent of `PATH`, and answers at its end."""

    messages: object = None

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, *arguments, **options):
        call = {"name": f"transfer_to_{PATH.pop(0)}", "args": {}, "id": "1"} if PATH else None
        self.messages = iter([AIMessage(content="Done.", tool_calls=[call] if call else [])])
        return super()._generate(messages, *arguments, **options)


def components(value, found):
    """Collect all components of a document."""
    if isinstance(value, dict):
        if "component_type" in value:
            found.append(value)
        for each in value.values():
            components(each, found)
    elif isinstance(value, list):
        for each in value:
            components(each, found)
    return found


def load(folder):
    """Return facts about one exported document."""
    text = (folder / "agent-spec.json").read_text()
    component = AgentSpecDeserializer().from_json(text)
    assert component == AgentSpecDeserializer().from_yaml((folder / "agent-spec.yaml").read_text())
    facts = {
        "type": type(component).__name__,
        "saved": AgentSpecSerializer().to_json(component),
        "nodes": None,
        "active": None,
    }
    kinds = components(json.loads(text), [])
    if isinstance(component, ManagerWorkers) or any(
        each["component_type"] == MCPTool.__name__ for each in kinds
    ):
        return facts  # not known to the loader for LangGraph; a server that does not run
    names = {each["name"] for each in kinds if each["component_type"] == ServerTool.__name__}
    registry = {name: lambda **arguments: "ok" for name in names}
    graph = AgentSpecLoader(tool_registry=registry, checkpointer=MemorySaver()).load_json(text)
    facts["nodes"] = list(graph.get_graph().nodes)
    if isinstance(component, Swarm):
        facts["active"] = [
            play(graph, number, component.first_agent, pair)
            for number, pair in enumerate(component.relationships)
        ]
    return facts


def play(graph, number, first, pair):
    """Start at the source of a relationship, and return the agent after the handoff."""
    source, target = pair
    PATH[:] = [target.name.replace(" ", "_").lower()]
    state = {"messages": [("user", "Hello")], "active_agent": source.name}
    result = graph.invoke(state, {"configurable": {"thread_id": str(number)}})
    return [source.name, target.name, result["active_agent"]]


def main(folder):
    """Print the facts about all exported documents."""
    converter.AgentSpecToLangGraphConverter._llm_convert_to_langgraph = (
        lambda self, *arguments, **options: Model()
    )
    print(json.dumps({each.name: load(each) for each in sorted(folder.iterdir())}))  # noqa: T201


main(Path(sys.argv[1]))
