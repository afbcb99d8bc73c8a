"""Files of a project for the OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.interchange.formats import Files
from orchestration.interchange.openai_agents.agents_code import agents_module
from orchestration.interchange.openai_agents.plan import ProjectPlan
from orchestration.interchange.project import (
    HTTP_CALLS,
    MESSAGE_FILTERS,
    environment_variables,
    module,
    plain_functions,
    pyproject,
    readme,
    route_module,
    uses_routing,
)
from orchestration.interchange.python_code import assignment
from orchestration.interchange.results import Loss

_RUNTIME = files("orchestration.interchange.openai_agents.runtime")
_SOURCES = {
    name: _RUNTIME.joinpath(name).read_text(encoding="utf-8")
    for name in (
        "runtime.py",
        "groups.py",
        "handoff_filters.py",
        "search_path.py",
        "test_structure.py",
    )
}

_FILES = {
    "agents.py": "the agents with their handoffs, and `run`",
    "tools.py": "the functions of the tools; those that raise are yours to write",
    "route.py": "the routing rules: `route()` selects the stage of a first message",
    "groups.py": "stages that several agents serve together",
    "handoff_filters.py": "filters of handoffs",
    "message_filters.py": "selection of messages, for the filters",
    "http_calls.py": "requests of HTTP tools",
    "runtime.py": "functions that `agents.py` uses",
    "search_path.py": "the search path for the SDK",
    "test_structure.py": "a test of the structure with a stub model",
    "pyproject.toml": "the packages that this project needs",
}
_RUN = ("pip install .", "pip install pytest && python -m pytest", "python agents.py")
_NAME_CLASH = (
    "The package of the SDK is named `agents`, like the module `agents.py`. `search_path.py` finds "
    "the SDK; in your own application, give `agents.py` another name."
)
_SERVER = (
    "With `OPENAI_BASE_URL`, `python agents.py` uses the chat completions of another server. "
    "`OPENAI_DEFAULT_MODEL` names the model of agents without one. The SDK sends traces of "
    "conversations to OpenAI; with `OPENAI_AGENTS_DISABLE_TRACING=1` it sends none."
)


def write(definition: PipelineDefinition) -> Files:
    """Return the files of the project, except its README."""
    definition = definition.with_valid_keys()
    plan = ProjectPlan(definition)
    agents, tools = agents_module(plan), _tools_module(plan)
    written = {"agents.py": agents, "tools.py": tools}
    if uses_routing(definition):
        written["route.py"] = route_module(definition)
    if plan.has_groups:
        written["groups.py"] = _SOURCES["groups.py"]
    if plan.has_own_filters:
        written["handoff_filters.py"] = _SOURCES["handoff_filters.py"]
        written["message_filters.py"] = MESSAGE_FILTERS
    dependencies = ["openai-agents>=0.20"]
    if _has_requests(plan):
        written["http_calls.py"] = HTTP_CALLS
        dependencies.append("httpx>=0.28")
    for name in ("runtime.py", "search_path.py"):
        written[name] = _SOURCES[name]
    written["test_structure.py"] = _test_module(plan)
    written["pyproject.toml"] = pyproject(definition, dependencies, ())
    return written


def write_report(definition: PipelineDefinition, written: Files, rows: Sequence[Loss]) -> Files:
    """Return the README with the table of losses."""
    described = {name: text for name, text in _FILES.items() if name in written}
    variables = ["OPENAI_API_KEY", *environment_variables(definition)]
    text = readme(
        definition,
        "the OpenAI Agents SDK",
        described,
        _RUN,
        variables,
        rows,
        [_NAME_CLASH, _SERVER],
    )
    return {"README.md": text}


def _has_requests(plan: ProjectPlan) -> bool:
    return any(each.kind == "http" for each in plan.definition.tools_by_name.values())


def _tools_module(plan: ProjectPlan) -> str:
    functions = plain_functions(plan.definition, plan.tools)
    head = ['"""Functions of the tools."""']
    if functions:
        head.append("from typing import Any")
    if _has_requests(plan):
        head.append("from http_calls import call")
    return module(head, functions)


def _test_module(plan: ProjectPlan) -> str:
    """Return the test with the structure of the definition in its tables."""
    handoffs: dict[str, dict[str, str]] = {}
    failing: list[list[str]] = []
    tools: dict[str, list[str]] = {}
    for phase, stage in plan.definition.stages_by_phase.items():
        tools[phase] = plan.stage_tools(stage)
        if plan.hands_over and (transitions := plan.handoffs(phase)):
            handoffs[phase] = {tool: each.target for each, tool in transitions}
            failing += [
                [phase, tool] for each, tool in transitions if each.input_filter.keep == "matching"
            ]
    source = _SOURCES["test_structure.py"]
    tables: dict[str, Any] = {
        "HANDOFFS: dict[str, dict[str, str]]": handoffs,
        "TOOLS: dict[str, list[str]]": tools,
        "FAILING: list[list[str]]": failing,
        "CHAIN: list[str]": plan.chain(),
    }
    for name, value in tables.items():
        empty = f"{name} = {'{}' if 'dict' in name else '[]'}"
        source = source.replace(empty, assignment(name, value), 1)
    return source
