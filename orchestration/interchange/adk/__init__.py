"""Google ADK: agents in YAML, as a tree for conversations and as a `Workflow`.

`root_agent.yaml` is the tree, in which agents transfer the conversation, or the `Workflow` of a
workflow. `workflow.yaml` is the whole graph of other pipelines, with a route for each transition.
"""

from __future__ import annotations

from orchestration.definition import PipelineDefinition
from orchestration.interchange.adk.agents import ROOT_FILE, WORKFLOW_FILE, AgentFiles
from orchestration.interchange.adk.support import SUPPORT, exceptions
from orchestration.interchange.adk.tools_module import TAKEN, answer_names, tools_module
from orchestration.interchange.adk.tree import agent_tree
from orchestration.interchange.formats import Files, Format
from orchestration.interchange.project import (
    HTTP_CALLS,
    environment_variables,
    pyproject,
    readme,
    tool_names,
)
from orchestration.interchange.yaml_code import yaml_text

__all__ = ["ADK"]

_ROUTES = (
    "`workflow.yaml` has all transitions as routes. A node follows a route if it sets `route` of "
    "its context to the name of the target; the agents of the tree need no route."
)


def write(definition: PipelineDefinition) -> Files:
    """Return the files of a project."""
    names = tool_names(definition, TAKEN)
    answers = answer_names(definition, names)
    values = AgentFiles(definition, agent_tree(definition), names, answers).files()
    files = {path: yaml_text(value) for path, value in values.items()}
    modules: dict[str, str] = {}
    if names or answers:
        modules["tools"] = tools_module(definition, names, answers)
    has_http = any(each.kind == "http" for each in definition.tools)
    if has_http:
        modules["http_calls"] = HTTP_CALLS
    files |= {f"{name}.py": text for name, text in modules.items()}
    extra = "[mcp]" if any(each.kind == "mcp" for each in definition.tools) else ""
    packages = [f"google-adk{extra}>=2.13,<3", *(["httpx>=0.28,<1"] if has_http else [])]
    about = {ROOT_FILE: "the root; every other stage has a file of its own"}
    if WORKFLOW_FILE in files:
        about[WORKFLOW_FILE] = "the whole graph as a `Workflow`"
    about |= {f"{name}.py": _ABOUT[name] for name in modules}
    return files | {
        "README.md": readme(
            definition,
            "Google ADK",
            about,
            ["pip install -e .", "adk run ."],
            ["GOOGLE_API_KEY", *environment_variables(definition)],
            ADK.rows(definition),
            [_ROUTES] if WORKFLOW_FILE in files else (),
        ),
        "pyproject.toml": pyproject(definition, packages, list(modules), ">=3.10"),
    }


_ABOUT = {
    "tools": "the tools; functions without code raise",
    "http_calls": "requests of HTTP tools",
}

ADK = Format(
    key="adk",
    title="Google ADK",
    summary="YAML agents, tools in Python",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
)
