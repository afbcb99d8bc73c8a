"""LangGraph code: a project with a graph of agents, and tests of its structure.

A stage with an agent is a node built by `create_agent`, a group is a graph of its members, and a
person is a node that waits with `interrupt()`. `runtime` has the modules that are copied unchanged.
"""

from __future__ import annotations

from typing import Final

from orchestration.definition import PipelineDefinition
from orchestration.interchange.formats import Files, Format
from orchestration.interchange.langgraph.agents_code import agents_module
from orchestration.interchange.langgraph.expected import expected_json
from orchestration.interchange.langgraph.plan import Plan
from orchestration.interchange.langgraph.sources import runtime_module
from orchestration.interchange.langgraph.support import SUPPORT, exceptions
from orchestration.interchange.langgraph.tools_module import TAKEN, tools_module
from orchestration.interchange.project import (
    HTTP_CALLS,
    environment_name,
    environment_variables,
    pyproject,
    readme,
    route_module,
    tool_names,
    uses_routing,
)

DEPENDENCIES: Final = (
    "jsonschema>=4",
    "langchain>=1.2",
    "langgraph>=1.1",
    "langgraph-swarm>=0.1",
)
_NEEDED: Final = {
    "http_calls.py": "httpx>=0.27",
    "mcp_calls.py": "langchain-mcp-adapters>=0.2",
}
"""Dependencies of single modules."""

_DESCRIPTIONS: Final = {
    "agents.py": "the agents and the graph, returned by `build`",
    "tools.py": "the tools: write the functions that raise `NotImplementedError`",
    "route.py": "the routing rules",
    "README.md": "this page",
    "pyproject.toml": "the dependencies",
    "test_structure.py": "tests of the structure with a stub model",
    "expected.json": "the parts that the tests expect",
    "stub_model.py": "the stub model",
    "chat.py": "a conversation in the terminal",
    "chat_models.py": "the models of the agents",
    "function_tools.py": "check and limits of tool calls",
    "handoffs.py": "handoffs between stages, and the limits of a run",
    "filters.py": "filters of the history",
    "settings.py": "settings of single agents",
    "groups.py": "groups and delegated tasks",
    "human_stage.py": "stages of people",
    "supervision.py": "remarks of the supervisor on a run: `supervised(graph, …)`",
    "http_calls.py": "requests of HTTP tools",
    "mcp_calls.py": "calls of tools on MCP servers",
}
_ALWAYS: Final = ("test_structure.py", "stub_model.py", "chat.py", "chat_models.py")
_IMPORTED: Final = (
    "filters",
    "function_tools",
    "groups",
    "handoffs",
    "human_stage",
    "mcp_calls",
    "settings",
    "supervision",
)
"""Fixed modules that are part of the project only if it uses them."""

_NOTES: Final = (
    "`build(model, checkpointer)` in `agents.py` returns the graph. `model` is called with an "
    "agent's id and its settings; a variable such as `DEFAULT_VENDOR` names the vendor of a model "
    "that LangChain does not know. The checkpointer keeps the conversations.\n\n"
    "To continue after an interrupt, invoke the graph with `Command(resume=…)`: a person's stage "
    'takes `{"text": …, "handoff": …}`, an approval takes `{"decisions": [{"type": "approve"}]}`, '
    "and a question takes the answer.\n\n"
    "All agents share the messages, and see those of others as messages of an assistant with a "
    "name."
)
_COMMANDS: Final = (
    "pip install .",
    "pip install langchain-openai  # or the package of another vendor",
    "pip install pytest && pytest",
    "python chat.py",
)


def write(definition: PipelineDefinition) -> Files:
    """Return the files of the project."""
    definition = definition.with_valid_keys()
    plan = Plan(definition)
    tools = tool_names(definition, TAKEN)
    files = {"agents.py": agents_module(plan, tools), "tools.py": tools_module(definition, tools)}
    if uses_routing(definition):
        files["route.py"] = route_module(definition)
    others = {name: runtime_module(name) for name in _ALWAYS}
    others |= _imported(files)
    if any(tool.kind == "http" for tool in definition.tools):
        others["http_calls.py"] = HTTP_CALLS
    others["expected.json"] = expected_json(plan)
    modules = [name.removesuffix(".py") for name in (*files, *others) if name.endswith(".py")]
    names = sorted(name for name in modules if not name.startswith("test_"))
    files["README.md"] = readme(
        definition,
        "LangGraph",
        {name: text for name, text in _DESCRIPTIONS.items() if name in {*files, *others, *_PAGES}},
        _COMMANDS,
        [*_model_variables(definition), *environment_variables(definition)],
        LANGGRAPH.rows(definition),
        [_NOTES],
    )
    needed = [each for name, each in _NEEDED.items() if name in others]
    files["pyproject.toml"] = pyproject(definition, [*DEPENDENCIES, *needed], names)
    return files | others


_PAGES: Final = ("README.md", "pyproject.toml")


def _imported(files: Files) -> dict[str, str]:
    """Return the fixed modules that the project imports, and those that these import."""
    found: dict[str, str] = {}
    texts = list(files.values())
    while texts:
        text = texts.pop()
        for name in _IMPORTED:
            if f"\nfrom {name} import" in text and f"{name}.py" not in found:
                found[f"{name}.py"] = runtime_module(f"{name}.py")
                texts.append(found[f"{name}.py"])
    return {name: found[name] for name in sorted(found)}


def _model_variables(definition: PipelineDefinition) -> list[str]:
    """Return the environment variables of the models that agents leave to their provider."""
    agents = [*definition.agents, *[a.with_fallback() for a in definition.agents if a.fallback]]
    unnamed = dict.fromkeys(each.provider for each in agents if not each.model)
    return [f"{environment_name(each)}_MODEL" for each in unnamed]


LANGGRAPH: Final = Format(
    key="langgraph",
    title="LangGraph",
    summary="Python code",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
)
